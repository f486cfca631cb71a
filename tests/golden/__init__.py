"""Golden rankings: known questions with the rank their answer has, so that a change of order does not go unseen."""
