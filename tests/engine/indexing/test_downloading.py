"""Downloads: from a real server, within limits, and the token goes to no other host."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from trackdown.engine.indexing import downloading
from trackdown.engine.indexing.downloading import download, is_web_address, origin_of
from trackdown.errors import ShardError, UsageError
from trackdown.types import no_progress

Answer = Callable[[BaseHTTPRequestHandler], None]
CONTENT = b"an index " * 1000


class Web:
    """A server whose paths answer as a test says. `asked` has each request's path and token."""

    def __init__(self, answers: dict[str, Answer]) -> None:
        self.asked: list[tuple[str, str | None]] = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.asked.append((self.path, self.headers.get("Authorization")))
                answers[self.path.partition("?")[0]](self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def sends(content: bytes, length: int | None = None, status: int = 200) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(content) if length is None else length))
        request.end_headers()
        request.wfile.write(content)

    return answer


def leads_to(place: str) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", place)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return answer


@pytest.fixture
def serve() -> Iterator[Callable[[dict[str, Answer]], Web]]:
    started: list[Web] = []

    def start(answers: dict[str, Answer]) -> Web:
        started.append(Web(answers))
        return started[-1]

    yield start
    for web in started:
        web.server.shutdown()
        web.server.server_close()


Serve = Callable[[dict[str, Answer]], Web]


def fetched(url: str, token: str = "", limit: int = 1 << 20, *, insecure: bool = False) -> bytes:
    stream = io.BytesIO()
    download(url, stream, token, limit, no_progress, insecure=insecure)
    return stream.getvalue()


def test_a_download_brings_the_content_and_tells_its_progress(serve: Serve) -> None:
    web = serve({"/a.shard": sends(CONTENT)})
    told: list[tuple[str, int, int | None]] = []
    stream = io.BytesIO()
    download(f"{web.url}/a.shard", stream, "", 1 << 20, lambda *step: told.append(step))
    assert stream.getvalue() == CONTENT
    assert told[-1] == ("download", len(CONTENT), len(CONTENT))
    assert web.asked == [("/a.shard", None)]


def test_the_token_follows_a_redirect_to_the_same_host_only(serve: Serve) -> None:
    other = serve({"/signed": sends(CONTENT)})
    web = serve({"/a": leads_to("/b"), "/b": leads_to(f"{other.url}/signed")})
    assert fetched(f"{web.url}/a", token="s3cret") == CONTENT
    assert web.asked == [("/a", "Bearer s3cret"), ("/b", "Bearer s3cret")]
    assert other.asked == [("/signed", None)]


def test_redirects_without_end_and_to_other_schemes_are_refused(serve: Serve) -> None:
    web = serve({"/a": leads_to("/a"), "/f": leads_to("file:///etc/passwd")})
    with pytest.raises(ShardError, match="it leads from one address to the next"):
        fetched(f"{web.url}/a")
    assert len(web.asked) == 6
    with pytest.raises(UsageError, match="is not an https URL"):
        fetched(f"{web.url}/f")


def test_what_is_too_large_is_refused_by_its_promise_or_by_its_size(serve: Serve) -> None:
    def endless(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        try:
            while True:
                request.wfile.write(CONTENT)
        except OSError:
            pass

    web = serve({"/promised": sends(b"", length=1 << 40), "/endless": endless})
    for path in ("/promised", "/endless"):
        with pytest.raises(ShardError, match="it is larger than 1 MB"):
            fetched(web.url + path)


def test_a_connection_that_ends_early_is_refused(serve: Serve) -> None:
    web = serve({"/a": sends(CONTENT, length=len(CONTENT) + 5)})
    with pytest.raises(ShardError, match=r"cannot download .*/a: "):
        fetched(f"{web.url}/a")


def test_a_server_that_falls_silent_is_left(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(downloading, "_SILENT_SECONDS", 0.2)

    def silent(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "9")
        request.end_headers()
        over.wait(5)

    web = serve({"/a": silent})
    with pytest.raises(ShardError, match="the server sent nothing for 0"):
        fetched(f"{web.url}/a")
    over.set()


@pytest.mark.parametrize("part", ["head", "body"])
def test_a_server_that_drips_is_left(serve: Serve, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    over = threading.Event()
    monkeypatch.setattr(downloading, "_SILENT_SECONDS", 0.3)

    def drips(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n" + (b"\r\n" if part == "body" else b"X: "))
        while not over.wait(0.02):
            request.wfile.write(b"y")

    web = serve({"/a": drips})
    said = "the server sent nothing for 0.3 seconds" if part == "head" else r"only \d+ bytes came in 0.3 seconds"
    with pytest.raises(ShardError, match=said):
        fetched(f"{web.url}/a")
    over.set()


def test_a_download_that_takes_too_long_is_ended(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloading, "_SECONDS", -1.0)
    web = serve({"/a": sends(CONTENT)})
    with pytest.raises(ShardError, match="it took longer than"):
        fetched(f"{web.url}/a")


def test_a_refusal_tells_the_status_and_how_to_give_a_token(serve: Serve) -> None:
    web = serve({"/a": sends(b"no", status=404)})
    with pytest.raises(ShardError, match="the server answered 404: check the URL; if it needs a token, set TRACKDOWN_"):
        fetched(f"{web.url}/a?signature=hidden")
    with pytest.raises(ShardError, match=r"the server answered 404$"):
        fetched(f"{web.url}/a", token="t")


def test_other_machines_need_https_and_urls_carry_no_password() -> None:
    with pytest.raises(UsageError, match=r"http://example\.org/a is not encrypted, .* use https, or --insecure"):
        fetched("http://example.org/a")
    with pytest.raises(UsageError, match=r"^https://example\.org/a: set TRACKDOWN_IMPORT_TOKEN"):
        fetched("https://me:s3cret@example.org/a")
    with pytest.raises(UsageError, match="is not an https URL"):
        fetched("https:///a")
    with pytest.raises(ShardError, match=r"^cannot download https://[^:]*/a: "):
        fetched("https://nowhere.invalid/a")


def test_an_origin_has_nothing_secret() -> None:
    assert is_web_address("HTTPS://a/b") and not is_web_address("a.shard") and not is_web_address("httpd/a")
    assert origin_of("https://me:pw@h.org:8/a.shard?token=1#x") == "https://h.org:8/a.shard"
