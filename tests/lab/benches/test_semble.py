"""semble's annotations → tasks, on small repositories with a state after the pinned one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.errors import UsageError
from trackdown.lab.benches.semble import infer_category, read_semble, resolve_target
from trackdown.lab.cases import CodeLocation
from trackdown.lab.tasks import Bench


class Data:
    """A folder of annotations beside a folder of clones."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repo = Repo(root / "clones" / "ada" / "Engine")
        self.revision = self.repo.commit(
            "first",
            {
                "src/engine/cog.py": "def turn():\n    pass\n",
                "src/engine/io/card.py": "def read_card():\n    pass\n",
                "src/engine/table.csv": "a,b\n",
                "tests/test_cog.py": "def test_turn():\n    pass\n",
            },
        )
        self.repo.commit(
            "second", {"src/engine/cog.py": "def turn_around():\n    pass\n", "src/engine/late.py": "x = 1\n"}
        )
        self.specification: dict[str, Any] = {
            "name": "engine",
            "language": "python",
            "url": "https://example.org/ada/engine.git",
            "revision": self.revision,
            "benchmark_root": "src/engine",
        }
        (root / "semble" / "annotations").mkdir(parents=True)

    def write(self, items: object, name: str = "engine", repos: object = None) -> None:
        listing = [self.specification] if repos is None else repos
        (self.root / "semble" / "repos.json").write_text(json.dumps(listing))
        (self.root / "semble" / "annotations" / f"{name}.json").write_text(json.dumps(items))

    def read(self, *, strict: bool = False) -> Bench:
        return read_semble(self.root / "semble" / "annotations", self.root / "clones", "{owner}/{name}", strict=strict)


@pytest.fixture
def data(tmp_path: Path) -> Data:
    return Data(tmp_path)


def question(relevant: list[object], secondary: list[object] | None = None, **more: object) -> dict[str, object]:
    return {"query": "how does a cog turn", "relevant": relevant, "secondary": secondary or [], **more}


def reasons(bench: Bench) -> Counter[str]:
    return Counter(case.reason for case in bench.skipped)


def test_an_item_becomes_a_task_at_the_pinned_revision(data: Data) -> None:
    span = {"path": "src/engine/io/card.py", "start_line": 1, "end_line": 2}
    data.write([question(["src/engine/cog.py"], [span, "src/engine/cog.py"], category="architecture")])
    bench = data.read(strict=True)
    (task,) = bench.tasks
    assert task.gold == (CodeLocation("src/engine/cog.py"), CodeLocation("src/engine/io/card.py"))
    assert (task.id, task.repository, task.level, task.category) == (
        "engine/1",
        "engine",
        "file",
        "python/architecture",
    )
    assert (task.at, task.folder, task.roles) == (data.revision, "src/engine", True)
    assert task.place == str(data.repo.root)
    assert bench.metrics[0] == "nDCG@10"


def test_the_engine_finds_what_a_task_asks_for(
    data: Data, open_repo: Callable[[Path | str], trackdown.Repository]
) -> None:
    data.write([question(["src/engine/cog.py"])])
    (task,) = data.read().tasks
    results = open_repo(task.place).search(task.query, k=3, level=task.level, at=task.at)
    assert results[0].path == task.gold[0].path


def test_targets_that_are_not_searched_do_not_count(data: Data) -> None:
    data.write([question(["src/engine/cog.py"], ["src/engine/gone.py", "tests/test_cog.py", "src/engine/late.py"])])
    bench = data.read(strict=True)
    assert bench.tasks[0].gold == (CodeLocation("src/engine/cog.py"),)
    assert bench.remarks == {"targets that do not exist": 3}


def test_a_file_that_our_rules_leave_out_still_counts(data: Data) -> None:
    data.write([question(["src/engine/table.csv"])])
    assert data.read(strict=True).tasks[0].gold == (CodeLocation("src/engine/table.csv"),)


def test_a_question_without_any_target_is_left_out(data: Data) -> None:
    data.write([question(["nowhere.py"]), question([]), question(["src/engine/cog.py"])])
    bench = data.read()
    assert [task.id for task in bench.tasks] == ["engine/3"]
    assert reasons(bench) == {"no existing target": 2}
    assert "nowhere.py" in bench.skipped[0].detail
    with pytest.raises(UsageError, match=r"engine\.json, item 1.*nowhere\.py"):
        data.read(strict=True)


def test_no_root_means_the_whole_repository(data: Data) -> None:
    del data.specification["benchmark_root"]
    data.write([question(["tests/test_cog.py"])])
    (task,) = data.read().tasks
    assert task.folder == "" and task.gold == (CodeLocation("tests/test_cog.py"),)


