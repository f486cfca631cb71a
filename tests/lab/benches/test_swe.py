"""SWE-bench-shaped data: truth comes from real patches of real repositories, and no row is lost unsaid."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from tests.lab.benches.issues import Clones, Row
from trackdown.errors import UsageError
from trackdown.lab.benches.swe import read_swe
from trackdown.lab.cases import CodeLocation
from trackdown.lab.tasks import Bench
from trackdown.types import Level

BOX_PY = '''"""Boxes."""

LIMIT = 3


class Box:
    """Holds things."""

    def open(self):
        return self.lid

    def close(self):
        def inner():
            return 1
        return inner()


def stack(boxes):
    return list(boxes)
'''
CART_JS = """export class Cart {
  add(item) {
    this.items.push(item);
  }

  total() {
    return this.items.length;
  }
}

export function empty() {
  return new Cart();
}
"""
BANK_JAVA = """package bank;

public class Bank {
    private int balance;

    public int deposit(int amount) {
        balance += amount;
        return balance;
    }

    static class Vault {
        void lock() {
            locked = true;
        }
    }
}
"""
STORE_GO = """package store

type Store struct {
	items []string
}

func (s *Store) Add(item string) {
	s.items = append(s.items, item)
}

func Open() *Store {
	return &Store{}
}
"""
FILES = {
    "box.py": BOX_PY,
    "lib/cart.js": CART_JS,
    "src/Bank.java": BANK_JAVA,
    "store.go": STORE_GO,
    "notes.md": "# Notes\n",
}
ISSUE = "It does not work\n\nAt all."


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    return Clones(tmp_path)


def read(clones: Clones, *rows: Row | str, level: Level = "function", strict: bool = False) -> Bench:
    return read_swe(clones.write(*rows), clones.folder, "{owner}/{name}", level, strict=strict)


def gold(bench: Bench) -> list[list[str]]:
    return [[str(place) for place in task.gold] for task in bench.tasks]


def skipped(bench: Bench) -> dict[str, str]:
    return {case.id: case.reason for case in bench.skipped}


@pytest.mark.parametrize(
    ("path", "old", "new", "function", "class_"),
    [
        ("box.py", "return self.lid", "return not self.lid", "Box.open", "Box"),
        ("box.py", "return list(boxes)", "return tuple(boxes)", "stack", None),
        ("box.py", "LIMIT = 3", "LIMIT = 4", None, None),
        ("box.py", '    """Holds things."""', '    """Holds many things."""', None, "Box"),
        ("lib/cart.js", "this.items.length", "this.items.size", "Cart.total", "Cart"),
        ("lib/cart.js", "new Cart()", "new Cart([])", "empty", None),
        ("src/Bank.java", "balance += amount", "balance -= amount", "Bank.deposit", "Bank"),
        ("src/Bank.java", "locked = true", "locked = false", "Bank.Vault.lock", "Bank.Vault"),
        ("store.go", "append(s.items, item)", "append(s.items, item, item)", "Store.Add", "Store"),
        ("store.go", "&Store{}", "new(Store)", "Open", None),
        ("notes.md", "# Notes", "# Other notes", None, None),
    ],
)
def test_truth_is_what_the_patch_edits_in_any_language(
    clones: Clones, path: str, old: str, new: str, function: str | None, class_: str | None
) -> None:
    repo = clones.repo("ada/shop")
    base = repo.commit("Begin", FILES)
    row = clones.fix(repo, "shop-1", ISSUE, {path: FILES[path].replace(old, new)})
    (task,) = read(clones, row, level="file").tasks
    assert task.gold == (CodeLocation(path),)
    assert (task.id, task.query, task.at, task.repository, task.level) == ("shop-1", ISSUE, base, "ada/shop", "file")
    assert task.place == str(clones.folder / "ada/shop") and task.depth == 100 and task.roles
    for level, symbol in (("function", function), ("class", class_)):
        bench = read(clones, row, level=level)  # type: ignore[arg-type]
        assert gold(bench) == ([[f"{path}:{symbol}"]] if symbol else [])
        assert skipped(bench) == ({} if symbol else {"shop-1": f"no {level} of the base commit is edited"})


def test_a_new_file_is_no_truth_and_a_renamed_one_has_its_old_name(clones: Clones) -> None:
    repo = clones.repo("ada/shop")
    repo.commit("Begin", FILES)
    only_new = clones.fix(repo, "new", ISSUE, {"new.py": "def fresh():\n    pass\n"})
    changed = {"store2.go": STORE_GO.replace("&Store{}", "new(Store)"), "other.py": "x = 1\n"}
    renamed = clones.fix(repo, "renamed", ISSUE, changed, moved={"store.go": "store2.go"})
    assert "rename from store.go" in renamed["patch"]
    moved_only = clones.fix(repo, "moved", ISSUE, {}, moved={"box.py": "crate.py"})
    repo.git("rm", "-q", "lib/cart.js")
    base = repo.git("rev-parse", "HEAD")
    repo.commit("Drop the cart")
    deleted = clones.row(repo, "deleted", ISSUE, base)
    added = clones.fix(
        repo, "added", ISSUE, {"crate.py": BOX_PY.replace("def stack", "def unstack(boxes):\n    pass\n\n\ndef stack")}
    )
    rows = [only_new, renamed, moved_only, deleted, added]
    functions = read(clones, *rows)
    assert {task.id: [str(place) for place in task.gold] for task in functions.tasks} == {
        "renamed": ["store.go:Open"],
        "deleted": ["lib/cart.js:Cart.add", "lib/cart.js:Cart.total", "lib/cart.js:empty"],
    }
    assert set(skipped(functions)) == {"new", "moved", "added"}
    files = read(clones, *rows, level="file")
    assert {task.id: [str(place) for place in task.gold] for task in files.tasks} == {
        "renamed": ["store.go"],
        "moved": ["box.py"],
        "deleted": ["lib/cart.js"],
        "added": ["crate.py"],
    }
    assert skipped(files) == {"new": "no file of the base commit is edited"}


def test_a_patch_that_was_stripped_of_blank_context_is_whole(clones: Clones) -> None:
    repo = clones.repo("ada/shop")
    repo.commit("Begin", FILES)
    row = clones.fix(repo, "1", ISSUE, {"lib/cart.js": CART_JS.replace("this.items.length", "this.items.size")})
    assert row["patch"].endswith("\n }\n \n")
    shorter = clones.fix(repo, "2", ISSUE, {"box.py": BOX_PY.replace("return self.lid", "return 1")})
    shorter["patch"] = shorter["patch"][: shorter["patch"].index("     def close")]
    assert gold(read(clones, row | {"patch": row["patch"].strip()})) == [["lib/cart.js:Cart.total"]]
    for patch in (shorter["patch"].strip(), row["patch"].strip() + "\n+"):
        assert skipped(read(clones, shorter | {"patch": patch})) == {"2": "unreadable gold"}


def test_named_entities_are_taken_without_classes_at_function_level(clones: Clones) -> None:
    repo = clones.repo("ada/shop")
    repo.commit("Begin", FILES)
    row = clones.fix(repo, "1", ISSUE, {"box.py": BOX_PY.replace("LIMIT = 3", "LIMIT = 4")})
    named = [
        "box.py:Box",
        "box.py:Box.open",
        "src/Bank.java:Bank.deposit",
        "box.py:Box.gone",
        "gone.py:f",
        "box.py:Box.open",
    ]
    row["gold_entities"] = named
    assert gold(read(clones, row)) == [["box.py:Box.open", "src/Bank.java:Bank.deposit"]]
    assert gold(read(clones, row, level="class")) == [["box.py:Box", "src/Bank.java:Bank"]]
    assert gold(read(clones, row, level="file")) == [["box.py"]], "files are those of the patch"
    row["gold_entities"] = repr(named)
    assert gold(read(clones, row)) == [["box.py:Box.open", "src/Bank.java:Bank.deposit"]]
    del row["patch"]
    assert gold(read(clones, row, level="file")) == [["box.py", "src/Bank.java"]], "of which gone.py does not exist"


@pytest.mark.parametrize("entities", [["box.py:Box"], ["gone.py:f"], ["box.py"], ["../box.py:f", "/etc/passwd:f"], []])
def test_a_row_whose_entities_do_not_exist_is_left_out(clones: Clones, entities: list[str]) -> None:
    repo = clones.repo("ada/shop")
    repo.commit("Begin", FILES)
    row = clones.fix(repo, "1", ISSUE, {"box.py": BOX_PY.replace("return list(boxes)", "return boxes")})
    assert gold(read(clones, row)) == [["box.py:stack"]]
    bench = read(clones, row | {"gold_entities": entities})
    assert (gold(bench), skipped(bench)) == ([], {"1": "no function of the base commit is edited"})


def test_named_files_are_taken_if_they_exist(clones: Clones) -> None:
    repo = clones.repo("ada/shop")
    repo.commit("Begin", FILES | {"logo.png": b"\x89PNG\0\0"})
    row = clones.fix(repo, "1", ISSUE, {"box.py": BOX_PY + "\nx = 1\n"})
    row["gold_files"] = ["store.go", "new.py", "logo.png", "store.go", "lib"]
    assert gold(read(clones, row, level="file")) == [["store.go", "logo.png"]]
    bench = read(clones, row | {"gold_files": ["new.py"]}, level="file")
    assert skipped(bench) == {"1": "no file of the base commit is edited"}


def test_every_bad_row_is_named_with_its_reason(clones: Clones) -> None:
    repo = clones.repo("ada/shop")
    repo.commit("Begin", FILES)
    good = clones.fix(repo, "good", ISSUE, {"box.py": BOX_PY.replace("return list(boxes)", "return boxes")})
    broken = clones.repo("ada/broken")
    gone = broken.commit("Begin", FILES)
    shutil.rmtree(broken.root / ".git" / "objects")
    (broken.root / ".git" / "objects").mkdir()
    (clones.folder / "ada" / "plain").mkdir()
    bench = read(
        clones,
        good,
        '{"instance_id": "cut',
        "[]",
        "[" * 100_000,
        {key: value for key, value in good.items() if key != "problem_statement"} | {"instance_id": "no issue"},
        good | {"instance_id": "blank issue", "problem_statement": " \n"},
        {key: value for key, value in good.items() if key != "instance_id"},
        good | {"instance_id": 7},
        good | {"instance_id": "no base", "base_commit": None},
        good | {"problem_statement": "Another"},
        good | {"instance_id": "unknown repo", "repo": "ada/unknown"},
        good | {"instance_id": "odd repo", "repo": "../../etc"},
        good | {"instance_id": "unknown commit", "base_commit": "0" * 40},
        good | {"instance_id": "branch", "base_commit": "main"},
        good | {"instance_id": "odd commit", "base_commit": "\ud800"},
        good | {"instance_id": "no patch", "patch": None},
        good | {"instance_id": "empty patch", "patch": "\n"},
        good | {"instance_id": "cut patch", "patch": good["patch"][:-40]},
        good | {"instance_id": "other patch", "patch": good["patch"].replace("return list", "return sorted")},
        good | {"instance_id": "bad entities", "gold_entities": "box.py:stack"},
        good | {"instance_id": "number entities", "gold_entities": [3]},
        good | {"instance_id": "broken clone", "repo": "ada/broken", "base_commit": gone},
        good | {"instance_id": "plain folder", "repo": "ada/plain"},
    )
    assert [task.id for task in bench.tasks] == ["good"]
    assert skipped(bench) == {
        "line 2": "unreadable row",
        "line 3": "unreadable row",
        "line 4": "unreadable row",
        "no issue": "missing field",
        "blank issue": "missing field",
        "line 7": "missing field",
        "7": "missing field",
        "no base": "missing field",
        "good'": "duplicate id",
        "unknown repo": "unknown repository",
        "odd repo": "unknown repository",
        "unknown commit": "commit not in the clone",
        "branch": "commit not in the clone",
        "odd commit": "commit not in the clone",
        "no patch": "unreadable gold",
        "empty patch": "unreadable gold",
        "cut patch": "unreadable gold",
        "other patch": "unreadable gold",
        "bad entities": "unreadable gold",
        "number entities": "unreadable gold",
        "broken clone": skipped(bench)["broken clone"],
        "plain folder": "clone cannot be read",
    }
    assert skipped(bench)["broken clone"] in ("clone cannot be read", "commit not in the clone")
    details = {case.id: case.detail for case in bench.skipped}
    assert details["no issue"] == "problem_statement" and details["unknown repo"].startswith(
        "no folder for ada/unknown"
    )
    assert details["bad entities"] == "gold_entities is not a list" and "not JSON" in details["line 2"]
    assert len(bench.tasks) + len(bench.skipped) == 23


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"repo": "ada/unknown"}, "case '1': unknown repository (no folder for ada/unknown in --repos: see --layout)"),
        ({"base_commit": "0" * 40}, "case '1': commit not in the clone (" + "0" * 40 + ")"),
        ({"patch": ""}, "case '1': unreadable gold (there is neither a patch nor gold for this level)"),
        ({"problem_statement": ""}, "case '1': missing field (problem_statement)"),
        ({"gold_entities": []}, "case '1': no function of the base commit is edited"),
    ],
)
def test_the_strict_refuse_the_first_bad_row(clones: Clones, change: Row, words: str) -> None:
    repo = clones.repo("ada/shop")
    repo.commit("Begin", FILES)
    good = clones.fix(repo, "1", ISSUE, {"box.py": BOX_PY.replace("return list(boxes)", "return boxes")})
    assert len(read(clones, good, strict=True).tasks) == 1
    with pytest.raises(UsageError) as caught:
        read(clones, good | change, strict=True)
    assert words in str(caught.value) and "data.jsonl" in str(caught.value)


def test_bare_mirrors_layouts_short_ids_and_packed_files(clones: Clones, tmp_path: Path) -> None:
    repo = clones.repo("ada/shop")
    repo.commit("Begin", FILES)
    row = clones.fix(repo, "1", ISSUE, {"box.py": BOX_PY.replace("return list(boxes)", "return boxes")})
    mirrors = tmp_path / "mirrors"
    repo.git("clone", "-q", "--mirror", str(repo.root), str(mirrors / "Ada+shop" / "repo"))
    path = tmp_path / "data.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8-sig") as stream:
        stream.write(json.dumps(row | {"base_commit": row["base_commit"][:10]}) + "\r\n\r\n")
    bench = read_swe(path, mirrors, "{owner}+{name}/repo", "function", strict=True, depth=250)
    (task,) = bench.tasks
    assert (task.at, task.depth, task.place) == (row["base_commit"], 250, str(mirrors / "Ada+shop" / "repo"))
    assert gold(bench) == [["box.py:stack"]]


@pytest.mark.parametrize("level", ["function", "class", "file"])
def test_a_level_names_its_metrics(clones: Clones, level: Level) -> None:
    assert {"MRR", "MAP", "P@1", "Acc@5", "R@10", "nDCG@10"} <= set(read(clones, level=level).metrics)


def test_data_and_clones_that_are_not_there_are_refused(clones: Clones, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*gone.jsonl: No such file"):
        read_swe(tmp_path / "gone.jsonl", clones.folder, "{name}", "file")
    repo = clones.repo("ada/shop")
    repo.commit("Begin", FILES)
    data = clones.write(clones.fix(repo, "1", ISSUE, {"box.py": "x = 1\n"}))
    with pytest.raises(UsageError, match="is not a folder"):
        read_swe(data, tmp_path / "gone", "{name}", "file")
    with pytest.raises(UsageError, match="may hold"):
        read_swe(data, clones.folder, "{owner}/{repo}", "file")
