"""The web page: files that a server hands out as they are. Nothing is built, and nothing comes from elsewhere."""

from trackdown.surfaces.web.files import Asset, assets, page

__all__ = ["Asset", "assets", "page"]
