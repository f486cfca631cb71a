"""A real server in a thread, and what its event streams say."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import httpx
from pydantic import TypeAdapter

from trackdown.engine import Repository, SharedRepositories
from trackdown.errors import Cancelled
from trackdown.request import SearchRequest
from trackdown.surfaces.http.access import AccessRules
from trackdown.surfaces.http.server import Server, Service
from trackdown.types import Progress, SearchResults, never, no_progress

TOKEN = "a-token-of-more-than-16-signs"


@contextmanager
def serving(
    shared: SharedRepositories, rules: AccessRules | None = None, *, token: bool = False, **service: Any
) -> Iterator[httpx.Client]:
    """Serve until the block ends, and hand out a client. The server must end soon after it is told to."""
    chosen = rules or AccessRules(token=TOKEN if token else "")
    server = Server(shared, Service(chosen, 0, **service), "0")
    ready = threading.Event()
    thread = threading.Thread(target=server.run, args=(ready.set,), daemon=True)
    thread.start()
    assert ready.wait(10), "the server did not start"
    headers = {"Authorization": f"Bearer {chosen.token}"} if chosen.token else {}
    try:
        with httpx.Client(base_url=server.url, headers=headers, timeout=120) as client:
            yield client
    finally:
        server.stop()
        thread.join(20)
        assert not thread.is_alive(), "the server did not stop"


class Slow(SharedRepositories):
    """Repositories in which a search has its turn until it is let go or cancelled; then it answers as ever."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.begun = threading.Semaphore(0)
        self.ended: list[str] = []
        self.go = threading.Event()

    def search(
        self,
        query: str | SearchRequest,
        *,
        repository: str | None = None,
        early: Callable[[SearchResults], None] | None = None,
        wait: float = 1.0,
        progress: Progress = no_progress,
        cancelled: Callable[[], bool] = never,
        **options: Any,
    ) -> SearchResults:
        answer = super().search(query, repository=repository, wait=wait, **options)
        if early is not None:
            early(answer)

        def hold(_: Repository, __: object) -> None:
            self.begun.release()
            number = 0
            while not self.go.is_set():
                if cancelled():
                    raise Cancelled("the caller has gone")
                number += 1
                progress("waiting", number, None)
                time.sleep(0.005)

        try:
            self._ask(self._only(repository), hold, {"wait": 0.0, "cancelled": cancelled})
        except Cancelled:  # in its turn, or before it came
            self.ended.append("cancelled")
            raise
        self.ended.append("answered")
        return answer


def problem(answer: httpx.Response, status: int, kind: str, *words: str) -> Any:
    """Assert that an answer is a problem of this status and kind with these words in its one message."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found = answer.json()
    assert (found["status"], found["type"]) == (status, f"urn:trackdown:problem:{kind}"), found
    assert found["title"] and found["detail"] and "\n" not in found["detail"] and "Traceback" not in found["detail"]
    for word in words:
        assert word in found["detail"], found
    return found


def conforms(kind: Any, answer: Any) -> None:
    """Assert that an answer has the shape of a dataclass: the types of its fields, and no others."""
    TypeAdapter(kind).validate_python(answer)
    assert set(answer) <= {field.name for field in fields(kind)}


def events(lines: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """The events of a stream, as they come: (name, value)."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
        else:
            assert line == "" or line.startswith(":"), line


def streamed(client: httpx.Client, **asked: Any) -> list[tuple[str, Any]]:
    """All events of a search."""
    with client.stream("POST", "/v1/search/stream", json=asked) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        return list(events(answer.iter_lines()))
