"""Let the object store of a fleet fail at many moments of syncs and searches: what was published must stay as it was.

python benchmarks/fleet_object_store.py REPOSITORY… [--faults 50] [--seed 1] [--json FILE]

The place is on a local S3 server, behind a proxy that refuses connections, cuts them after some bytes, is slow, or
passes nothing on, for half a second, for three, or until the command has ended. Half of the faults happen in syncs, the
others in searches.

A sync brings a fleet from its repositories' earlier states to the present ones, and the fault begins with a random one
of its requests. Then every repository must give exactly the answers of the state that is published of it, and the next
sync must publish what a clean one does: the same shards, and tables with the same rows.

A search is the first one of a reader with an empty cache, and the fault begins with a random one of its requests; or it
is one of a reader that has searched before, and the fault is there from its beginning. It must give the answer that it
gives without a fault, say that a repository was left out, or end with one line; and the same reader must give the
whole answer afterwards.

Before all that the same repositories are published in a folder: shards, rows, and the answers with their scores must be
the same. Ends with code 1 when anything was different.
"""

from __future__ import annotations

import logging
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fault_cases import Case, as_json, line_of, table_of
from fleet_kills import BACK, Rounds
from measure import keep, latest_subjects, new_parser

from trackdown.errors import TrackdownError
from trackdown.fleet import FleetReader, FleetRepositories, Place, read_fleet
from trackdown.settings import load_settings
from trackdown.types import SearchResults

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.fleet.faulty_proxy import KINDS, Fault, FaultyProxy
from tests.fleet.s3 import KEYS, s3_server

BUCKET = "fleets"
SECONDS = (0.5, 3.0, math.inf)
LONGEST = 300.0
"""A command that takes longer hangs."""
QUERIES = 3
"""Of each repository."""
ALL = "the fleet"
Answers = dict[str, list[Any]]
"""The answers of the fleet and of each repository, for all queries."""


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--faults", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.environ.update(KEYS)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    paths = [path.resolve() for path in arguments.repositories]
    with s3_server(BUCKET) as url, tempfile.TemporaryDirectory(prefix="trackdown-fleet-") as name:
        rounds = StoreRounds(Path(name), paths, Bucket(url), FaultyProxy(url))
        report: dict[str, Any] = {"seed": arguments.seed, "faults": arguments.faults, **rounds.published()}
        cases: list[Case] = []
        for case in rounds.cases(arguments.faults, random.Random(arguments.seed)):
            cases.append(case)
            print(line_of(case), flush=True)
            report["cases"] = [as_json(case) for case in cases]
            report["failed"] = [as_json(case) for case in cases if case.problems]
            keep(report, arguments.json)
    print(table_of(cases))
    sys.exit(1 if report["failed"] or report["different"] else 0)


class Bucket:
    """What is in the bucket, seen from behind the proxy."""

    def __init__(self, url: str) -> None:
        import boto3

        self._client: Any = boto3.client("s3", endpoint_url=url)

    def copy(self, source: str, target: str) -> None:
        """Let one prefix hold exactly what another one does."""
        for key in self._keys(target):
            self.remove(key)
        for key in self._keys(source):
            copied = {"Bucket": BUCKET, "Key": key}
            self._client.copy_object(Bucket=BUCKET, Key=target + key.removeprefix(source), CopySource=copied)

    def remove(self, key: str) -> None:
        """Remove an object, if it is there."""
        self._client.delete_object(Bucket=BUCKET, Key=key)

    def _keys(self, prefix: str) -> list[str]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{prefix}/")
        return [one["Key"] for page in pages for one in page.get("Contents", ())]