def test_paths_match_at_a_slash() -> None:
    paths = {"src/engine/cog.py", "src/engine/io/cog.py", "src/engine/card.py"}
    assert resolve_target("src/engine/cog.py", paths) == ("src/engine/cog.py", False)
    assert resolve_target("checkout/src/engine/cog.py", paths) == ("src/engine/cog.py", False)
    assert resolve_target("engine/card.py", paths) == ("src/engine/card.py", False)
    assert resolve_target("io\\cog.py", paths) == ("src/engine/io/cog.py", False)
    assert resolve_target("cog.py", paths) == ("src/engine/cog.py", True)
    assert resolve_target("og.py", paths) == ("", False)
    assert resolve_target("", paths) == resolve_target("/", paths) == ("", False)


def test_a_category_that_is_missing_is_inferred() -> None:
    assert infer_category("turn_cog") == "symbol"
    assert infer_category("How does it turn") == "architecture"
    assert infer_category("turning of cogs") == "semantic"


def test_several_repositories_may_share_a_file(data: Data) -> None:
    data.write([question(["src/engine/cog.py"], repo="engine"), question(["x.py"], repo="loom")], name="mixed")
    bench = data.read()
    assert [task.repository for task in bench.tasks] == ["engine"]
    assert reasons(bench) == {"unknown repository": 1}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"url": "https://example.org/ada/loom.git", "name": "engine"}, "unknown repository"),
        ({"revision": "0" * 40}, "commit not in the clone"),
        ({"revision": "--all"}, "commit not in the clone"),
        ({"revision": None}, "malformed file"),
        ({"url": 3}, "malformed file"),
        ({"url": "https://example.org/../.."}, "unknown repository"),
        ({"benchmark_root": ["src"]}, "malformed file"),
        ({"benchmark_root": "lib"}, "no existing target"),
    ],
)
def test_a_repository_that_cannot_be_searched(data: Data, change: dict[str, object], reason: str) -> None:
    if change.get("url"):
        data.repo.root.rename(data.root / "clones" / "ada" / "moved")
    data.write([question(["src/engine/cog.py"])], repos=[data.specification | change])
    bench = data.read()
    assert not bench.tasks and reasons(bench) == {reason: 1}
    assert bench.skipped[0].repository == "engine"
    with pytest.raises(UsageError, match=r"engine\.json, item 1"):
        data.read(strict=True)


def test_a_clone_may_bear_sembles_own_name(data: Data) -> None:
    data.write([question(["src/engine/cog.py"])], repos=[data.specification | {"url": "git@example.org:ada/babbage"}])
    assert len(data.read(strict=True).tasks) == 1


@pytest.mark.parametrize(
    "item",
    [
        "text",
        {"relevant": ["src/engine/cog.py"]},
        {"query": "  ", "relevant": ["src/engine/cog.py"]},
        {"query": "cog", "relevant": "src/engine/cog.py"},
        {"query": "cog", "relevant": [{"start_line": 1}]},
        {"query": "cog", "relevant": [None]},
        {"query": "cog", "relevant": ["src/engine/cog.py"], "repo": 7},
    ],
)
def test_a_malformed_item_is_named(data: Data, item: object) -> None:
    data.write([question(["src/engine/cog.py"]), item])
    bench = data.read()
    assert [case.id for case in bench.skipped] == ["engine/2"] and len(bench.tasks) == 1
    with pytest.raises(UsageError, match=r"engine\.json, item 2"):
        data.read(strict=True)


def test_a_file_cut_short_is_left_out(data: Data) -> None:
    data.write([question(["src/engine/cog.py"]), question(["src/engine/cog.py"])])
    path = data.root / "semble" / "annotations" / "engine.json"
    path.write_text(path.read_text()[:-30])
    bench = data.read()
    assert not bench.tasks and reasons(bench) == {"malformed file": 1}


@pytest.mark.parametrize("content", [b"{}", b"", b"\xff\xfe\xfd", b"nonsense"])
def test_a_file_that_holds_no_list_is_named(data: Data, content: bytes) -> None:
    data.write([question(["src/engine/cog.py"])])
    (data.root / "semble" / "annotations" / "loom.json").write_bytes(content)
    bench = data.read()
    assert len(bench.tasks) == 1 and [case.id for case in bench.skipped] == ["loom"]
    with pytest.raises(UsageError, match=r"loom\.json"):
        data.read(strict=True)


def test_the_folder_above_and_a_listing_within_will_do(data: Data) -> None:
    data.write([question(["src/engine/cog.py"])])
    folder = data.root / "semble"
    clones = data.root / "clones"
    assert len(read_semble(folder, clones, "{owner}/{name}", strict=True).tasks) == 1
    (folder / "repos.json").rename(folder / "annotations" / "repos.json")
    assert len(read_semble(folder / "annotations", clones, "{owner}/{name}", strict=True).tasks) == 1


def test_what_cannot_be_read_at_all_is_an_error(data: Data) -> None:
    clones = data.root / "clones"
    with pytest.raises(UsageError, match=r"no repos\.json"):
        read_semble(data.root / "semble", clones, "{name}", strict=False)
    data.write([])
    (data.root / "semble" / "annotations" / "engine.json").unlink()
    with pytest.raises(UsageError, match="no annotations"):
        data.read()
    with pytest.raises(UsageError, match="not a folder"):
        read_semble(data.root / "missing", clones, "{name}", strict=False)
