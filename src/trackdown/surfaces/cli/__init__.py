"""The command line: a file per command, thin over the engine."""
