"""`trackdown mine` as its users run it."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from tests.conftest import Repo
from tests.surfaces.program import Program, alive, finish, wait_for, without_escapes

pytestmark = pytest.mark.slow

CART = '''\
class Cart:
    def add(self, item):
        """Put another item into the cart of a customer."""
        self.items.append(item)

    def first(self):
        return self.items[0]
'''
LAYOUT = "{owner}+{name}/repo"


class Mirrors:
    """Three small repositories, laid out as mirrors are."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.commits: dict[str, str] = {}
        for name in ("ada+shop", "ada+till", "django+django"):
            repo = Repo(root / name / "repo")
            repo.commit("Begin the shop with a cart", {"cart.py": CART})
            repo.commit("Read the manual of carts carefully", {"README.md": "# Cart\n"})
            self.commits[name] = repo.commit(
                f"Take last wares of {name} first", {"cart.py": CART.replace("[0]", "[-1]")}
            )

    def path(self, name: str) -> Path:
        return self.root / name / "repo"

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.write_text(text)
        return path

    def rewritten(self, name: str) -> Path:
        """A file with one message of a repository, written as an issue."""
        path = self.root / f"{name}.parquet"
        texts = ["Carts hand out the wrong ware when asked for the first"]
        pyarrow.parquet.write_table(
            pyarrow.table({"commit_id": [self.commits[name]], "transformed_message_gpt4": texts}), path
        )
        return path


@pytest.fixture(scope="module")
def mirrors(tmp_path_factory: pytest.TempPathFactory) -> Mirrors:
    return Mirrors(tmp_path_factory.mktemp("mirrors"))


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "store", tmp_path, {"TRACKDOWN_TEST_MARK": str(tmp_path)})


