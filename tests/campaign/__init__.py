"""Fault injection by the thousand, too long for `make test`: each part is a command that prints its own table."""
