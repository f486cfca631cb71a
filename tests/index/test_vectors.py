"""Vectors of units: the same wherever a unit stands, kept beside their segment, and never another model's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from tests.index.segments import index_of
from tests.rerank.tiny_models import make_models
from tests.store.limits import nothing_writable
from trackdown.engine.indexing.housekeeping import collect, held
from trackdown.index.blob_facts import BLOBS
from trackdown.index.code import CodeIndex
from trackdown.index.code_update import CODE_MANIFESTS
from trackdown.index.segment_facts import SegmentFacts
from trackdown.index.segmented_vectors import SegmentVectors
from trackdown.index.vectors import (
    UnitVectors,
    build_vectors,
    segment_of_vectors,
    unit_vectors,
    vectors_name,
)
from trackdown.models.registry import open_models
from trackdown.models.static import StaticTable
from trackdown.settings import Settings
from trackdown.store.garbage_collection import drop_manifests
from trackdown.store.store import Store
from trackdown.types import no_progress
from trackdown.units.extraction import extract

Opener = Callable[[Path | str], trackdown.Repository]
FILES = {
    "src/a.py": "def sign(cookie):\n    return cookie\n\n\ndef load(key):\n    return store(key, key, key)\n",
    "src/b.py": "class Session:\n    def parse(self, header):\n        return header\n",
    "docs/web.md": "# Web\n\nThe session of a request.\n",
    "blob.bin": "\0\0",
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> StaticTable:
    found = open_models(make_models(tmp_path_factory.mktemp("models"))).static
    assert found is not None
    return found


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> StaticTable:
    found = open_models(make_models(tmp_path_factory.mktemp("others"), seed=1)).static
    assert found is not None
    return found


@pytest.fixture
def store(settings: Settings) -> Store:
    return Store(settings.store)


def indexed(opened: trackdown.Repository) -> CodeIndex:
    return opened.corpus().code


def cosines(store: Store, code: CodeIndex, table: StaticTable, text: str) -> dict[tuple[str, str], float]:
    """The cosine of every live function and class, by its place."""
    vectors = unit_vectors(store, code, table, {})
    assert vectors is not None
    values = vectors.cosines(vectors.vector(text, dict.fromkeys(text.split(), 1.0)))
    assert len(values) == len(code.unit_file)
    return {
        (code.path(int(code.unit_file[row])), f"{code.symbol(row)}:{code.unit_start[row]}"): float(values[row])
        for row in np.flatnonzero(code.unit_alive).tolist()
    }


def test_what_means_the_same_is_near(repo: Repo, open_repo: Opener, store: Store, table: StaticTable) -> None:
    repo.commit("Begin", FILES)
    found = cosines(store, indexed(open_repo(repo.root)), table, "autograph biscuit")
    assert max(found, key=found.__getitem__) == ("src/a.py", "sign:1")
    assert found == cosines(store, indexed(open_repo(repo.root)), table, "sign cookie")


def test_names_and_paths_count_too(table: StaticTable) -> None:
    code = b"def cookie():\n    pass\n"
    facts = extract(code, "python", forced=False, max_bytes=1 << 20)
    asked = table.words(["cookie", "header"])

    def near(path: str) -> list[float]:
        made = UnitVectors(table, [build_vectors([(path, facts)], table)])
        return [float(made.cosines(word)[0]) for word in asked]

    plain, in_header = near("x.py"), near("header/x.py")
    assert plain[0] > 0.9 and in_header[1] > plain[1] and in_header[0] > 0.5


def test_cosines_are_those_of_the_rows(table: StaticTable) -> None:
    random = np.random.default_rng(3)
    rows = random.integers(-127, 128, (1500, table.dimensions)).astype(np.int8)
    rows[7] = 0
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    scales = np.divide(1.0, lengths, out=np.zeros(len(rows)), where=lengths > 0).astype(np.float32)
    whole = UnitVectors(table, [SegmentVectors(rows, scales)])
    asked = random.standard_normal(table.dimensions).astype(np.float32)
    found = whole.cosines(asked)
    expected = rows.astype(np.float64) @ asked.astype(np.float64) * scales / np.linalg.norm(asked)
    assert np.abs(found - expected).max() < 1e-3 and found[7] == 0
    split = UnitVectors(table, [SegmentVectors(rows[:611], scales[:611]), SegmentVectors(rows[611:], scales[611:])])
    assert np.array_equal(split.cosines(asked), found), "to the last bit, however an index is cut into segments"
    assert not whole.cosines(np.zeros(table.dimensions, dtype=np.float32)).any()


def test_an_edit_costs_its_delta_and_the_answer_is_that_of_a_clean_index(
    repo: Repo, open_repo: Opener, store: Store, table: StaticTable, tmp_path: Path, settings: Settings
) -> None:
    repo.commit("Begin", FILES | {f"src/more{n}.py": f"def get{n}(value):\n    return {n}\n" for n in range(30)})
    opened = open_repo(repo.root)
    cosines(store, indexed(opened), table, "cookie")
    before = set(store.array_names())
    repo.write("src/a.py", "def autumn(value):\n    return cookie(value)\n")
    found = cosines(store, indexed(opened), table, "sign cookie")
    new = [name for name in set(store.array_names()) - before if segment_of_vectors(name)]
    assert len(new) == 1 and (segment_of_vectors(new[0]) or "").startswith("delta-")
    clean = Store(tmp_path / "clean")
    with trackdown.open(repo.root, settings=trackdown.load_settings({"HOME": "/"}, store=tmp_path / "clean")) as fresh:
        assert cosines(clean, indexed(fresh), table, "sign cookie") == found


def test_two_models_never_meet(
    repo: Repo, open_repo: Opener, store: Store, table: StaticTable, other: StaticTable
) -> None:
    repo.commit("Begin", FILES)
    code = indexed(open_repo(repo.root))
    first = cosines(store, code, table, "cookie sign header")
    second = cosines(store, code, other, "cookie sign header")
    assert first != second and cosines(store, code, table, "cookie sign header") == first
    names = [name for name in store.array_names() if segment_of_vectors(name)]
    assert len(names) == 2 and {segment_of_vectors(name) for name in names} == {code.segments[0].name}
    known: dict[str, SegmentVectors] = {}
    for one in (table, other, table):
        vectors = unit_vectors(store, code, one, known)
        assert vectors is not None and vectors.table is one and len(known) == 1


def test_a_file_of_another_model_or_of_other_files_under_this_name_is_not_used(
    repo: Repo, open_repo: Opener, store: Store, table: StaticTable, other: StaticTable
) -> None:
    repo.commit("Begin", FILES)
    code = indexed(open_repo(repo.root))
    right = cosines(store, code, table, "cookie")
    name = vectors_name(code.segments[0].name, table.model_id)
    arrays = store.open_arrays(name)
    assert arrays is not None
    for meta in ({**arrays.meta, "model": other.model_id}, {**arrays.meta, "content": "else"}, {}):
        store.write_arrays(name, {"rows": arrays["rows"] * 0, "scales": arrays["scales"]}, meta)
        assert cosines(store, code, table, "cookie") == right
    store.write_arrays(name, {"rows": arrays["rows"][:1], "scales": arrays["scales"][:1]}, arrays.meta)
    assert cosines(store, code, table, "cookie") == right


def test_damaged_and_removed_files_are_made_again(
    repo: Repo, open_repo: Opener, store: Store, settings: Settings, table: StaticTable
) -> None:
    repo.commit("Begin", FILES)
    code = indexed(open_repo(repo.root))
    right = cosines(store, code, table, "cookie")
    (path,) = settings.store.glob("v*/arrays/vectors-*")
    for damaged in (b"", b"no arrays", path.read_bytes()[:-9]):
        path.write_bytes(damaged)
        assert cosines(store, code, table, "cookie") == right
    path.unlink()
    assert cosines(store, code, table, "cookie") == right and path.exists()


def test_files_without_facts_have_no_vectors_and_nothing_is_kept(
    repo: Repo, open_repo: Opener, store: Store, table: StaticTable
) -> None:
    repo.commit("Begin", FILES)
    code = indexed(open_repo(repo.root))
    gone = code.fact_key(code.files_by_path["src/a.py"])
    store.database.delete_facts(BLOBS, [gone])
    found = cosines(store, code, table, "sign cookie header")
    assert found["src/a.py", "sign:1"] == 0 and found["src/b.py", "Session.parse:2"] != 0
    assert not any(map(segment_of_vectors, store.array_names()))
    store.database.write_facts(BLOBS, [(gone, b"damaged")])
    assert cosines(store, code, table, "sign cookie header") == found


def test_an_index_in_memory_has_none(table: StaticTable, store: Store) -> None:
    assert unit_vectors(store, index_of({"a.py": "def sign(cookie): pass\n"}), table, {}) is None


def test_nothing_to_add_up_is_no_vector(table: StaticTable) -> None:
    assert build_vectors([], table).rows.shape == (0, table.dimensions)
    assert not build_vectors([("a.py", 3)], table).rows.any()
    unknown = extract(b"zebra quagga\n", "text", forced=False, max_bytes=1 << 20)
    made = build_vectors([("okapi", unknown)], table)
    assert not made.rows.any() and not made.scales.any()


def test_vectors_go_with_their_segment_and_stay_with_it(
    repo: Repo, open_repo: Opener, store: Store, table: StaticTable, other: StaticTable
) -> None:
    repo.commit("Begin", FILES)
    opened = open_repo(repo.root)
    for one in (table, other):
        cosines(store, indexed(opened), one, "cookie")
    first = {name for name in store.array_names() if segment_of_vectors(name)}
    collect(store)
    assert first <= set(store.array_names()) and len(first) == 2
    assert first <= {name for item in held(store) for name in item.arrays}
    drop_manifests(store, [item for item in held(store) if item.kind == CODE_MANIFESTS])
    collect(store)
    assert not any(map(segment_of_vectors, store.array_names()))


def test_a_store_that_cannot_be_written_costs_time_and_no_vectors(
    repo: Repo, open_repo: Opener, store: Store, table: StaticTable
) -> None:
    repo.commit("Begin", FILES)
    code = indexed(open_repo(repo.root))
    store.close()
    with nothing_writable(store.top):
        found = cosines(Store(store.top), code, table, "cookie")
    store = Store(store.top)
    assert not any(map(segment_of_vectors, store.array_names()))
    assert cosines(store, code, table, "cookie") == found


def test_names_tell_segments_and_models_apart() -> None:
    names = {vectors_name(segment, model) for segment in ("code-1", "delta-1") for model in ("a", "b")}
    assert len(names) == 4 and {segment_of_vectors(name) for name in names} == {"code-1", "delta-1"}
    assert segment_of_vectors("code-1") is None and segment_of_vectors("commits-x") is None


def test_a_new_base_copies_the_vectors_of_files_that_the_old_one_has(
    repo: Repo, open_repo: Opener, store: Store, table: StaticTable
) -> None:
    files = {f"m{number:02}.py": f"def load_{number}(cookie):\n    return cookie\n" for number in range(80)}
    repo.commit("Begin", {**files, "empty.py": "", "two.py": "def a():\n    pass\n\n\ndef b():\n    pass\n"})
    assert unit_vectors(store, indexed(open_repo(repo.root)), table, {}) is not None
    changed = {f"m{number:02}.py": f"def store_{number}(key):\n    return key\n" for number in range(5, 75)}
    repo.commit("Change many", {**changed, "m80.py": "def parse():\n    pass\n"})
    code = indexed(open_repo(repo.root))
    (segment,) = code.segments
    steps: list[int] = []
    found = unit_vectors(store, code, table, {}, lambda step, done, total: steps.append(total))
    fresh = build_vectors(SegmentFacts(store, segment, no_progress), table)
    assert found is not None and steps == [len(changed) + 1]
    assert np.array_equal(found.segments[0].rows, fresh.rows) and np.array_equal(found.segments[0].scales, fresh.scales)
    store.delete_arrays(vectors_name(segment.kin.name if segment.kin else "", table.model_id))
    store.delete_arrays(vectors_name(segment.name, table.model_id))
    again = unit_vectors(store, code, table, {})
    assert again is not None and np.array_equal(again.segments[0].rows, fresh.rows)
