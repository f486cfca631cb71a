"""A local S3 server, and faults on the way to it."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


@contextmanager
def s3_server(bucket: str) -> Iterator[str]:
    """The URL of a server with an empty bucket."""
    import boto3
    from moto.server import ThreadedMotoServer

    os.environ["MOTO_S3_DEFAULT_KEY_BUFFER_SIZE"] = str(64 << 20)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    client = boto3.client(
        "s3",
        endpoint_url=url,
        aws_access_key_id="test",
        aws_secret_access_key="test",
        region_name="us-east-1",
    )
    client.create_bucket(Bucket=bucket)
    try:
        yield url
    finally:
        server.stop()


class FaultyProxy:
    """Passes connections on to a server: as they are, slowly, cut after some bytes, or not at all."""

    def __init__(self, url: str) -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        self._target = (host, int(port))
        self.refuses = False
        self.delay = 0.0
        self.cut_after: int | None = None
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if self.refuses:
                    client.close()
                    continue
                server = socket.create_connection(self._target)
                for one, other in ((client, server), (server, client)):
                    threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        passed = 0
        with suppress(OSError):
            while chunk := one.recv(1 << 16):
                time.sleep(self.delay)
                if self.refuses or (self.cut_after is not None and passed + len(chunk) > self.cut_after):
                    break
                other.sendall(chunk)
                passed += len(chunk)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
