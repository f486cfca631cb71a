"""Rules that exclude paths: .trackdownignore, and the names of likely secrets, generated files and data.

In a repository git itself applies .gitignore; in a plain folder we do. `.trackdownignore` has the syntax of .gitignore,
may be in any folder, and its `!` patterns bring back what any other rule excludes.
"""

from __future__ import annotations

from collections.abc import Mapping

from trackdown.repository.likely_secrets import may_be_secret
from trackdown.repository.patterns import IgnorePatterns, PatternBudget

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
    if may_be_secret(path):
        return "secret"
    lower = path.lower()
    if path.rsplit("/", 1)[-1] in _GENERATED_NAMES or lower.endswith(_GENERATED_ENDINGS):
        return "generated"
    if lower.endswith(_MINIFIED_ENDINGS):
        return "minified"
    if lower.endswith(_DATA_ENDINGS):
        return "data"
    return "binary" if lower.endswith(_BINARY_ENDINGS) else ""


class IgnoreRules:
    """The ignore files of a snapshot, by their folder ('' for the root). They share one budget, outer folders first."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._budget = PatternBudget()
        self._patterns: dict[str, IgnorePatterns] = {}
        for folder in sorted(texts, key=lambda folder: (folder.count("/") + bool(folder), folder)):
            self.add(folder, texts[folder])
        self.brings_back = any(patterns.brings_back for patterns in self._patterns.values())

    @property
    def notes(self) -> list[str]:
        """What users should know: which ignore files have too many or too long patterns."""
        return [
            f"{folder}/{IGNORE_FILE}".lstrip("/")
            + f" has too many wildcards or too long lines: {patterns.dropped} patterns are not obeyed"
            for folder, patterns in self._patterns.items()
            if patterns.dropped
        ]

    def add(self, folder: str, text: str) -> None:
        """Add the ignore file of another folder."""
        self._patterns[folder] = IgnorePatterns(text, self._budget)

    def ignores(self, path: str, *, is_folder: bool = False) -> bool | None:
        """True when a path is ignored, False when a `!` pattern brings it back, None when nothing matches."""
        if not self._patterns:
            return None
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            patterns = self._patterns.get(folder)
            if patterns is not None:
                name = path[len(folder) + 1 :] if folder else path
                found = patterns.ignores(name, is_folder=is_folder)
                if found is not None:
                    return found
        return None

    def decide(self, path: str) -> tuple[str, bool]:
        """(reason to exclude a path or '', whether a `!` pattern forces it in, past the rules on content)."""
        ignored = self.ignores(path)
        if ignored is None:
            return reason_by_name(path), False
        return ("ignored", False) if ignored else ("", True)
