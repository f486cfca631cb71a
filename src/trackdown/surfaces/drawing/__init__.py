"""A neighbourhood of the graph as people and programs read it: JSON, DOT, a tree, a picture, or a page."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.surfaces.drawing.coordinates import coordinates_of
    from trackdown.surfaces.drawing.document import as_document
    from trackdown.surfaces.drawing.dot import as_dot
    from trackdown.surfaces.drawing.labels import ARROWS, counted, name_of, place_of
    from trackdown.surfaces.drawing.page import as_html
    from trackdown.surfaces.drawing.picture import summary
    from trackdown.surfaces.drawing.png import as_png, png_program
    from trackdown.surfaces.drawing.svg import as_svg
    from trackdown.surfaces.drawing.tree import Branch, as_tree
else:
    __getattr__ = door(__name__)
