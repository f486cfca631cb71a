"""Models reread the best candidates: encoder vectors, past commits, and code read together with the query."""
