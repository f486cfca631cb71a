"""Code that is in a repository and not of it: copies of other projects, and what programs wrote.

A search may well look there; a model must not learn from it, since the same copies stand in many repositories. So these
rules are wider than those of the index, and err on the side of leaving out.
"""

from __future__ import annotations

import re
from functools import lru_cache

from trackdown.repository.ignore import reason_by_name

_FOLDERS = frozenset({
    "vendor", "vendors", "vendored", "_vendor", "node_modules", "bower_components", "jspm_packages", "third_party",
    "third-party", "thirdparty", "3rdparty", "3rd_party", "3rd-party", "extern", "external", "externals", "godeps",
    "pods", "carthage", "site-packages", "dist-packages", "bundled", ".yarn", "dist", "generated", "__generated__",
    "_generated", "autogen",
})  # fmt: skip
_NAMES = re.compile(
    r"[a-z]+(?:[.-][a-z]+)*[-.]v?\d+\.\d[\w.]*(?:[-.](?:slim|full|all|min|bundle))*\.(?:js|css)"  # jquery-3.7.1.js
    r"|(?:.*[._-])?(?:generated|autogen)\.\w+|.*[._-]gen\.\w+|zz_generated.*|.*\.(?:pb|g|designer)\.\w+"
    r"|.*_pb2?(?:_grpc)?\.\w+|.*\.(?:bundle|chunk|prod|umd|iife)\.js",
    re.IGNORECASE,
)
_WRITTEN_BY_A_PROGRAM = re.compile(
    rb"^[\s#/*;%\"'<!-]*(?:(?:this (?:file|code|class|module)|file|code) (?:is |was |has been )?)?"
    rb"(?:auto-?|automatically |machine[ -]?)?generated\W+(?:by|from|file|code|with|using|on|at|automatically|via)\b"
    rb"|<auto-?generated|@generated\b|this (?:file|code|class|module) (?:is|was|has been) (?:auto-?|automatically |"
    rb"machine[ -]?)generated|do not (?:edit|modify) (?:this file|by hand|directly|manually)|a bison parser, made by",
    re.IGNORECASE | re.MULTILINE,
)
_WITHIN = 600


@lru_cache(maxsize=4096)
def is_foreign(path: str) -> bool:
    """Whether a path says that its file is a copy of another project's, minified, or written by a program."""
    *folders, name = path.split("/")
    if any(folder.lower() in _FOLDERS for folder in folders):
        return True
    return bool(reason_by_name(path)) or _NAMES.fullmatch(name) is not None


def is_written_by_a_program(data: bytes) -> bool:
    """Whether a file's first lines say so."""
    return _WRITTEN_BY_A_PROGRAM.search(data, 0, _WITHIN) is not None


__all__ = ["is_foreign", "is_written_by_a_program"]
