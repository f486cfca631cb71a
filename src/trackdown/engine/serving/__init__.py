"""Repositories for the many threads of a server: kept up to date, lent out, and shared fairly."""
