"""Units → contains, imports, invokes, inherits; and walks along them."""
