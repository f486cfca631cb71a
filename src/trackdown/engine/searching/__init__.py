"""A request → a plan → results: one search from start to finish."""
