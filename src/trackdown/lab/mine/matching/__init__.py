"""Issues of an archive → the commits that resolved them: references in messages, the choice of a commit, the rules."""
