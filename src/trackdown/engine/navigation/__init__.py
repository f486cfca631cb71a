"""From a place in the code to its surroundings: callers, callees, neighbours, related code."""
