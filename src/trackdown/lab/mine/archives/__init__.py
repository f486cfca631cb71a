"""Archives of issue trackers → issues, one adapter per format. `registry.py` lists them by name."""
