"""Plots as SVG text: no library, no script. Colours and fonts are classes that the page's style sheet defines."""
