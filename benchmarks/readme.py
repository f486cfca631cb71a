"""Measures every figure of README.md again, at one commit, one after the other; nothing else should run meanwhile.

python benchmarks/readme.py --data FOLDER --repos FOLDER [--layout …] [--before PROGRAM] [--only NAME …] [--out FOLDER]

The data folder has the published sets as `swe/lite-dev.jsonl`, `cmu/OWNER_NAME_gold.parquet`, `semble/` and
`reco/mbpp.jsonl`. `--before` is an earlier installed version, asked for messages as well. A run that was cut goes on:
what a result file says of the present commit is not measured again. So the code must be committed. Two figures take
hours and have commands of their own: those of the four sets together (`make bench-swe`) and the fleet's
(`make bench-fleet-quality`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from measure import describe_run

HERE = Path(__file__).parent
DEFAULT = "hybrid,hybrid+encoder@100+code-reranker@20"
SMALL = "hybrid,hybrid+rerank@20"
MESSAGES = (
    "google/gson fluent/fluentd redis/redis django/django trpc/trpc spf13/cobra nushell/nushell hashicorp/terraform "
    "vuejs/core"
).split()


def commands(data: Path, repos: Path, layout: str, before: Path | None = None) -> Iterator[tuple[str, list[str]]]:
    """The name of every result file, and the script with its arguments that measures it."""

    def place(repository: str) -> str:
        owner, name = repository.split("/")
        return str(repos / layout.format(owner=owner, name=name))

    def bench(*words: str) -> list[str]:
        return ["record.py", "RESULT", "--", "bench", *words]

    def messages(effort: str) -> list[str]:
        return ["messages.py", *map(place, MESSAGES), "--effort", effort, "--program", program(), "--json", "RESULT"]

    everywhere = ["--repos", str(repos), "--layout", layout]
    for level in ("function", "file"):
        words = ("swe", str(data / "swe/lite-dev.jsonl"), *everywhere, "--level", level, "--modes", DEFAULT)
        yield f"swe-lite-dev-{level}-packaged", bench(*words)
    yield "messages-balanced", messages("balanced")
    yield "messages", messages("fast") + (["--before", str(before)] if before else [])
    for repository in ("django/django", "facebook/react", "redis/redis"):
        gold = data / f"cmu/{repository.replace('/', '_')}_gold.parquet"
        modes = ("--modes", f"bm25+mentions+commits,{SMALL}")
        yield f"cmu-{repository.split('/')[1]}-models", bench("cmu", str(gold), "--repo", place(repository), *modes)
    modes = ("--modes", "bm25+mentions+commits,hybrid,hybrid+rerank")
    yield "semble-models", bench("semble", str(data / "semble"), *everywhere, *modes)
    mbpp = ("text2code", "--set", "mbpp", "--data", str(data / "reco/mbpp.jsonl"), "--modes", f"bm25,dense,{SMALL}")
    yield "text2code-mbpp-models", bench(*mbpp)
    yield "text2code-mbpp-normalised-models", bench(*mbpp, "--normalise-names")
    yield "speed-django-models", ["speed.py", place("django/django"), "--peer", "semble", "--json", "RESULT"]
    yield "deep-django", ["deep.py", place("django/django"), "--json", "RESULT"]


def program() -> str:
    """The installed program beside the Python that runs this."""
    return str(Path(sys.executable).with_name("trackdown"))


def is_of(path: Path, commit: str) -> bool:
    """Whether a result file says that it was measured at a commit."""
    try:
        return str(json.loads(path.read_text("utf-8"))["run"]["commit"]) == commit
    except (OSError, ValueError, KeyError, TypeError):
        return False


def is_changed() -> bool:
    """Whether the program or the benchmarks differ from the last commit."""
    git = ["git", "-C", str(HERE.parent), "status", "--porcelain", "--", "src", "benchmarks/*.py"]
    return bool(subprocess.check_output(git, text=True).strip())


def main(words: Sequence[str] | None = None) -> int:
    """Run from the command line; 1 if a measurement failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--layout", default="{owner}/{name}")
    parser.add_argument("--before", type=Path, metavar="PROGRAM")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this result; may be repeated")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    arguments = parser.parse_args(words)
    wanted = dict(commands(arguments.data, arguments.repos, arguments.layout, arguments.before))
    if unknown := set(arguments.only or ()) - set(wanted):
        parser.error(f"no result is called {', '.join(sorted(unknown))}; there are {', '.join(wanted)}")
    commit, failed = str(describe_run()["commit"] or ""), list[str]()
    if not commit or is_changed():
        parser.error("commit the code first: results are told apart by the commit that they were measured at")
    for name, command in wanted.items():
        result = arguments.out / f"{name}.json"
        if (arguments.only and name not in arguments.only) or is_of(result, commit):
            continue
        script, *rest = [str(result) if word == "RESULT" else word for word in command]
        print(f"{name}: {script}", flush=True)
        started = time.monotonic()
        if subprocess.run([sys.executable, str(HERE / script), *rest]).returncode:
            failed.append(name)
        print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
