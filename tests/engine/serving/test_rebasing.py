"""A server's index gets a new base from a process of its own."""

from __future__ import annotations

import subprocess
import time

import msgspec
import pytest

import trackdown
from tests.conftest import Repo
from tests.engine.serving.test_live import Heard
from tests.surfaces.program import wait_for
from trackdown.engine.indexing.rebasing import RebaseJob, end_rebase, start_rebase
from trackdown.index.code_update import CODE_MANIFESTS, CodeManifest
from trackdown.settings import Settings
from trackdown.store.store import Store

pytestmark = pytest.mark.slow


def bases(settings: Settings) -> list[str]:
    """The bases in the store, the one used last first."""
    store = Store(settings.store)
    found = [
        msgspec.json.decode(value, type=CodeManifest).base for _, value, _ in store.database.records(CODE_MANIFESTS)
    ]
    store.close()
    return list(dict.fromkeys(found))


def test_a_live_index_that_drifts_gets_a_new_base_and_goes_on_from_it(repo: Repo, settings: Settings) -> None:
    repo.commit("Begin", {f"src/m{number}.py": f"def parse_{number}(): pass\n" for number in range(60)})
    heard = Heard(repo.root, settings)
    with heard.live:
        assert heard.ready()
        (first,) = bases(settings)
        for number in range(52):
            repo.write(f"src/m{number}.py", f"def render_{number}(): pass\n")
        assert wait_for(lambda: bases(settings)[0] != first, 60.0)
        repo.write("src/m55.py", "def okapi(): pass\n")
        assert heard.up_to_date()
        new = bases(settings)[0]
    with trackdown.open(repo.root, settings=settings) as opened:
        base, delta = opened.corpus().code.segments
        assert base.name == new != first
        assert [path for path, _ in delta.files()] == ["src/m55.py"]
        assert {result.symbol for result in opened.search("render_51 okapi", k=2)} == {"render_51", "okapi"}


@pytest.mark.parametrize("key", ["", "no such key"])
def test_a_job_that_cannot_be_done_ends_without_a_word(settings: Settings, key: str) -> None:
    process = start_rebase(RebaseJob(str(settings.store), key, "nobody", "none"))
    assert process.wait(60) == 1


def test_the_process_ends_with_its_input(repo: Repo, settings: Settings) -> None:
    repo.commit("Begin", {"a.py": "def parse(): pass\n", "b.py": "def render(): pass\n"})
    with trackdown.open(repo.root, settings=settings) as opened:
        opened.corpus()
        repo.write("a.py", "def okapi(): pass\n")
        assert opened.corpus().code.segments[1:]
    store = Store(settings.store)
    key, value, _ = next(iter(store.database.records(CODE_MANIFESTS)))
    repository = msgspec.json.decode(value, type=CodeManifest).repository
    with store.writing(repository) as held:  # so that the process has to wait half a minute
        assert held
        process = start_rebase(RebaseJob(str(settings.store), key, repository, "none"))
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(3)
        began = time.monotonic()
        end_rebase(process)
        assert process.returncode == 1 and time.monotonic() - began < 2
    store.close()
