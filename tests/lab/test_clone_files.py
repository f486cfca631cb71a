"""A few paths of a commit are judged as its whole snapshot judges them."""

from __future__ import annotations

from tests.conftest import Repo
from trackdown.lab.clone import files_among
from trackdown.repository.blobs import BlobReader
from trackdown.repository.snapshot import commit_snapshot
from trackdown.repository.source import open_source


def test_as_the_snapshot_has_them(repo: Repo) -> None:
    files = {
        ".trackdownignore": "*.txt\n",
        "deep/.trackdownignore": "!kept.txt\nx.py\n",
        "a.txt": "a\n",
        "deep/kept.txt": "a\n",
        "deep/er/kept.txt": "a\n",
        "deep/x.py": "a\n",
        "deep/er/x.py": "a\n",
        "y.py": "a\n",
        "poetry.lock": "a\n",
        "ünder [x]*.py": "a\n",
        "-n": "a\n",
    }
    repo.commit("Begin", files)
    (repo.root / "link.py").symlink_to("y.py")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    repo.git("add", "link.py")
    repo.git("commit", "-qm", "more")
    source = open_source(repo.root)
    assert source.git is not None
    head = repo.git("rev-parse", "HEAD")
    asked = [*files, "link.py", "module", "deep", "none.py", "y.py/none.py"]
    with BlobReader(source.git) as blobs:
        found = files_among(source.git, blobs, head, asked)
        assert files_among(source.git, blobs, head, []) == {}
    assert tuple(sorted(found.values(), key=lambda file: file.path)) == commit_snapshot(source, head).files
