"""Tests that ask a real language model: `make test-llm` installs it and runs them."""
