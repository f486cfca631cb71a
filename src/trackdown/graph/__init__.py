"""The graph of a program: contains, imports, invokes, inherits; and walks along them."""
