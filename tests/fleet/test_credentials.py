"""An object store without credentials is one clear line."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.fleet.fleets import SmallFleet, needs_extra
from trackdown.errors import FleetError
from trackdown.fleet import Place, read_fleet

pytestmark = needs_extra


class _Nothing(BaseHTTPRequestHandler):
    """The metadata service of a machine that has no account."""

    def do_GET(self) -> None:
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_PUT(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def _no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Nothing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    at = f"127.0.0.1:{server.server_port}"
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SERVICE_ACCOUNT", "AWS_ACCESS_KEY_ID", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("GCE_METADATA_HOST", "GCE_METADATA_ROOT", "GCE_METADATA_IP"):
        monkeypatch.setenv(name, at)
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", f"http://{at}")
    monkeypatch.setenv("HOME", str(tmp_path))
    yield
    server.shutdown()
    server.server_close()


@pytest.mark.usefixtures("_no_credentials")
@pytest.mark.parametrize(
    ("place", "variable"),
    [("gs://code-search/fleet", "GOOGLE_APPLICATION_CREDENTIALS"), ("s3://code-search/fleet", "AWS_ACCESS_KEY_ID")],
)
def test_missing_credentials_are_named(fleet: SmallFleet, place: str, variable: str) -> None:
    fleet.place = place
    fleet.write(shop=["open"])
    address = read_fleet(fleet.file).address
    assert address.url == place
    with pytest.raises(FleetError, match=f"^{place} needs credentials: set {variable}"):
        Place(address).read("manifests/1.json")


@pytest.mark.usefixtures("_no_credentials")
def test_a_key_that_cannot_be_read_is_named(fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/key.json")
    fleet.place = "gs://code-search/fleet"
    fleet.write(shop=["open"])
    with pytest.raises(FleetError, match=r"^gs://code-search/fleet failed: .*/nowhere/key\.json") as failure:
        Place(read_fleet(fleet.file).address)
    assert "\n" not in str(failure.value)
