"""Issues by name: fetched from the tracker of a repository's host, with a copy for when there is no network."""
