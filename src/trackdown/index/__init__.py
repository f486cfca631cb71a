"""Facts → searchable arrays: build, update, open."""
