"""The past: commits by their words, authors, paths and dates, one commit with its diff, and who wrote a line."""
