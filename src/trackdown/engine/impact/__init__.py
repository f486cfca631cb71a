"""From a diff to the places that may have to change with it."""
