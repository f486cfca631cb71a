"""A neighbourhood of the graph as people and programs read it: JSON, DOT, a tree, or a page."""
