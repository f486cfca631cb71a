"""A code host on this machine: a real HTTP server that speaks the APIs of GitHub, GitLab and Gitea, or fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

Reply = Callable[["Visit"], None]
"""How the host answers one request."""


class Visit(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: CodeHost

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, body: bytes) -> None:
        self.server.seen.append(Asked(self.command, self.path, dict(self.headers), body))
        reply = self.server.pages.get(self.path) or self.server.pages.get(urlsplit(self.path).path)
        if reply is None:
            reply = sends({"message": "404 Not Found"}, 404)
        reply(self)

    def send(self, status: int, body: bytes, headers: Mapping[str, str], length: int | None = None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Asked:
    """A request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""

    @property
    def token(self) -> str | None:
        return self.headers.get("Authorization")


@dataclass(eq=False)
class CodeHost(ThreadingHTTPServer):
    """The host: what it has at each path, with or without a query, and what it was asked so far."""

    pages: dict[str, Reply] = field(default_factory=dict)
    seen: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Visit)
        self.daemon_threads = True
        self.block_on_close = False
        self.closing = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up in the middle of an answer is part of the play."""

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    @property
    def paths(self) -> list[str]:
        return [asked.path for asked in self.seen]

    def has(self, api: str, number: int, issue: Reply, *, project: str = "shop/web", merge: bool = False) -> str:
        """Put an issue where an API has it. Returns its path."""
        if api == "gitlab":
            kind = "merge_requests" if merge else "issues"
            path = f"/api/v4/projects/{project.replace('/', '%2F')}/{kind}/{number}"
        else:
            path = f"/api/{'v3' if api == 'github' else 'v1'}/repos/{project}/issues/{number}"
        self.pages[path] = issue
        return path


@contextmanager
def code_host(**pages: Reply) -> Iterator[CodeHost]:
    """A host, until the block ends."""
    host = CodeHost(dict(pages))
    thread = threading.Thread(target=host.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield host
    finally:
        host.closing.set()
        host.shutdown()
        host.server_close()


def sends(value: Any, status: int = 200, **headers: str) -> Reply:
    """Answers with JSON. Underscores in names of headers stand for hyphens."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return lambda visit: visit.send(status, json.dumps(value).encode(), {"Content-Type": "application/json", **named})


def sends_bytes(body: bytes, status: int = 200) -> Reply:
    """Answers with anything."""
    return lambda visit: visit.send(status, body, {})


def moves(to: str, status: int = 301) -> Reply:
    """Redirects."""
    return lambda visit: visit.send(status, b"", {"Location": to})


def only_with(token: str, reply: Reply) -> Reply:
    """Answers those who bring a token; for others there is nothing here."""

    def answer(visit: Visit) -> None:
        brought = visit.headers.get("Authorization")
        (reply if brought == token else sends({"message": "Not Found"}, 404))(visit)

    return answer


def hangs(visit: Visit) -> None:
    """Never answers."""
    visit.server.closing.wait()


def drips(visit: Visit) -> None:
    """Begins to answer, and sends a byte now and then."""
    visit.send(200, b" ", {}, length=1 << 20)
    while not visit.server.closing.wait(0.02):
        visit.wfile.write(b" ")
        visit.wfile.flush()


def github_issue(title: str, body: str | None = "", **more: Any) -> Reply:
    """An issue as GitHub and Gitea send it."""
    return sends({"number": 7, "title": title, "body": body, "state": "open", "comments": 0, **more})


def gitlab_issue(title: str, description: str | None = "", **more: Any) -> Reply:
    """An issue or merge request as GitLab sends it."""
    return sends(
        {"iid": 7, "title": title, "description": description, "state": "opened", "user_notes_count": 0, **more}
    )
