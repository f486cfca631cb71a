"""Tests of `trackdown.excerpts`."""
