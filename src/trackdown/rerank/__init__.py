"""The best candidates, judged by models: encoder vectors, past commits and code read beside the query."""
