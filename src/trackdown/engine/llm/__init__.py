"""The language model that the settings name, and what a search or a rewrite asks of it."""
