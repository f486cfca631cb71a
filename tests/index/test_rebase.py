"""A new base for an index that has drifted from its own: nothing but the cost of updates changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from tests.index.edits import Editor, answers
from trackdown.index.blob_facts import BLOBS
from trackdown.index.code_segment import CodeSegment
from trackdown.index.code_update import CODE_MANIFESTS, CodeManifest
from trackdown.index.rebase import needs_new_base, rebase_code
from trackdown.settings import Settings
from trackdown.store.store import Store

Opener = Callable[[Path | str], trackdown.Repository]


def latest(settings: Settings) -> tuple[str, CodeManifest]:
    """The key and the manifest of the index that was used last."""
    store = Store(settings.store)
    key, value, _ = next(iter(store.database.records(CODE_MANIFESTS)))
    store.close()
    return key, msgspec.json.decode(value, type=CodeManifest)


@pytest.fixture
def store(settings: Settings) -> Store:
    return Store(settings.store)


@pytest.fixture
def drifted(repo: Repo, open_repo: Opener) -> Repo:
    """A repository whose index has a delta with new, changed, deleted and unreadable files."""
    editor = Editor(repo, 5)
    with open_repo(repo.root) as opened:
        opened.search("parse")
        editor.add("lib/new.py")
        repo.write("app/core/parse.py", editor.content())
        (repo.root / "app/core/cookie.py").unlink()
        repo.write("docs/spoilt.py", b"\0binary")
        opened.search("parse")
    return repo


def test_the_new_base_is_the_first_index_of_the_same_files(
    drifted: Repo, open_repo: Opener, settings: Settings, store: Store, tmp_path: Path
) -> None:
    with open_repo(drifted.root) as opened:
        expected = answers(opened)
    key, manifest = latest(settings)
    assert manifest.delta is not None and manifest.dead
    made = rebase_code(store, key, manifest.repository)
    assert made is not None
    after = latest(settings)[1]
    assert (after.base, after.delta, after.dead) == (f"code-{key}", None, [])
    with trackdown.open(drifted.root, settings=replace(settings, store=tmp_path / "fresh")) as fresh:
        (clean,) = fresh.corpus().code.segments
        for name, array in clean.arrays.items():
            assert np.array_equal(made.segments[0].arrays[name], array), name
    with open_repo(drifted.root) as opened:
        assert answers(opened) == expected
        (present,) = opened.corpus().code.segments
        assert present.name == f"code-{key}"


def test_the_next_update_builds_on_the_new_base(
    drifted: Repo, open_repo: Opener, settings: Settings, store: Store
) -> None:
    key, manifest = latest(settings)
    assert rebase_code(store, key, manifest.repository) is not None
    drifted.write("lib/newer.py", "def parse_newer():\n    return 1\n")
    with open_repo(drifted.root) as opened:
        assert opened.search("parse_newer", k=1).results[0].symbol == "parse_newer"
        base, delta = opened.corpus().code.segments
    assert base.name == f"code-{key}"
    assert [path for path, _ in delta.files()] == ["lib/newer.py"]


def test_nothing_is_written_where_a_new_base_would_be_wrong_or_needless(
    drifted: Repo, settings: Settings, store: Store
) -> None:
    key, manifest = latest(settings)
    assert rebase_code(store, "no such key", manifest.repository) is None
    assert rebase_code(store, key, "another repository") is None
    assert latest(settings)[1] == manifest
    assert manifest.delta is not None
    arrays = store.open_arrays(manifest.delta)
    assert arrays is not None
    store.database.delete_facts(BLOBS, [fact for _, fact in CodeSegment(arrays).files()])
    assert rebase_code(store, key, manifest.repository) is None
    store.delete_arrays(manifest.delta)
    assert rebase_code(store, key, manifest.repository) is None
    assert latest(settings)[1] == manifest


def test_a_new_base_is_needed_when_many_files_differ(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {f"src/m{number}.py": f"def parse_{number}(): pass\n" for number in range(80)})
    with open_repo(repo.root) as opened:
        assert not needs_new_base(opened.corpus().code)
        for number in range(48):
            repo.write(f"src/m{number}.py", f"def render_{number}(): pass\n")
        assert not needs_new_base(opened.corpus().code)
        repo.write("src/m50.py", "def render_50(): pass\n")
        code = opened.corpus().code
        assert len(code.segments) == 2 and needs_new_base(code)
