"""Public benchmarks → tasks, one adapter per file."""
