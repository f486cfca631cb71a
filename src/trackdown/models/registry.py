"""Find, list and open sets of models.

A set is the packaged one, a folder, or a model on the Hugging Face hub. Only a hub name uses the network. Libraries
that only some models need are imported when one of these is opened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from trackdown.errors import ModelError
from trackdown.installation import pip_install
from trackdown.models.address_space import require_address_space
from trackdown.models.manifest import MANIFEST, ModelManifest, read_manifest
from trackdown.models.static import StaticTable, open_static
from trackdown.models.weights_file import verified
from trackdown.models.wordpiece import read_word_pieces

if TYPE_CHECKING:
    from trackdown.models.cross_encoder import CrossEncoder
    from trackdown.models.encoder import Encoder
    from trackdown.models.onnx_session import OnnxSession
    from trackdown.models.tokenizer import TextTokenizer

PACKAGED = "packaged"
PACKAGED_FOLDER = Path(__file__).parent / "weights"
HOW_TO_ADD = (
    "name a folder that `trackdown train mean` or `trackdown train export` wrote, a sentence-transformers folder with "
    "an ONNX graph, or hub:owner/name"
)
_HUB = "hub:"
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


class Models:
    """A set of models, each opened at its first use. A part that the set lacks is None."""

    def __init__(self, folder: Path, manifest: ModelManifest, threads: int = 0) -> None:
        self.folder = folder
        self.manifest = manifest
        self._threads = threads
        self._sessions: dict[str, OnnxSession] = {}
        self._tokens: dict[str, TextTokenizer] = {}

    @cached_property
    def static(self) -> StaticTable | None:
        """The static table. Raises ModelError when its files don't match the manifest."""
        role = self.manifest.roles.get("static")
        if role is None:
            return None
        pieces = read_word_pieces(self._file(role.tokenizer))
        return open_static(self._file(role.file), pieces, self.manifest.model_id("static"))

    @cached_property
    def encoder(self) -> Encoder | None:
        """The encoder. Raises ModelError when its files don't match the manifest."""
        role = self.manifest.roles.get("encoder")
        if role is None:
            return None
        from trackdown.models.encoder import Encoder

        tokens = self._text_tokens(role.tokenizer)
        return Encoder(self.manifest.model_id("encoder"), role, self.session("encoder"), tokens)

    @cached_property
    def cross_encoder(self) -> CrossEncoder | None:
        """The cross-encoder. Raises ModelError when its files don't match the manifest."""
        role = self.manifest.roles.get("cross_encoder")
        if role is None:
            return None
        from trackdown.models.cross_encoder import CrossEncoder

        tokens = self._text_tokens(role.tokenizer)
        return CrossEncoder(self.manifest.model_id("cross_encoder"), role, self.session("cross_encoder"), tokens)

    def verify(self) -> None:
        """Check every file of the set, used or not. Raises ModelError for the first that doesn't match the manifest."""
        for name in self.manifest.files:
            self._file(name)

    def session(self, role: str) -> OnnxSession:
        """The graph of a role. Roles with the same file share a session."""
        from trackdown.models.onnx_session import OnnxSession

        name = self.manifest.roles[role].file
        if name not in self._sessions:
            require_address_space()
            self._sessions[name] = OnnxSession(self._file(name), self._threads)
        return self._sessions[name]

    def _file(self, name: str) -> Path:
        return verified(self.folder / name, self.manifest.files[name])

    def _text_tokens(self, name: str) -> TextTokenizer:
        from trackdown.models.tokenizer import TextTokenizer

        if name not in self._tokens:
            require_address_space()
            self._tokens[name] = TextTokenizer(self._file(name))
        return self._tokens[name]


@dataclass(frozen=True, slots=True)
class ModelListing:
    """One line of `list_models`: a set's roles and sizes. `problem` says why it cannot be opened; empty if it can."""

    name: str
    folder: Path
    roles: tuple[str, ...] = ()
    parameters: int = 0
    bytes: int = 0
    texts_per_second: float | None = None
    licence: str = ""
    problem: str = ""


def open_models(where: str | Path = PACKAGED, threads: int = 0) -> Models:
    """Open a set: `packaged`, a folder, or `hub:owner/name`. Files are read when a part is first used.

    `threads` 0 means one for each core. Raises ModelError when there is no such set. The packaged set may be missing:
    search then uses words alone.
    """
    folder = _folder(where)
    return Models(folder, _manifest(folder), threads)


def list_models(folders: Sequence[str | Path] = ()) -> tuple[ModelListing, ...]:
    """The packaged set and those in the given folders, including sets that cannot be opened, with the reason."""
    return tuple(_described(where) for where in (PACKAGED, *folders))


def _described(where: str | Path) -> ModelListing:
    folder = PACKAGED_FOLDER if where == PACKAGED else Path(where)
    try:
        manifest = _manifest(folder)
    except ModelError as error:
        return ModelListing(str(where), folder, problem=str(error))
    encoder = manifest.roles.get("encoder")
    return ModelListing(
        name=manifest.name,
        folder=folder,
        roles=tuple(manifest.roles),
        parameters=manifest.parameters,
        bytes=manifest.bytes,
        texts_per_second=encoder.texts_per_second if encoder else None,
        licence=manifest.licence,
    )


def _folder(where: str | Path) -> Path:
    if where == PACKAGED:
        return PACKAGED_FOLDER
    if isinstance(where, str) and where.startswith(_HUB):
        return _download(where.removeprefix(_HUB))
    return Path(where).expanduser()


def _manifest(folder: Path) -> ModelManifest:
    if folder == PACKAGED_FOLDER and not (folder / MANIFEST).exists():
        raise ModelError(f"this copy of trackdown came without weights: {HOW_TO_ADD}")
    if not folder.is_dir():
        raise ModelError(f"there is no folder {str(folder)!r} with models: {HOW_TO_ADD}")
    if (folder / MANIFEST).exists():
        return read_manifest(folder)
    from trackdown.models.sentence_transformers import read_sentence_transformers

    return read_sentence_transformers(folder)


def _download(name: str) -> Path:
    """The folder of a model on the hub, downloaded if necessary. The only function that uses the network."""
    if not _HUB_NAME.fullmatch(name):
        raise ModelError(f"{_HUB}{name} is not the name of a model: use {_HUB}owner/name")
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ModelError(f"{_HUB}{name} needs the hub's client: {pip_install()} huggingface_hub") from None
    wanted = ["*.json", "*/config.json", "model.onnx", "onnx/model.onnx"]
    try:
        return Path(snapshot_download(name, allow_patterns=wanted))
    except Exception as error:
        # The client raises its own errors, its HTTP library's and the operating system's.
        reason = str(error).strip().partition("\n")[0]
        raise ModelError(f"{_HUB}{name} cannot be fetched ({reason}): check the name and the network") from None
