"""Which paths are left out by rule: .trackdownignore, and names that tell generated files and data.

.gitignore is git's own business where there is a repository; a plain folder's is read here. `.trackdownignore` has the
syntax of .gitignore, may stand in any folder, and its `!` patterns bring back what any other rule leaves out.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping

from pathspec import GitIgnoreSpec

IGNORE_FILE = ".trackdownignore"

_GENERATED_NAMES = frozenset({
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "poetry.lock", "uv.lock",
    "Pipfile.lock", "pdm.lock", "Cargo.lock", "composer.lock", "Gemfile.lock", "go.sum", "mix.lock", "flake.lock",
    "Package.resolved", "gradle.lockfile",
})  # fmt: skip
_GENERATED_ENDINGS = ("_pb2.py", "_pb2_grpc.py", ".pb.go", ".pb.cc", ".pb.h", ".g.dart", ".designer.cs", ".snap")
_MINIFIED_ENDINGS = (".min.js", ".min.css", ".min.mjs", ".bundle.js", "-min.js", ".js.map", ".css.map", ".mjs.map")
_DATA_ENDINGS = (".po", ".pot", ".svg", ".csv", ".tsv", ".ipynb", ".geojson", ".patch", ".diff", ".log", ".jsonl")
_BINARY_ENDINGS = (
    ".png", ".jpg", ".jpeg", ".gif", ".ico", ".webp", ".bmp", ".tiff", ".pdf", ".zip", ".gz", ".bz2", ".xz", ".zst",
    ".tar", ".jar", ".war", ".class", ".so", ".dll", ".dylib", ".exe", ".o", ".a", ".pyc", ".mo", ".woff", ".woff2",
    ".ttf", ".otf", ".eot", ".mp3", ".mp4", ".ogg", ".wav", ".webm", ".avi", ".mov", ".npy", ".npz", ".parquet",
    ".sqlite", ".db", ".bin", ".onnx", ".pt", ".pkl", ".h5", ".wasm", ".psd", ".gpkg", ".dbf", ".shp", ".tif",
)  # fmt: skip


def reason_by_name(path: str) -> str:
    """The rule that leaves a file out for its name alone, or an empty string."""
    lower = path.lower()
    if path.rsplit("/", 1)[-1] in _GENERATED_NAMES or lower.endswith(_GENERATED_ENDINGS):
        return "generated"
    if lower.endswith(_MINIFIED_ENDINGS):
        return "minified"
    if lower.endswith(_DATA_ENDINGS):
        return "data"
    return "binary" if lower.endswith(_BINARY_ENDINGS) else ""


def read_patterns(text: str) -> GitIgnoreSpec:
    """The text of an ignore file → what it matches. Like git, passes over lines that are no pattern."""
    lines = text.removeprefix("\ufeff").splitlines()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of the pattern's own brackets
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True


class IgnoreRules:
    """Ignore files of a snapshot, by the folder they stand in ('' for the root)."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._specs = {folder: read_patterns(text) for folder, text in texts.items()}
        self.brings_back = any(line.lstrip().startswith("!") for text in texts.values() for line in text.splitlines())

    def verdict(self, path: str) -> bool | None:
        """True when a path is ignored, False when a `!` pattern brings it back, None when nothing matches."""
        if not self._specs:
            return None
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            spec = self._specs.get(folder)
            if spec is not None:
                found = spec.check_file(path[len(folder) + 1 :] if folder else path).include
                if found is not None:
                    return found
        return None

    def judge(self, path: str) -> tuple[str, bool]:
        """(reason to leave a path out or '', whether it is forced in past the rules on content)."""
        verdict = self.verdict(path)
        if verdict is True:
            return "ignored", False
        if verdict is False:
            return "", True
        return reason_by_name(path), False
