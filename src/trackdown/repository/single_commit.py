"""One commit as a file: a git pack of the commit, its trees and its blobs, and a bare repository made from such a pack.

The repository is shallow: it has the files of the commit, and none of its past.
"""

from __future__ import annotations

from pathlib import Path

from trackdown.repository.git import Git, base_command, check_version, run
from trackdown.repository.source import Source

_BRANCH = "refs/heads/published"


def pack_commit(source: Source, commit: str, path: Path, max_bytes: int) -> None:
    """Write a commit with its trees, and its blobs of less than `max_bytes`, to a file. Raises GitError."""
    assert source.git is not None
    listed = source.git.run("rev-list", "--objects", "--no-walk", f"--filter=blob:limit={max_bytes + 1}", commit)
    oids = b"".join(line.split(b" ", 1)[0] + b"\n" for line in listed.splitlines() if not line.startswith(b"~"))
    packing = ("pack-objects", "--stdout", "--quiet", "--threads=1", "--window=0", "--no-reuse-delta")
    path.write_bytes(source.git.run(*packing, stdin=oids))


def unpack_commit(pack: Path, folder: Path, commit: str, object_format: str) -> None:
    """Make a bare repository in a new folder from a pack of one commit. Raises GitError if the pack is damaged."""
    check_version()
    folder.mkdir(parents=True)
    here = [*base_command(), f"--git-dir={folder}"]
    run([*here, "init", "--quiet", "--bare", f"--object-format={object_format}"], cwd=folder)
    git = Git(folder)
    git.run("index-pack", "--stdin", "--threads=1", stdin=pack.read_bytes())
    (folder / "shallow").write_text(f"{commit}\n", "ascii")
    branch = folder / _BRANCH
    branch.parent.mkdir(parents=True, exist_ok=True)
    branch.write_text(f"{commit}\n", "ascii")
    (folder / "HEAD").write_text(f"ref: {_BRANCH}\n", "ascii")
