"""Issue text → its parts: title, prose, code, tracebacks, paths, names, quoted messages; and its weighted terms."""
