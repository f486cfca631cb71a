"""Rankings → numbers: one metric per file, intervals, and tests between two runs."""
