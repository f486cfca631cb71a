"""Searches a fleet many times in one process, for `fleet.py`: queries from standard input, figures to standard output.

python benchmarks/fleet_reader.py FLEET.toml EFFORT < queries.json
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from measure import spread

from trackdown.fleet import FleetReader, FleetRepositories, Place, read_fleet
from trackdown.settings import load_settings


def main() -> None:
    """Run from the command line."""
    file, effort = sys.argv[1:]
    settings = load_settings()
    queries: list[str] = json.load(sys.stdin)
    reader = FleetReader(Place(read_fleet(Path(file)).address), settings)
    seconds: dict[str, list[float]] = {"cold_s": [], "warm_s": [], "choosing_s": []}
    with FleetRepositories(reader, settings) as fleet:
        for name in ("cold_s", "warm_s"):
            for query in queries:
                started = time.perf_counter()
                answer = fleet.search(query, effort=effort)
                seconds[name].append(time.perf_counter() - started)
                if name == "warm_s":
                    seconds["choosing_s"].append(answer.timings_ms["candidates"] / 1000)
    print(json.dumps({name: spread(values) for name, values in seconds.items()}))


if __name__ == "__main__":
    main()
