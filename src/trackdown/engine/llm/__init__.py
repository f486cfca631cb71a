"""The configured language model, and its use in searches and rewrites."""
