"""manifest.json: the models in a folder, which file has which role, and their sizes.

One file can have several roles: the encoder and the cross-encoder can be two outputs of one graph.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from trackdown.errors import ModelError
from trackdown.models.weights_file import FileEntry
from trackdown.plain_files import read_plain

MANIFEST = "manifest.json"
MANIFEST_VERSION = 1
ROLES = ("static", "encoder", "cross_encoder")


@dataclass(frozen=True, slots=True)
class Role:
    """How a file serves one of `ROLES`.

    `output` names the graph's output; `pooling` is "mean" or "cls" if that output has one vector per token. `tokens`
    names an encoder's output with a vector for each token, of `token_dimensions`. `longest` is the limit of tokens of a
    text or a pair, special tokens included. `longest_query` is the limit of a query, in a pair its share.
    """

    file: str
    tokenizer: str
    parameters: int
    dimensions: int = 0
    output: str = ""
    pooling: str = ""
    longest: int = 0
    longest_query: int = 0
    tokens: str = ""
    token_dimensions: int = 0
    texts_per_second: float | None = None


@dataclass(frozen=True, slots=True)
class ModelManifest:
    """A set of models. `figures` are measurements from when it was made."""

    name: str
    licence: str
    origin: str
    roles: Mapping[str, Role]
    files: Mapping[str, FileEntry]
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return sum(entry.bytes for entry in self.files.values())

    @property
    def parameters(self) -> int:
        """The number of parameters; a file with two roles counts once."""
        return sum({role.file: role.parameters for role in self.roles.values()}.values())

    def model_id(self, role: str) -> str:
        """The name and the beginning of the weights' sha256, so that outputs of two models never mix."""
        return f"{self.name}@{self.files[self.roles[role].file].sha256[:12]}"


def read_manifest(folder: Path) -> ModelManifest:
    """The manifest of a folder. Raises ModelError when it is missing, damaged or of another version."""
    path = folder / MANIFEST
    try:
        content = json.loads(read_plain(path))
        if content["format"] != MANIFEST_VERSION:
            raise ModelError(f"{path} has format {content['format']}, not {MANIFEST_VERSION}: export the models again")
        roles = {str(name): Role(**role) for name, role in content["roles"].items()}
        files = {str(name): FileEntry(**entry) for name, entry in content["files"].items()}
        manifest = ModelManifest(
            str(content["name"]), str(content["licence"]), str(content["origin"]), roles, files, content["figures"]
        )
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): give a folder with models") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} is not a manifest of models ({error!r}): export the models again") from None
    _check_names(path, manifest)
    return manifest


def write_manifest(folder: Path, manifest: ModelManifest) -> None:
    """Write the manifest into a folder that holds its files."""
    content = {"format": MANIFEST_VERSION, **asdict(manifest)}
    (folder / MANIFEST).write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def _check_names(path: Path, manifest: ModelManifest) -> None:
    """Check that every role is known and that every file it needs is listed and inside the folder."""
    for name, role in manifest.roles.items():
        if name not in ROLES:
            raise ModelError(f"{path} has the unknown role {name!r}; known are {', '.join(ROLES)}")
        for file in (role.file, role.tokenizer):
            if file not in manifest.files:
                raise ModelError(f"{path} needs {file!r} for {name}, but does not list it: export the models again")
    for file in manifest.files:
        if Path(file).is_absolute() or ".." in Path(file).parts:
            raise ModelError(f"{path} names {file!r}, which is not inside its folder")
