"""Models and what they compute: a static table, an encoder, a cross-encoder, language models, and their registry."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.models.batches import Numbers
    from trackdown.models.cross_encoder import CrossEncoder
    from trackdown.models.encoder import Encoder
    from trackdown.models.late_interaction import Int8s, LateQuery, unit_steps
    from trackdown.models.manifest import MANIFEST, ModelManifest, Role, read_manifest, write_manifest
    from trackdown.models.normalization import brief_unit, normalized
    from trackdown.models.registry import PACKAGED, PACKAGED_FOLDER, ModelListing, list_models, open_models
    from trackdown.models.shelf import NONE, ModelShelf, model_shelf
    from trackdown.models.static import StaticTable, quantised
    from trackdown.models.tokenizer import TextTokenizer
    from trackdown.models.weights_file import file_entry
else:
    __getattr__ = door(__name__)
