"""The HTTP API and the page: one process serves some repositories. Needs the extra `serve`."""
