"""Where everything in a neighbourhood is drawn, for a page that does the drawing itself."""

from __future__ import annotations

from typing import Any

from trackdown.engine import Neighbourhood
from trackdown.surfaces.drawing.labels import name_of, place_of
from trackdown.surfaces.drawing.layout import HEIGHT, drawing


def coordinates_of(answer: Neighbourhood) -> dict[str, Any]:
    """Boxes in the order of the nodes and SVG paths in that of the edges, in both shapes of a drawing.

    A box is [x, y, width]; all are `height` high. `labels` are the nodes' names and places, cut to what fits in a box,
    and `names` the whole ones, cleaned of what a repository should not show.
    """
    shapes = {"wide": drawing(answer), "tall": drawing(answer, tall=True)}
    return {
        "height": HEIGHT,
        "labels": [[box.name, box.place] for box in shapes["wide"].boxes],
        "names": [[name_of(node), place_of(node)] for node in answer.nodes],
        **{
            name: {
                "width": round(drawn.width, 1),
                "height": round(drawn.height, 1),
                "boxes": [[round(box.x, 1), round(box.y, 1), round(box.width, 1)] for box in drawn.boxes],
                "paths": list(drawn.paths),
            }
            for name, drawn in shapes.items()
        },
    }
