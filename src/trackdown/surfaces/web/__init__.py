"""The web page: files that a server hands out as they are. Nothing is built, and nothing comes from elsewhere."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.surfaces.web.files import Asset, assets, page
else:
    __getattr__ = door(__name__)
