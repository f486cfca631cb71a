"""A first call on a repository that nobody indexed yet: progress, an answer from what is ready, and cancellation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import anyio
import pytest
from filelock import FileLock

from tests.conftest import Repo
from tests.surfaces.mcp.connections import (
    LEGACY,
    PAIRED,
    Connect,
    names,
    over_stdio,
    processes_of,
    said,
    talk,
    text_of,
    value,
)
from tests.surfaces.program import Program, wait_for
from trackdown.store.store import FORMAT

pytestmark = pytest.mark.slow

COOKIE = {"query": "sign the session cookie", "k": 3, "effort": "fast"}
THING = {"query": "handle thing77", "k": 3, "effort": "fast"}


class Held:
    """Keeps the server from indexing the shop, as another process that is indexing it does."""

    def __init__(self, program: Program, lock: str) -> None:
        folder = program.store / FORMAT / "locks"
        folder.mkdir(parents=True)
        self._lock = FileLock(folder / lock)
        self._lock.acquire()

    def release(self) -> None:
        self._lock.release()


@pytest.fixture(scope="session")
def shop_lock(shop: Repo, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the shop's lock is called."""
    program = Program(tmp_path_factory.mktemp("lock") / "store", shop.root)
    assert program("index").code == 0
    (lock,) = program.store.glob(f"{FORMAT}/locks/*.lock")
    return lock.name


@pytest.fixture
def in_shop(program: Program, shop: Repo) -> Program:
    """The program in the shop's folder, with an empty store."""
    return replace(program, folder=shop.root)


@pytest.fixture
def held(in_shop: Program, shop_lock: str) -> Iterator[Held]:
    lock = Held(in_shop, shop_lock)
    yield lock
    lock.release()


@pytest.mark.parametrize("connection", PAIRED, ids=names)
def test_progress_is_told_until_the_answer_is_there(
    connection: tuple[Connect, str], in_shop: Program, held: Held
) -> None:
    connect, mode = connection
    heard: list[tuple[float, str]] = []

    async def told(progress: float, total: float | None, message: str | None) -> None:
        assert total is None or progress <= total
        heard.append((progress, message or ""))
        if len(heard) == 3:
            held.release()

    async def script() -> None:
        async with connect(in_shop, "--wait", "50", mode=mode) as client:
            answer = await value(client, "search_code", COOKIE, progress_callback=told)
            assert not answer["partial"]
            assert answer["results"][0]["symbol"] == "Session.sign_cookie"

    talk(script)
    assert len(heard) >= 3 and any(message.startswith("indexing: ") for _, message in heard), heard
    seconds = [progress for progress, _ in heard]
    assert seconds == sorted(set(seconds))


@pytest.mark.parametrize("connection", PAIRED, ids=names)
def test_what_is_ready_is_answered_from_when_waiting_ends(
    connection: tuple[Connect, str], in_shop: Program, held: Held
) -> None:
    connect, mode = connection

    async def script() -> None:
        async with connect(in_shop, "--wait", "0", mode=mode) as client:
            first = await value(client, "search_code", COOKIE)
            assert first["partial"] and first["results"] == [] and first["notes"]
            assert "\nnote: " in await said(client, "search_code", COOKIE)
            for tool, arguments in (
                ("locate_issue", {"issue": "the cookie is not signed"}),
                ("past_changes", {"query": "cookie"}),
                ("index_status", {}),
            ):
                assert (await value(client, tool, arguments))["partial"]
            held.release()
            while (answer := await value(client, "search_code", COOKIE))["partial"]:
                await anyio.sleep(0.1)
            assert answer["results"][0]["symbol"] == "Session.sign_cookie"
            assert not (await value(client, "index_status", {}))["partial"]

    talk(script)


@pytest.mark.parametrize("connection", PAIRED, ids=names)
def test_calls_that_are_cancelled_end_in_the_server(
    connection: tuple[Connect, str], in_shop: Program, held: Held
) -> None:
    """More calls than the engine lets in at once: if cancelled ones stayed inside, a later one would be sent away."""
    connect, mode = connection

    async def script() -> None:
        async with connect(in_shop, "--wait", "600", mode=mode) as client:

            async def ask(begun: anyio.Event) -> None:
                async def told(progress: float, total: float | None, message: str | None) -> None:
                    begun.set()

                answer = await client.call_tool("search_code", COOKIE, progress_callback=told)
                pytest.fail(f"not cancelled: {text_of(answer)}")

            for _ in range(9):
                async with anyio.create_task_group() as group:
                    events = [anyio.Event() for _ in range(16)]
                    for begun in events:
                        group.start_soon(ask, begun)
                    for begun in events:
                        await begun.wait()
                    group.cancel_scope.cancel()
            with anyio.move_on_after(1.0) as waiting:
                await ask(anyio.Event())
            assert waiting.cancelled_caught
            with anyio.fail_after(60):  # it does not wait, as a call that is let in last would, for 600
                assert (await value(client, "index_status", {}))["partial"]
            held.release()
            assert (await value(client, "search_code", COOKIE))["results"]

    talk(script)


def test_a_first_call_on_a_large_repository_waits_and_is_whole(program: Program, crowd: Repo) -> None:
    heard: list[str] = []

    async def told(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message or "")

    async def script() -> None:
        async with over_stdio(replace(program, folder=crowd.root), "--wait", "100", mode=LEGACY) as client:
            answer = await value(client, "search_code", THING, progress_callback=told)
            assert answer["results"][0]["path"] == "pack37/part77.py" and not answer["partial"]

    talk(script)
    assert any(message.startswith("indexing: parsing files") and " of 1000" in message for message in heard), heard


def test_the_first_call_is_read_by_models_like_any_other(in_shop: Program) -> None:
    question = {"query": "sign the session cookie", "k": 3, "explain": True, "max_tokens": 9000}

    async def script() -> None:
        async with over_stdio(in_shop.having(TRACKDOWN_MODELS="packaged"), "--wait", "50") as client:
            first = await value(client, "search_code", question)
            assert {"encoder", "code-reranker"} <= {why["signal"] for why in first["results"][0]["why"]}
            assert (await value(client, "search_code", question)) == first

    talk(script)


def test_a_client_that_goes_away_leaves_nothing_running(program: Program, crowd: Repo) -> None:
    async def script() -> None:
        async with over_stdio(replace(program, folder=crowd.root), "--wait", "600", mode=LEGACY) as client:
            with anyio.move_on_after(1.0):
                await client.call_tool("search_code", THING)

    talk(script)
    assert wait_for(lambda: not processes_of(program)), processes_of(program)
