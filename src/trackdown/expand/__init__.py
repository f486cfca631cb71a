"""A ranking → the same ranking with what stands near its best places in the code."""
