"""A request → a plan → results: what one search does, from the first check to the last snippet."""
