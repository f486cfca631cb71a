"""The index of units with their rewrites: always that of what is there and has been rewritten, never another's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from tests.index.edits import QUERIES, Editor
from tests.rerank.tiny_models import make_models
from tests.rewrite.scribe import Scribe
from tests.store.limits import files_end_at
from trackdown.engine.indexing.housekeeping import collect, held
from trackdown.engine.llm.rewrite_units import rewrite_snapshot
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.index.blob_facts import BLOBS
from trackdown.index.code_update import CODE_MANIFESTS
from trackdown.index.rewrite_facts import (
    REWRITES,
    UNIT_TEXTS,
    rewriters,
    rewritten_numbers,
    text_digest,
    unit_digests,
    write_rewrites,
)
from trackdown.index.rewrite_index import segment_of_rewrite_index
from trackdown.rewrite.reco import rewriter_of
from trackdown.settings import Settings
from trackdown.store.garbage_collection import drop_manifests
from trackdown.store.store import Store
from trackdown.types import Result

pytestmark = pytest.mark.slow

Opener = Callable[[Path | str], trackdown.Repository]
FILES = {
    "src/a.py": "def sign(cookie):\n    return cookie\n\n\ndef load(key):\n    return store(key)\n",
    "src/b.py": "class Session:\n    def parse(self, header):\n        return header\n",
    "docs/web.md": "# Web\n\nThe session of a request.\n",
}
MORE = {f"src/more{n}.py": f"def get{n}(value):\n    return {n}\n" for n in range(30)}


@pytest.fixture
def settings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """With tiny models, so that vectors take part."""
    return replace(settings, models=str(make_models(tmp_path_factory.mktemp("models"))))


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    found = Store(settings.store)
    yield found
    found.close()


def rewrite(
    opened: trackdown.Repository, store: Store, scribe: Scribe, times: int = 1, limit: int | None = None
) -> None:
    rewrite_snapshot(opened.corpus(), scribe.client(store), times=times, limit=limit)


def found(opened: trackdown.Repository, query: str, *, reco: bool = True) -> list[str]:
    return [f"{result.path}:{result.symbol}" for result in opened.search(query, reco=reco, rerank=False)]


def answers(opened: trackdown.Repository) -> list[Result]:
    """What a few queries find at every level with rewrites, reasons included but for commits of equal score."""
    return [
        replace(result, why=tuple(why for why in result.why if why.signal != "commits"))
        for query in (*QUERIES, "quagga of the session", "quagga_parse")
        for level in trackdown.types.LEVELS
        for result in opened.search(query, k=50, level=level, rerank=False, reco=True)
    ]


def names(store: Store) -> list[str]:
    return [name for name in store.array_names() if segment_of_rewrite_index(name)]


@pytest.mark.parametrize("seed", range(4))
def test_after_any_edits_and_rewrites_the_answers_are_those_of_a_fresh_index(
    repo: Repo, open_repo: Opener, settings: Settings, store: Store, tmp_path: Path, seed: int
) -> None:
    editor = Editor(repo, seed)
    scribe = Scribe()
    with open_repo(repo.root) as opened:
        rewrite(opened, store, scribe)
        assert answers(opened)
        for step in range(4):
            done = [editor.step(), editor.step()]
            times = 1 + step // 2
            rewrite(opened, store, scribe, times)
            fresh = replace(settings, store=tmp_path / f"fresh{step}")
            with trackdown.open(repo.root, settings=fresh) as clean:
                clean_store = Store(fresh.store)
                rewrite(clean, clean_store, scribe, times)
                expected = answers(clean)
                clean_store.close()
            assert answers(opened) == expected, done
            with open_repo(repo.root) as again:
                assert answers(again) == expected, "what is read from disk is what was built"


def test_words_of_a_rewrite_find_its_unit(repo: Repo, open_repo: Opener, store: Store) -> None:
    repo.commit("Begin", FILES)
    with open_repo(repo.root) as opened:
        assert found(opened, "quagga", reco=False) == []
        (note,) = opened.search("quagga", reco=True).notes
        assert "trackdown rewrite" in note
        rewrite(opened, store, Scribe())
        assert set(found(opened, "quagga")) == {"src/a.py:sign", "src/a.py:load", "src/b.py:Session.parse"}
        assert found(opened, "quagga_load")[0] == "src/a.py:load"
        assert "3 of 3 units have a rewrite by scribe" in opened.search("quagga", reco=True).notes
        assert found(opened, "quagga", reco=False) == [], "the plain index stays what it was"


def test_vectors_take_rewrites_in(repo: Repo, open_repo: Opener, settings: Settings, store: Store) -> None:
    repo.commit("Begin", {"src/a.py": "def one():\n    return two\n", "src/b.py": "def three():\n    return a\n"})
    code = "def one():\n    return two"
    write_rewrites(store, "abc", "somebody", [(text_digest(code), 0, "", "def sign(cookie):\n    return cookie")])

    def cosine(opened: trackdown.Repository, *, reco: bool) -> float:
        answer = opened.search("autograph biscuit", reco=reco, explain=True)
        return next(result.why[0].numbers["cosine"] for result in answer if result.symbol == "one")

    with trackdown.open(repo.root, settings=replace(settings, mode="dense")) as opened:
        assert cosine(opened, reco=True) > 2 * cosine(opened, reco=False) > 0


def test_two_rewriters_never_meet(repo: Repo, open_repo: Opener, store: Store) -> None:
    repo.commit("Begin", FILES)
    first, second = Scribe("first", "quagga"), Scribe("second", "zebra")
    with open_repo(repo.root) as opened:
        rewrite(opened, store, first)
        rewrite(opened, store, second, limit=1)
        prepared = opened.corpus()
        assert prepared.rewrites is not None
        with SourceReader(prepared.snapshot) as snippets:
            for scribe, count in ((first, 3), (second, 1), (first, 3)):
                made = prepared.rewrites.open(
                    lambda units: snippets.units(prepared.code, units), rewriter_of(scribe.client(store))
                )
                assert made is not None and made.count == count
                for word, other in ((scribe.dialect, True), ("zebra" if scribe is first else "quagga", False)):
                    assert made.bodies.score([word], [1.0], 1.2, 0.75).total.any() == other
        assert found(opened, "zebra") == [], "without a model named, whoever rewrote most is used"
        assert {name.split(".")[0] for name in names(store)} == {f"rewritten-{one}" for one in rewriters(store)}


def test_the_model_that_is_named_decides_whose_rewrites(
    repo: Repo, settings: Settings, store: Store, tmp_path: Path
) -> None:
    repo.commit("Begin", FILES)
    replay = tmp_path / "answers.jsonl"
    replay.write_text(
        '{"format":1,"key":"none","model":"second","context":4096,"stage":"","text":"","tokens_in":0,"tokens_out":0,'
        '"seconds":0,"whole":true}\n'
    )
    with trackdown.open(repo.root, settings=replace(settings, llm_replay=replay)) as opened:
        rewrite(opened, store, Scribe("first", "quagga"))
        rewrite(opened, store, Scribe("second", "zebra"), limit=1)
        answer = opened.search("zebra", reco=True, rerank=False)
        assert len(answer) == 1 and "1 of 3 units have a rewrite by second" in answer.notes


def test_an_edit_costs_its_delta_and_old_files_go(repo: Repo, open_repo: Opener, store: Store) -> None:
    repo.commit("Begin", FILES | MORE)
    scribe = Scribe()
    with open_repo(repo.root) as opened:
        rewrite(opened, store, scribe)
        found(opened, "quagga")
        before = set(names(store))
        repo.write("src/a.py", "def autumn(value):\n    return cookie(value)\n")
        rewrite(opened, store, scribe)
        assert "src/a.py:autumn" in found(opened, "quagga_autumn")
        new = set(names(store)) - before
        assert new and all((segment_of_rewrite_index(name) or "").startswith("delta-") for name in new)
        rewrite(opened, store, scribe, times=2)
        found(opened, "quagga")
        by_segment = [(name.split(".")[1], segment_of_rewrite_index(name)) for name in names(store)]
        assert len(by_segment) == len(set(by_segment)), "one for words and one for vectors, beside each segment"


def test_what_is_rewritten_later_is_never_missed(repo: Repo, open_repo: Opener, store: Store) -> None:
    repo.commit("Begin", FILES)
    scribe = Scribe()
    with open_repo(repo.root) as opened, open_repo(repo.root) as other:
        rewrite(opened, store, scribe, limit=1)
        assert len(found(opened, "quagga")) == 1
        rewrite(other, store, scribe)
        assert len(found(opened, "quagga")) == 3


def test_a_unit_without_a_rewrite_counts_for_its_own(repo: Repo, open_repo: Opener, store: Store) -> None:
    """Its words count as often as those of rewritten units, so that being rewritten is no merit in itself."""
    body = "def {}(value):\n    return cookie(value)\n"
    repo.commit("Begin", {"src/a.py": body.format("first"), "src/b.py": body.format("second")})
    with open_repo(repo.root) as opened:
        text = body.format("first").rstrip("\n")
        write_rewrites(store, "abc", "echo", [(text_digest(text), number, "", text) for number in range(2)])
        prepared = opened.corpus()
        assert prepared.rewrites is not None
        with SourceReader(prepared.snapshot) as snippets:
            made = prepared.rewrites.open(lambda units: snippets.units(prepared.code, units))
        assert made is not None
        total = made.bodies.score(["cookie", "value"], [1.0, 1.0], 1.2, 0.75).total
        assert total[0] == pytest.approx(total[1]) and total[0] > 0


def test_damaged_files_and_facts_are_passed_over(
    repo: Repo, open_repo: Opener, settings: Settings, store: Store
) -> None:
    repo.commit("Begin", FILES)
    with open_repo(repo.root) as opened:
        rewrite(opened, store, Scribe())
        right = answers(opened)
    for damaged in (b"", b"no arrays"):
        for path in settings.store.glob("v*/arrays/rewritten-*"):
            path.write_bytes(damaged)
        with open_repo(repo.root) as opened:
            assert answers(opened) == right
    (key, *_) = sorted(store.database.fact_keys(REWRITES))
    store.database.delete_facts(REWRITES, [key])
    store.database.write_facts(REWRITES, [(key, b"damaged")])
    for path in settings.store.glob("v*/arrays/rewritten-*"):
        path.unlink()
    with open_repo(repo.root) as opened:
        assert len(found(opened, "quagga")) == 2
        assert not any(".words." in name for name in names(store)), "what is not whole is not kept"


def test_a_rewrite_of_another_version_counts_for_nothing(repo: Repo, open_repo: Opener, store: Store) -> None:
    import msgspec

    repo.commit("Begin", FILES)
    with open_repo(repo.root) as opened:
        rewrite(opened, store, Scribe(), limit=1)
        (key,) = store.database.fact_keys(REWRITES)
        store.database.delete_facts(REWRITES, [key])
        store.database.write_facts(REWRITES, [(key, msgspec.msgpack.encode((99, "", "def quagga(): pass")))])
        assert found(opened, "quagga") == []


def test_facts_of_a_file_that_are_gone_are_made_again(repo: Repo, open_repo: Opener, store: Store) -> None:
    repo.commit("Begin", FILES)
    with open_repo(repo.root) as opened:
        rewrite(opened, store, Scribe())
        code = opened.corpus().code
        store.database.delete_facts(BLOBS, [code.fact_key(code.files_by_path["src/b.py"])])
        assert len(found(opened, "quagga")) == 3 and any(".words." in name for name in names(store))


def test_a_store_that_cannot_be_written_costs_time_only(
    repo: Repo, open_repo: Opener, settings: Settings, store: Store
) -> None:
    repo.commit("Begin", FILES)
    with open_repo(repo.root) as opened:
        rewrite(opened, store, Scribe())
        with files_end_at(100):
            assert len(found(opened, "quagga")) == 3
        assert not names(store)


def test_texts_of_units_are_facts_of_content(repo: Repo, open_repo: Opener, store: Store) -> None:
    repo.commit("Begin", FILES)
    with open_repo(repo.root) as opened:
        prepared = opened.corpus()
        assert prepared.rewrites is not None
        read: list[int] = []
        with SourceReader(prepared.snapshot) as snippets:

            def texts(units: Sequence[int]) -> list[str | None]:
                read.extend(units)
                return snippets.units(prepared.code, units)

            first = unit_digests(store, prepared.code, texts)
            assert len(read) == len(prepared.code.unit_file) and all(first)
            read.clear()
            assert unit_digests(store, prepared.code, texts) == first and not read
            assert text_digest("def sign(cookie):\n    return cookie") in first
        missing = unit_digests(store, prepared.code, lambda units: [None] * len(units))
        assert missing == first, "nothing is read that is known"
        store.database.delete_facts(UNIT_TEXTS, store.database.fact_keys(UNIT_TEXTS))
        assert not any(unit_digests(store, prepared.code, lambda units: [None] * len(units)))
        assert not store.database.fact_keys(UNIT_TEXTS)


def test_what_no_snapshot_has_any_more_is_collected_and_the_rest_stays(
    repo: Repo, open_repo: Opener, store: Store
) -> None:
    repo.commit("Begin", FILES)
    scribe = Scribe()
    with open_repo(repo.root) as opened:
        rewrite(opened, store, scribe)
        right = found(opened, "quagga")
        collect(store)
        assert len(rewritten_numbers(store, rewriter_of(scribe.client(store)))) == 3
        assert set(names(store)) <= {name for item in held(store) for name in item.arrays} and names(store)
        assert found(opened, "quagga") == right
    drop_manifests(store, [item for item in held(store) if item.kind == CODE_MANIFESTS])
    collect(store)
    assert not names(store) and not store.database.fact_keys(REWRITES) and not store.database.fact_keys(UNIT_TEXTS)


def test_keys_are_found_by_their_beginning(store: Store) -> None:
    write_rewrites(store, "a1", "one", [("00", 0, "", "x"), ("00", 2, "", "y"), ("ff", 0, "", "z")])
    write_rewrites(store, "a11", "two", [("00", 0, "", "x")])
    assert rewritten_numbers(store, "a1") == {"00": (0, 2), "ff": (0,)}
    assert rewritten_numbers(store, "a11") == {"00": (0,)} and rewritten_numbers(store, "b") == {}
    write_rewrites(store, "c", "nobody", [])
    assert rewriters(store) == {"a1": "one", "a11": "two"}


def test_scores_do_not_depend_on_how_an_index_is_cut(repo: Repo, open_repo: Opener, store: Store) -> None:
    repo.commit("Begin", FILES | MORE)
    scribe = Scribe()
    with open_repo(repo.root) as opened:
        rewrite(opened, store, scribe)
        found(opened, "quagga")
        repo.write("src/a.py", FILES["src/a.py"].replace("cookie", "biscuit"))
        rewrite(opened, store, scribe)
        prepared = opened.corpus()
        assert prepared.rewrites is not None
        assert len(prepared.code.segments) == 2
        with SourceReader(prepared.snapshot) as snippets:
            made = prepared.rewrites.open(lambda units: snippets.units(prepared.code, units))
        assert made is not None
        total = made.bodies.score(["quagga"], [1.0], 1.2, 0.75).total
        assert not total[~prepared.code.unit_alive].any() and np.count_nonzero(total) == made.count
