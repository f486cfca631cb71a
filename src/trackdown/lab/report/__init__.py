"""Run files → a report: a page, Markdown, JSON, or tables for a terminal. All show one and the same summary."""
