"""A local S3 server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

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
