"""Kill -9 workers, the scheduler or the writer of a sync at many moments, or let its disk fill up: what was published
must stay as it was.

python benchmarks/fleet_kills.py REPOSITORY… --of writer|worker|scheduler|disk [--kills 50] [--seed 1] [--json FILE]

Each round starts from the fleet of all repositories' earlier states, syncs to the present ones, and kills at a random
moment of the time that the victim lives in such a sync, counted from when it is there. A kill that met nobody, because
the sync or its worker had ended, is a row of the report, and does not count: another one takes its place. After the
fault every repository must be published in its earlier or its present state, with the rows of that state in the tables,
and a new reader must find all of them. The next sync must publish exactly what a clean one has: the same shards, and
tables with the same rows. Ends with code 1 when anything was different.

`--of disk` kills nothing: the place and the builder's store by turns are on a disk that has room for a random share of
what the sync writes. It counts if the sync found no room. The disk is mounted in a namespace of its own, which takes
root.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from measure import keep, name_of, new_parser

PROGRAM = [sys.executable, "-m", "trackdown"]
QUERY = "where is a request parsed"
BACK = 30
"""How many commits the earlier states are behind."""
PORT = 18786
SCHEDULER = f"tcp://127.0.0.1:{PORT}"
NO_ROOM = ("No space left", "disk is full", "is full")
PARTS = ("place", "store")
"""What a disk that fills up has on it, by turns."""


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--of", choices=["writer", "worker", "scheduler", "disk"], default="writer")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trackdown-fleet-") as name:
        rounds = Rounds(Path(name), [path.resolve() for path in arguments.repositories], arguments.of)
        report = rounds.run(arguments.kills, random.Random(arguments.seed))
    keep(report, arguments.json)
    sys.exit(1 if report["failed"] else 0)


class Rounds:
    """The fleets of one run: a clean one, one of the earlier states, and the one in which processes are killed."""

    def __init__(self, folder: Path, repositories: list[Path], victim: str) -> None:
        self.folder = folder
        self.repositories = repositories
        self.victim = victim
        for fleet in ("clean", "before", "killed"):
            (folder / fleet).mkdir()

    def run(self, kills: int, chance: random.Random) -> dict[str, Any]:
        """All rounds, until so many faults have hit."""
        for fleet, at in (("clean", "HEAD"), ("before", f"HEAD~{BACK}")):
            self.write(fleet, at)
            self.sync(fleet)
        before, after = self.content("before"), self.content("clean")
        self.begin()
        lived = self.kill(None)["moment_s"]
        sizes = {part: kilobytes(self.folder / "killed" / part) for part in PARTS}
        rows: list[dict[str, Any]] = []
        hits = 0
        while hits < kills:
            if len(rows) > 4 * kills + 20:
                raise SystemExit(f"only {hits} of {len(rows)} faults hit anything")
            share = chance.random()
            self.begin()
            part = PARTS[len(rows) % 2]
            fault = self.fill(part, share, sizes[part]) if self.victim == "disk" else self.kill(lived * share)
            row = {"share": round(share, 3), **fault}
            if row["hit"]:
                hits += 1
                row |= self.judged(before, after)
            rows.append(row)
            print(f"{hits} {self.victim} {row}", flush=True)
        return {
            "victim": self.victim,
            "repositories": [name_of(path) for path in self.repositories],
            "kills": hits,
            "hit_nothing": len(rows) - hits,
            "lived_s": lived,
            "published": dict(Counter(row["published"] for row in rows if row["hit"])),
            "failed": [row for row in rows if row.get("problems")],
            "rows": rows,
        }

    def judged(self, before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
        """What is published after a fault, and what is wrong with it or with what the next sync publishes."""
        found = self.content("killed")
        state, problems = state_of(found, before, after)
        problems += self.unanswered("killed")
        (self.folder / "killed" / "place" / "writer.lease").unlink(missing_ok=True)  # the next sync waits for its end
        try:
            self.sync("killed")
        except subprocess.CalledProcessError as error:
            return {"published": state, "problems": [*problems, f"the next sync failed: {error.stderr[-200:]!r}"]}
        if self.content("killed") != after:
            problems.append("the next sync published something else than a clean one")
        return {"published": state, "problems": problems}

    def begin(self) -> None:
        """Go back to the earlier states, with the present ones to be synced."""
        shutil.rmtree(self.folder / "killed")
        shutil.copytree(self.folder / "before", self.folder / "killed")
        self.write("killed", "HEAD")

    def fill(self, part: str, share: float, whole: float) -> dict[str, Any]:
        """Sync with a part of the fleet on a disk that has room for a share of what is written."""
        at = self.folder / "killed" / part
        held = kilobytes(at)
        size = int(held + share * (whole - held)) + 256
        mount = f"mkdir {at}; mount -t tmpfs -o size={size}k tmpfs {at}"
        setup = f"mv {at} {at}.old; {mount}; cp -a {at}.old/. {at}; rm -r {at}.old"
        words = " ".join([*self.command("killed"), "--workers", "1"])
        script = f"set -e; {setup}; set +e; {words}; code=$?; cp -a {at}/. {at}.kept; exit $code"
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", script], env=self.environment("killed"), capture_output=True, text=True
        )
        shutil.rmtree(at)
        at.with_name(f"{part}.kept").rename(at)
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        no_room = any(text in done.stdout + done.stderr for text in NO_ROOM)
        return {"of": part, "hit": no_room, "code": done.returncode, "said": lines[-1][:150] if lines else ""}

    def kill(self, moment: float | None) -> dict[str, Any]:
        """Sync, and kill so long after the victim began to live. Without a moment nobody is killed.

        Returns how long the victim had lived, whether it was killed alive, and the code of the sync.
        """
        cluster = self.cluster() if self.victim == "scheduler" else []
        process = subprocess.Popen(
            [*self.command("killed"), *(["--scheduler", SCHEDULER] if cluster else ["--workers", "1"])],
            env=self.environment("killed"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        began: float | None = None
        lived, hits = 0.0, [False]
        until = time.monotonic() + 300
        try:
            while process.poll() is None:
                victims = self.victims(process, cluster)
                now = time.monotonic()
                began = now if began is None and victims else began
                lived = now - began if began is not None and victims else lived
                if moment is not None and began is not None and now - began >= moment:
                    hits = [killed(one) for one in victims]
                    break
                if now > until:
                    raise SystemExit(f"the sync did not end; its victim lived {lived:.2f} s")
                time.sleep(0.02)
            code = process.wait(300)
        except subprocess.TimeoutExpired:
            raise SystemExit(f"the sync did not end after a kill at {lived:.2f} s") from None
        finally:
            process.kill()
            for started in cluster:
                with suppress(psutil.Error):
                    for child in psutil.Process(started.pid).children(recursive=True):
                        killed(child.pid)
                started.kill()
                started.wait()
        return {"moment_s": round(lived, 3), "hit": any(hits), "code": code}

    def victims(self, process: subprocess.Popen[bytes], cluster: list[subprocess.Popen[bytes]]) -> list[int]:
        """Whom to kill."""
        if self.victim == "writer":
            return [process.pid]
        if self.victim == "scheduler":
            return [cluster[0].pid]
        try:
            children = psutil.Process(process.pid).children()
            return [one.pid for one in children if "spawn_main" in " ".join(one.cmdline())]
        except psutil.Error:
            return []

    def cluster(self) -> list[subprocess.Popen[bytes]]:
        """A scheduler that answers, and a worker, as processes of their own."""
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        dask = [sys.executable, "-m", "dask"]
        address = ["--host", "127.0.0.1", "--port", str(PORT), "--no-dashboard"]
        scheduler = subprocess.Popen([*dask, "scheduler", *address], **quiet)
        worker = subprocess.Popen(
            [*dask, "worker", SCHEDULER, "--nthreads", "1", "--no-dashboard"], env=self.environment("killed"), **quiet
        )
        while not answers(PORT):
            time.sleep(0.1)
        return [scheduler, worker]

    def write(self, fleet: str, at: str) -> None:
        """Write the file of a fleet."""
        entries = [
            f'[[repositories]]\npath = "{path}"\nname = "r{number}"\nat = "{at}"\n'
            for number, path in enumerate(self.repositories)
        ]
        (self.folder / fleet / "fleet.toml").write_text(self.place(fleet) + "".join(entries), "utf-8")

    def place(self, fleet: str) -> str:
        """What the file of a fleet says of its place."""
        return 'place = "place"\n'

    def command(self, fleet: str) -> list[str]:
        return [*PROGRAM, "fleet", "sync", "--fleet", str(self.folder / fleet / "fleet.toml"), "--format", "json"]

    def environment(self, fleet: str) -> dict[str, str]:
        return os.environ | {"TRACKDOWN_STORE": str(self.folder / fleet / "store")}

    def sync(self, fleet: str) -> None:
        """A sync that must succeed."""
        command = [*self.command(fleet), "--workers", "1"]
        subprocess.run(command, env=self.environment(fleet), check=True, capture_output=True)

    def unanswered(self, fleet: str) -> list[str]:
        """The repositories that a new reader does not find in the state that is published of them."""
        from trackdown.errors import TrackdownError
        from trackdown.fleet import FleetReader, FleetRepositories, FleetSearch, Place, read_fleet
        from trackdown.settings import load_settings

        with tempfile.TemporaryDirectory(dir=self.folder) as store:
            settings = load_settings(store=Path(store))
            reader = FleetReader(Place(read_fleet(self.folder / fleet / "fleet.toml").address), settings)
            try:
                with FleetRepositories(reader, settings) as opened:
                    found = opened.search(QUERY, effort="fast", fleet=FleetSearch(look_into=100))
            except TrackdownError as error:
                return [f"no answer after the fault: {error}"]
            shown = {one.repository: one.commit for one in found.snapshots}
            published = {name: one.built.commit for name, one in reader.published().items()}
        return [f"{name} has no answer" for name, commit in published.items() if shown.get(name) != commit]

    def content(self, fleet: str) -> dict[str, Any]:
        """What is published: the shard of each repository, and its rows in each table."""
        from trackdown.fleet import Place, read_fleet
        from trackdown.fleet.manifest import read_latest
        from trackdown.fleet.table import GroupTables

        place = Place(read_fleet(self.folder / fleet / "fleet.toml").address)
        latest = read_latest(place)
        tables: dict[str, dict[str, list[str]]] = {}
        for group, version in latest.tables.items():
            rows = GroupTables(place).open(group, version).to_arrow().select(["repository", "key", "symbol", "body"])
            own = tables.setdefault(group, {})
            for row in rows.to_pylist():
                own.setdefault(row["repository"], []).append(str(row))
            for texts in own.values():
                texts.sort()
        return {"shards": {name: one.built.shard for name, one in latest.repositories.items()}, "tables": tables}


def state_of(found: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> tuple[str, list[str]]:
    """Which state is published, before, after or a mixture, and what belongs to neither.

    A mixture has each repository whole, in one of the two states.
    """
    problems = [] if found["shards"].keys() == before["shards"].keys() else ["other repositories are published"]
    states = set()
    for name, shard in found["shards"].items():
        fits = [told for told, one in (("before", before), ("after", after)) if one["shards"].get(name) == shard]
        if not fits:
            problems.append(f"{name} is in neither state")
            continue
        states.add(fits[0])
        expected = before if fits[0] == "before" else after
        if any(own.get(name) != expected["tables"][group].get(name) for group, own in found["tables"].items()):
            problems.append(f"the table has other rows of {name} than the state {fits[0]} the sync")
    return states.pop() if len(states) == 1 else "mixed", problems


def killed(process: int) -> bool:
    """Kill a process. Returns whether it was alive."""
    with suppress(psutil.Error, ProcessLookupError):
        if psutil.Process(process).status() != psutil.STATUS_ZOMBIE:
            os.kill(process, signal.SIGKILL)
            return True
    return False


def answers(port: int) -> bool:
    """Whether something listens on this machine."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def kilobytes(folder: Path) -> float:
    """How much the files below a folder take, in whole blocks as a disk counts."""
    return sum(-(-file.stat().st_size // 4096) * 4 for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
