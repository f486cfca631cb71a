"""From a place in the code to what surrounds it: callers, callees, neighbours, related code."""
