"""Fault injection by the thousand, too long for `make test`: `make campaign` runs it, `make grammars` a part of it."""
