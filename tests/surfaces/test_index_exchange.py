"""`trackdown index --export` and `--import` as their users see them."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Repo
from tests.surfaces.program import Program


def test_an_index_travels_from_one_machine_to_another(ready: Program, shop: Repo, tmp_path: Path) -> None:
    file = tmp_path / "shop.shard"
    run = ready("index", "--export", str(file))
    head = shop.git("rev-parse", "HEAD")
    assert run.code == 0 and run.err == "", run.err
    assert run.out.splitlines()[0] == f"Exported commit {head[:10]} of shop to {file}"
    digest = run.out.splitlines()[2].removeprefix("digest ")
    laptop = ready.having(TRACKDOWN_STORE=str(tmp_path / "laptop"))
    answer = laptop("index", "--import", str(file), "--digest", digest, "--format", "json").json()
    assert (answer["digest"], answer["commit"], answer["place"]) == (digest, head, str(file))
    status = laptop("status")
    assert f"commit {head[:10]} from {file}, digest {digest[:16]} (in use)" in status.out
    assert laptop("status", "--format", "json").json()["imported"]["used"] is True
    query = ("search", "where is the session cookie signed?", "-k", "5")
    assert laptop(*query).out == ready(*query).out
    assert laptop("clear", "--imported").code == 0
    assert "imported" not in laptop("status").out


def test_what_cannot_be_is_refused_in_one_line(ready: Program, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    ready("index", "--import", str(tmp_path / "x")).refused(1, "cannot import", "it is not an exported index")
    ready("index", "--import", str(tmp_path / "none")).refused(1, "is not a file")
    ready("index", "--import", "http://example.org/x").refused(2, "not encrypted", "--insecure")
    ready("index", "--import", "x", "--export", "y").refused(2, "cannot be combined")
    ready("index", "--import", "x", "--deep").refused(2, "--import cannot be combined with --at or --deep")
    ready("index", "--export", str(tmp_path / "no" / "y")).refused(1, "cannot write")
    ready("index", "--export", "y", "--digest", "00").refused(2, "go with --import")
    ready("index", "--digest", "00").refused(2, "go with --import")
    ready("index", ".", ".", "--export", "y").refused(2, "one repository")
    ready("clear", "--all", "--imported").refused(2, "leave --imported out")
