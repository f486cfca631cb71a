"""A search imports what it needs and nothing else: that is most of the time of a short command."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.conftest import Repo
from trackdown.settings import Settings

_HEAVY = {
    "distributed",
    "filelock",
    "httpx",
    "lancedb",
    "obstore",
    "pyarrow",
    "onnxruntime",
    "rich",
    "tokenizers",
    "tree_sitter",
}


def test_a_fast_search_of_what_is_indexed_needs_no_models_parsers_or_locks(repo: Repo, settings: Settings) -> None:
    repo.commit("Begin", {"a.py": "def parse():\n    pass\n"})
    environment = os.environ | {"TRACKDOWN_STORE": str(settings.store)}
    script = (
        "import sys; from trackdown.surfaces.cli.main import main\n"
        f"try: main(['search', 'parse', {str(repo.root)!r}, '--effort', 'fast', '--format', 'json'])\n"
        "finally: print(*sorted(sys.modules), file=sys.stderr)"
    )
    for _ in range(2):
        ran = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert '"symbol":"parse"' in ran.stdout, ran.stderr
    loaded = ran.stderr.splitlines()[-1].split()
    assert not _HEAVY & {name.partition(".")[0] for name in loaded}
    assert not [name for name in loaded if name.startswith("trackdown.fleet")]