class StoreRounds(Rounds):
    """As `Rounds`, with all places but that of the fleet `folder` in a bucket behind the proxy."""

    def __init__(self, folder: Path, repositories: list[Path], bucket: Bucket, proxy: FaultyProxy) -> None:
        super().__init__(folder, repositories, "store")
        (folder / "folder").mkdir()
        self.bucket = bucket
        self.proxy = proxy
        self.queries = [subject for path in repositories for subject in latest_subjects(path, QUERIES)]
        self.wanted: dict[str, Any] = {}
        self.earlier: dict[str, Any] = {}
        self.expected: dict[str, Answers] = {}

    def place(self, fleet: str) -> str:
        """What the file of a fleet says of its place."""
        if fleet == "folder":
            return super().place(fleet)
        return f'place = "s3://{BUCKET}/{fleet}"\nendpoint = "{self.proxy.url}"\n'

    def begin(self) -> None:
        """Go back to the earlier states, with the present ones to be synced."""
        super().begin()
        self.bucket.copy("before", "killed")

    def published(self) -> dict[str, Any]:
        """Publish the fleets, and say what a folder has other than the bucket: of shards, tables and answers."""
        for fleet, at in (("folder", "HEAD"), ("clean", "HEAD"), ("before", f"HEAD~{BACK}")):
            self.write(fleet, at)
            self.sync(fleet)
            self.expected[fleet] = self.asked(fleet)
        self.wanted, self.earlier = self.content("clean"), self.content("before")
        folder, here = self.content("folder"), self.expected["folder"]
        different = [f"{part} differ" for part, value in self.wanted.items() if folder[part] != value]
        for name, answers in self.expected["clean"].items():
            of = zip(self.queries, answers, here[name], strict=True)
            different += [f"{name}: {query}" for query, one, other in of if one != other]
        print(f"{len(self.queries)} queries, a folder and the bucket: {'; '.join(different) or 'no difference'}")
        return {"repositories": len(self.repositories), "queries": len(self.queries), "different": different}

    def cases(self, faults: int, chance: random.Random) -> Iterator[Case]:
        """All faults: in syncs, then in first and later searches by turns."""
        self.begin()
        requests = self.requests(lambda: self.sync("killed"))
        self.expected["after"] = self.asked("killed")
        for number in range((faults + 1) // 2):
            yield self.during_sync(drawn(KINDS[number % len(KINDS)], requests, chance))
        requests = self.requests(lambda: self.searched_first(self.queries[0]))
        for number in range(faults // 2):
            fault = drawn(KINDS[number // 2 % len(KINDS)], requests, chance)
            yield self.during_search(fault, chance.choice(self.queries), is_first=number % 2 == 0)

    def requests(self, work: Callable[[], Any]) -> int:
        """How many requests something makes."""
        self.proxy.plan(Fault("slow", at=1 << 60))
        work()
        return self.proxy.exchanges

    def during_sync(self, fault: Fault) -> Case:
        """A fault in a sync, and what is there afterwards."""
        self.begin()
        self.proxy.plan(fault)
        started = time.monotonic()
        command = [*self.command("killed"), "--workers", "1"]
        with subprocess.Popen(
            command, env=self.environment("killed"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                said = process.communicate(timeout=LONGEST)[1]
            except subprocess.TimeoutExpired:
                process.kill()
                said = "it did not end"
        seconds, reached = time.monotonic() - started, self.proxy.has_begun
        self.proxy.heal()
        lines = said.strip().splitlines()
        last = lines[-1] if lines else ""
        problems = ["a traceback"] if "Traceback" in said else []
        outcome = "finished" if process.returncode == 0 else "partly" if "repositories failed" in last else "ended"
        if process.returncode not in (0, 1):
            outcome, problems = "hung", [*problems, f"code {process.returncode}"]
        problems += self.problems(self.wanted)
        return Case("sync", fault, reached, outcome, last, seconds, problems)

    def problems(self, wanted: dict[str, Any]) -> list[str]:
        """What is wrong after a fault, and after the next sync."""
        try:
            problems = self.wrong_answers(self.content("killed")["shards"], self.asked("killed"))
        except TrackdownError as error:
            problems = [f"no answer after the fault: {error}"]
        self.bucket.remove("killed/writer.lease")  # it ends by itself in 20 seconds, which would be most of the round
        try:
            self.sync("killed")
        except subprocess.CalledProcessError as error:
            return [*problems, f"the next sync failed: {error.stderr.decode()[-200:]}"]
        if self.content("killed") != wanted:
            problems.append("the next sync published something else than a clean one")
        return problems

    def wrong_answers(self, shards: dict[str, str], found: Answers) -> list[str]:
        """What is answered otherwise than the published states do: the earlier one of a repository, or the present."""
        states = {name: self.state(name, shard) for name, shard in shards.items()}
        if len(set(states.values())) == 1:
            states[ALL] = states["r0"]  # a mixture of states has answers that none of them has
        problems = [f"{name} is in neither state" for name, state in states.items() if not state]
        for name, state in states.items():
            if state and found[name] != self.expected[state][name]:
                problems.append(f"other answers of {name}, {state} the sync")
        return problems

    def state(self, name: str, shard: str) -> str:
        """Which state of a repository has this shard: that before the sync, that after it, or neither."""
        if shard == self.earlier["shards"][name]:
            return "before"
        return "after" if shard == self.wanted["shards"][name] else ""

    def during_search(self, fault: Fault, query: str, *, is_first: bool) -> Case:
        """A fault in a search, and the same search afterwards."""
        expected = self.expected["clean"][ALL][self.queries.index(query)]
        problems: list[str] = []
        with self.reader("clean") as opened:
            if is_first:
                self.proxy.plan(fault)
            else:
                opened.search(self.queries[0], effort="fast")
                self.proxy.begin(fault)
            started = time.monotonic()
            try:
                answer = in_time(lambda: opened.search(query, effort="fast"))
                outcome, said = "partly" if answer.partial else "finished", "; ".join(answer.notes)
                if not answer.partial and identified(answer) != expected:
                    problems.append("another answer during the fault")
            except TrackdownError as error:
                outcome, said = "ended", str(error)
            except TimeoutError:
                outcome, said, problems = "hung", "", ["it did not end"]
            seconds, reached = time.monotonic() - started, self.proxy.has_begun
            self.proxy.heal()
            try:
                if identified(opened.search(query, effort="fast")) != expected:
                    problems.append("another answer after the fault")
            except TrackdownError as error:
                problems.append(f"no answer after the fault: {error}")
        during = "first search" if is_first else "later search"
        return Case(during, fault, reached, outcome, said, seconds, problems)

    def searched_first(self, query: str) -> SearchResults:
        """The first search of a reader with an empty cache."""
        with self.reader("clean") as opened:
            return opened.search(query, effort="fast")

    def asked(self, fleet: str) -> Answers:
        """What a reader with an empty cache answers, in the whole fleet and in each repository."""
        with self.reader(fleet) as opened:
            return {
                name or ALL: [
                    identified(opened.search(query, effort="fast", repository=name)) for query in self.queries
                ]
                for name in (None, *opened.names)
            }

    @contextmanager
    def reader(self, fleet: str) -> Iterator[FleetRepositories]:
        """A fleet for a reader with an empty cache, which looks for news with every search."""
        shutil.rmtree(self.folder / "reader", ignore_errors=True)
        settings = load_settings(store=self.folder / "reader")
        place = Place(read_fleet(self.folder / fleet / "fleet.toml").address)
        with FleetRepositories(FleetReader(place, settings, fresh_seconds=0.0), settings) as opened:
            yield opened


def drawn(kind: str, requests: int, chance: random.Random) -> Fault:
    """A fault of a kind that begins with one of so many requests."""
    return Fault(
        kind,
        at=chance.randint(1, requests),
        seconds=chance.choice(SECONDS),
        cut_after=int(10 ** chance.uniform(0, 6)),
        pause=chance.uniform(0.002, 0.02),
    )


def in_time(work: Callable[[], SearchResults]) -> SearchResults:
    """What a search answers. Raises TimeoutError if it takes too long."""
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(work).result(LONGEST)
    finally:
        pool.shutdown(wait=False)


def identified(answer: SearchResults) -> list[tuple[Any, ...]]:
    """The results of an answer, with their scores and probabilities."""
    return [(one.repository, one.path, one.symbol, one.start_line, one.score, one.probability) for one in answer]


if __name__ == "__main__":
    main()
