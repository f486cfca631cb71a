"""Two pieces of code → how alike they are in style: CSSim and the metrics that it is compared with, one per file."""
