"""Ask a running `trackdown serve`: python examples/http_client.py "where is the cookie signed?" [URL]

The stream sends the fast answer first, and the final one when the models have read the best candidates.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import httpx


def main(query: str, url: str = "http://127.0.0.1:8765") -> None:
    """Print the results of every stage as they arrive."""
    body = {"query": query, "k": 5}
    with httpx.stream("POST", f"{url}/v1/search/stream", json=body, timeout=60) as response:
        response.raise_for_status()
        event = ""
        for line in response.iter_lines():
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
            elif line.startswith("data: ") and event == "results":
                show(json.loads(line.removeprefix("data: ")))


def show(answer: dict[str, Any]) -> None:
    """Print one stage's answer."""
    print(f"{answer['stage']}:")
    for result in answer["results"]:
        print(f"  {result['rank']}. {result['path']}:{result['start_line']}  {result['symbol']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
