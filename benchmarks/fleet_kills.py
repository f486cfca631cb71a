"""Kill -9 workers, the scheduler or the writer of a sync at many moments, or let its disk fill up: what was published
must stay as it was.

python benchmarks/fleet_kills.py REPOSITORY… --of writer|worker|scheduler|disk [--kills 50] [--seed 1] [--json FILE]

A clean sync of the repositories is timed first. Each round starts from the fleet of all repositories' earlier states,
syncs to the present ones, and kills at a random moment of that time. Then the earlier state must still be searchable
or the new one complete, and the next sync must publish exactly what the clean one has: the same shards, and tables
with the same rows. Ends with code 1 when anything was different.

`--of disk` kills nothing: the place and the builder's store by turns are on a disk that has room for a random share of
what the sync writes. It mounts that disk in a namespace of its own, which takes root.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from measure import keep, new_parser

PROGRAM = [sys.executable, "-m", "trackdown"]
QUERY = "where is a request parsed"
BACK = 30
"""How many commits the earlier states are behind."""
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
        """All rounds."""
        self.write("clean", "HEAD")
        started = time.monotonic()
        self.sync("clean")
        build = time.monotonic() - started
        wanted = self.content("clean")
        self.write("before", f"HEAD~{BACK}")
        self.sync("before")
        self.begin()
        self.sync("killed")
        whole = {part: kilobytes(self.folder / "killed" / part) for part in PARTS}
        failed = []
        for number in range(kills):
            share = (number + chance.random()) / kills
            self.begin()
            if self.victim == "disk":
                part = PARTS[number % 2]
                said = self.fill(part, share, whole[part])
            else:
                said = self.kill(build * share)
            problems = self.problems(wanted)
            print(f"{self.victim} at {share:4.0%}, {said}: {'; '.join(problems) or 'no problem'}", flush=True)
            failed += [{"share": round(share, 3), "said": said, "problems": problems}] if problems else []
        return {"victim": self.victim, "kills": kills, "build_s": round(build, 2), "failed": failed}

    def begin(self) -> None:
        """Go back to the earlier states, with the present ones to be synced."""
        shutil.rmtree(self.folder / "killed")
        shutil.copytree(self.folder / "before", self.folder / "killed")
        self.write("killed", "HEAD")

    def fill(self, part: str, share: float, whole: float) -> str:
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
        if done.returncode == 0:
            return f"{part} was large enough"
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return f"code {done.returncode}, {len(lines)} lines, the last {lines[-1][:150] if lines else ''!r}"

    def kill(self, moment: float) -> str:
        """Sync, and kill at a moment."""
        cluster = self.cluster() if self.victim == "scheduler" else []
        process = subprocess.Popen(
            [*self.command("killed"), *(["--scheduler", "tcp://127.0.0.1:18786"] if cluster else ["--workers", "1"])],
            env=self.environment("killed"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(moment)
        for one in self.victims(process, cluster):
            try:
                os.kill(one, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            process.wait(300)
        except subprocess.TimeoutExpired:
            process.kill()
            raise SystemExit(f"the sync did not end after {moment:.2f} s") from None
        finally:
            for started in cluster:
                started.kill()
        return f"{moment:.2f} s"

    def problems(self, wanted: dict[str, Any]) -> list[str]:
        """What is wrong after a fault, and after the next sync."""
        problems = []
        if not self.answers("killed"):
            problems.append("no answer after the fault")
        self.sync("killed")
        if self.content("killed") != wanted:
            problems.append("the next sync published something else than a clean one")
        return problems

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
        """A scheduler and a worker as processes of their own."""
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        dask = [sys.executable, "-m", "dask"]
        address = ["--host", "127.0.0.1", "--port", "18786", "--no-dashboard"]
        scheduler = subprocess.Popen([*dask, "scheduler", *address], **quiet)
        worker = subprocess.Popen(
            [*dask, "worker", "tcp://127.0.0.1:18786", "--nthreads", "1", "--no-dashboard"],
            env=self.environment("killed"),
            **quiet,
        )
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

    def answers(self, fleet: str) -> bool:
        """Whether a search has an answer from every repository."""
        command = [*PROGRAM, "fleet", "search", QUERY, "--effort", "fast", "--repositories", "100", "--format", "json"]
        command += ["--fleet", str(self.folder / fleet / "fleet.toml")]
        done = subprocess.run(command, env=self.environment(fleet), capture_output=True, text=True)
        return done.returncode == 0 and len(json.loads(done.stdout)["snapshots"]) == len(self.repositories)

    def content(self, fleet: str) -> dict[str, Any]:
        """What is published: shard of each repository, and rows of each table."""
        from trackdown.fleet import Place, read_fleet
        from trackdown.fleet.manifest import read_latest
        from trackdown.fleet.table import GroupTables

        place = Place(read_fleet(self.folder / fleet / "fleet.toml").address)
        latest = read_latest(place)
        tables = {}
        for group, version in latest.tables.items():
            rows = GroupTables(place).open(group, version).to_arrow().select(["repository", "key", "symbol", "body"])
            tables[group] = sorted(map(str, rows.to_pylist()))
        return {"shards": {name: one.built.shard for name, one in latest.repositories.items()}, "tables": tables}


def kilobytes(folder: Path) -> float:
    """How much the files below a folder take, in whole blocks as a disk counts."""
    return sum(-(-file.stat().st_size // 4096) * 4 for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