def files(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []


def rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return found


def both(stem: str) -> list[str]:
    return [f"{stem}.documents.parquet", f"{stem}.examples.parquet"]


def test_tables_say_what_was_taken_and_what_was_left_out(mirrors: Mirrors, program: Program) -> None:
    run = program(
        "mine",
        "pairs",
        mirrors.path("ada+shop"),
        mirrors.path("ada+till"),
        "--layout",
        LAYOUT,
        "--out",
        "out",
        "--jobs",
        "2",
    )
    assert run.code == 0, run.err
    header, first, second = run.out.splitlines()[:3]
    assert header.split() == "repository commits commit queries docstrings documents records seconds".split()
    assert first.split()[:6] == ["ada/shop", "3", "1", "1", "4", "0"] and second.split()[0] == "ada/till"
    assert "left out" in run.out and "no parent" in run.out and "no unit edited" in run.out
    assert sorted(line.split(":")[0] for line in run.err.splitlines()) == ["ada/shop", "ada/till"]
    assert files(program.folder / "out") == both("ada+shop") + both("ada+till")


def test_json_negatives_and_records(mirrors: Mirrors, program: Program) -> None:
    given: list[str | Path] = [mirrors.path("ada+shop"), "--layout", LAYOUT, "--out", "out", "--format", "json"]
    answer = program("mine", "pairs", *given, "--negatives", "2").json()
    (mined,) = answer["repositories"]
    assert (mined["repository"], mined["records"], mined["examples"]) == ("ada/shop", 0, {"commit": 1, "docstring": 1})
    assert answer["failed"] == [] and answer["dropped"]["no parent"] == 1
    assert {"negatives", "rank"} <= set(rows(program.folder / "out" / "ada+shop.examples.parquet")[0])
    (mined,) = program("mine", "records", *given).json()["repositories"]
    assert (mined["records"], mined["examples"]) == (3, {})
    assert program("mine", "records", *given).json()["repositories"][0]["passed_over"] == ["ada+shop.records.parquet"]


def test_a_manifest(mirrors: Mirrors, program: Program) -> None:
    entries = [{"name": "Ada/Renamed", "path": "ada+shop/repo"}, {"path": "ada+till/repo"}]
    manifest = mirrors.write("manifest.json", json.dumps(entries))
    run = program("mine", "pairs", "--manifest", manifest, "--out", "out", "--max-cases", "5", "--seconds", "9")
    assert run.code == 0, run.err
    assert files(program.folder / "out") == both("Ada+Renamed") + both("repo")


def test_an_excluded_repository_is_refused_before_anything_is_mined(mirrors: Mirrors, program: Program) -> None:
    held_out = mirrors.write("held-out.txt", "# never\nDjango/django\n")
    command: list[str | Path] = [
        "mine",
        "pairs",
        mirrors.path("ada+shop"),
        mirrors.path("django+django"),
        "--out",
        "out",
        "--exclude",
        held_out,
    ]
    program(*command, "--layout", LAYOUT).refused(2, "django/django must not be mined")
    program("mine", "pairs", mirrors.path("ada+shop"), "--out", "out", "--exclude", held_out).refused(
        2, "cannot tell", "ada+shop"
    )
    assert files(program.folder / "out") == []
    run = program("mine", "pairs", mirrors.path("ada+shop"), "--out", "out", "--exclude", held_out, "--layout", LAYOUT)
    assert run.code == 0 and files(program.folder / "out") == both("ada+shop")


def test_a_damaged_list_is_refused(mirrors: Mirrors, program: Program) -> None:
    command: list[str | Path] = [
        "mine",
        "pairs",
        mirrors.path("ada+shop"),
        "--layout",
        LAYOUT,
        "--out",
        "out",
        "--exclude",
    ]
    program(*command, mirrors.write("bad.txt", "django/django\nflask\n")).refused(2, "line 2", "'flask'")
    program(*command, mirrors.write("empty.txt", "\n")).refused(2, "names no repository")
    program(*command, "none.txt").refused(2, "cannot read none.txt")
    assert files(program.folder / "out") == []


def test_of_an_excluded_repository_only_rewritten_commits_and_only_when_allowed(
    mirrors: Mirrors, program: Program
) -> None:
    held_out = mirrors.write("held-out.txt", "django/django\n")
    command: list[str | Path] = [
        "mine",
        "pairs",
        mirrors.path("django+django"),
        "--layout",
        LAYOUT,
        "--out",
        "out",
        "--exclude",
        held_out,
    ]
    chosen: list[str | Path] = ["--issues", mirrors.rewritten("django+django")]
    program(*command, *chosen).refused(2, "must not be mined")
    program(*command, *chosen, "--allow", "django/other").refused(2, "must not be mined")
    program(*command, "--allow", "django/django").refused(2, "--allow needs --exclude and --issues")
    assert files(program.folder / "out") == []
    run = program(*command, *chosen, "--allow", "Django/Django")
    assert run.code == 0, run.err
    (example,) = rows(program.folder / "out" / "django+django.examples.parquet")
    assert example["rewritten"].startswith("Carts hand out")
    documents = rows(program.folder / "out" / "django+django.documents.parquet")
    (answer,) = example["answers"]
    assert documents[answer]["symbol"] == "Cart.first"


def test_one_that_fails_does_not_stop_the_others(mirrors: Mirrors, program: Program) -> None:
    empty = Repo(program.folder / "ada+empty" / "repo").root
    run = program(
        "mine", "pairs", empty, mirrors.path("ada+shop"), "--layout", LAYOUT, "--out", "out", "--format", "json"
    )
    assert run.code == 1 and "1 of 2 repositories could not be mined: ada/empty" in run.err.splitlines()[-1]
    answer = json.loads(run.out)
    assert [mined["repository"] for mined in answer["repositories"]] == ["ada/shop"]
    assert "no commit yet" in answer["failed"][0]["problem"]
    assert files(program.folder / "out") == both("ada+shop")
    program("mine", "pairs", empty, "--out", "out").refused(1, "no commit yet")


def test_what_cannot_be_mined_at_all(mirrors: Mirrors, program: Program) -> None:
    (program.folder / "plain").mkdir()
    program("mine", "pairs", "plain", "--out", "out").refused(2, "plain folder")
    program("mine", "pairs", "none", "--out", "out").refused(1, "no such file or folder")
    program("mine", "pairs", "--out", "out").refused(2, "name repositories")
    program("mine", "pairs", mirrors.path("ada+shop")).refused(2, "--out")
    shop = mirrors.path("ada+shop")
    program("mine", "pairs", shop, "--out", "out", "--layout", "{owner}").refused(2, "layout")
    program("mine", "records", shop, "--out", "out", "--negatives", "3").refused(2, "--negatives")
    program("mine", "pairs", shop, "--out", "out", "--issues", "none.parquet").refused(2, "cannot read none.parquet")
    (program.folder / "file").write_text("x")
    program("mine", "pairs", shop, "--out", "file").refused(2, "cannot write to file")


def test_names_that_steer_a_terminal(program: Program) -> None:
    repo = Repo(program.folder / "x\x1b[31my")
    repo.commit("Begin", {"a\x1b[31m.py": CART})
    run = program("mine", "pairs", repo.root, "--out", "out")
    assert run.code == 0 and "\x1b" not in run.out + run.err


def test_on_a_terminal_lines_stay_and_bars_go(mirrors: Mirrors, program: Program) -> None:
    run = program.on_terminal(
        "mine", "pairs", mirrors.path("ada+shop"), mirrors.path("ada+till"), "--layout", LAYOUT, "--out", "out"
    )
    shown = without_escapes(run.out)
    assert run.code == 0 and "ada/shop: 1 commit queries" in shown and "repositories" in shown


def many_commits(root: Path) -> Path:
    """A repository that takes a while: hundreds of commits to a file of some size."""
    repo = Repo(root)
    code = "".join(f"def f{number}(x):\n    return x + {number}\n\n\n" for number in range(400))
    stream = []
    for number in range(250):
        text = code.replace(f"x + {number % 400}\n", f"x - {number}\n")
        words = [name + "abcdefghij"[number // step % 10] for name, step in (("ware", 1), ("shelf", 10), ("till", 100))]
        message = f"Subtract {' '.join(words)}"
        stream.append(
            f"commit refs/heads/main\ncommitter A <a@b> {1_600_000_000 + number} +0000\n"
            f"data {len(message)}\n{message}\nM 644 inline a.py\ndata {len(text)}\n{text}\n"
        )
    repo.git("fast-import", "--quiet", stdin="".join(stream).encode())
    return root


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_it_leaves_finished_repositories_and_goes_on(
    mirrors: Mirrors, program: Program, number: signal.Signals
) -> None:
    slow = many_commits(program.folder / "ada+slow" / "repo")
    command: list[str | Path] = [
        "mine",
        "pairs",
        mirrors.path("ada+shop"),
        slow,
        "--layout",
        LAYOUT,
        "--out",
        "out",
        "--jobs",
        "1",
    ]
    process = program.start(*command)
    out = program.folder / "out"
    assert wait_for(lambda: files(out) == both("ada+shop"))
    os.kill(process.pid, number)
    run = finish(process)
    if number == signal.SIGINT:
        assert run.code == 130 and run.err.splitlines()[-1] == "trackdown: interrupted"
    assert wait_for(lambda: not alive("TRACKDOWN_TEST_MARK", str(program.folder)))
    assert files(out) == both("ada+shop")
    again = program(*command, "--format", "json")
    mined = {one["repository"]: one for one in again.json()["repositories"]}
    assert mined["ada/shop"]["passed_over"] == both("ada+shop") and mined["ada/slow"]["examples"]["commit"] > 100
    assert files(out) == both("ada+shop") + both("ada+slow")
