"""Repositories for the threads of a server: kept up to date and shared fairly."""
