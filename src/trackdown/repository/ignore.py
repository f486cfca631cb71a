"""Rules that exclude paths: .trackdownignore, and the names of generated files and data.

In a repository git itself applies .gitignore; in a plain folder we do. `.trackdownignore` has the syntax of .gitignore,
may be in any folder, and its `!` patterns bring back what any other rule excludes.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".trackdownignore"

_GENERATED_NAMES = frozenset(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock poetry.lock uv.lock Pipfile.lock pdm.lock "
    "Cargo.lock composer.lock Gemfile.lock go.sum mix.lock flake.lock Package.resolved gradle.lockfile".split()
)
_GENERATED_ENDINGS = ("_pb2.py", "_pb2_grpc.py", ".pb.go", ".pb.cc", ".pb.h", ".g.dart", ".designer.cs", ".snap")
_MINIFIED_ENDINGS = (".min.js", ".min.css", ".min.mjs", ".bundle.js", "-min.js", ".js.map", ".css.map", ".mjs.map")
_DATA_ENDINGS = (".po", ".pot", ".svg", ".csv", ".tsv", ".ipynb", ".geojson", ".patch", ".diff", ".log", ".jsonl")
_BINARY_ENDINGS = tuple(
    ".png .jpg .jpeg .gif .ico .webp .bmp .tiff .pdf .zip .gz .bz2 .xz .zst .tar .jar .war .class .so .dll .dylib .exe "
    ".o .a .pyc .mo .woff .woff2 .ttf .otf .eot .mp3 .mp4 .ogg .wav .webm .avi .mov .npy .npz .parquet .sqlite .db "
    ".bin .onnx .pt .pkl .h5 .wasm .psd .gpkg .dbf .shp .tif".split()
)


def reason_by_name(path: str) -> str:
    """The rule that excludes a file by its name alone, or an empty string."""
    lower = path.lower()
    if path.rsplit("/", 1)[-1] in _GENERATED_NAMES or lower.endswith(_GENERATED_ENDINGS):
        return "generated"
    if lower.endswith(_MINIFIED_ENDINGS):
        return "minified"
    if lower.endswith(_DATA_ENDINGS):
        return "data"
    return "binary" if lower.endswith(_BINARY_ENDINGS) else ""


def read_patterns(text: str) -> GitIgnoreSpec:
    """Parse an ignore file. Like git, skips lines that are not patterns."""
    from pathspec import GitIgnoreSpec  # few repositories have such a file, and a search should start quickly

    lines = text.removeprefix("\ufeff").splitlines()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # about brackets in the pattern
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True


class IgnoreRules:
    """The ignore files of a snapshot, by their folder ('' for the root)."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._specs = {folder: read_patterns(text) for folder, text in texts.items()}
        self.brings_back = any(line.lstrip().startswith("!") for text in texts.values() for line in text.splitlines())

    def add(self, folder: str, text: str) -> None:
        """Add the ignore file of another folder."""
        self._specs[folder] = read_patterns(text)

    def ignores(self, path: str, *, is_folder: bool = False) -> bool | None:
        """True when a path is ignored, False when a `!` pattern brings it back, None when nothing matches."""
        if not self._specs:
            return None
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            spec = self._specs.get(folder)
            if spec is not None:
                name = path[len(folder) + 1 :] if folder else path
                found = spec.check_file(f"{name}/" if is_folder else name).include
                if found is not None:
                    return found
        return None

    def decide(self, path: str) -> tuple[str, bool]:
        """(reason to exclude a path or '', whether a `!` pattern forces it in, past the rules on content)."""
        ignored = self.ignores(path)
        if ignored is None:
            return reason_by_name(path), False
        return ("ignored", False) if ignored else ("", True)
