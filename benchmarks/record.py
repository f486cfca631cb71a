"""Run a `trackdown` command that measures, and keep its JSON with date, machine, commit, time and peak memory.

python benchmarks/record.py RESULT.json -- bench swe lite.jsonl --repos clones --level file

Memory is the proportional share of all processes of the command together, sampled twenty times a second.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from measure import describe_run, peak_memory


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    words = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "trackdown", *words, "--format", "json"], stdout=subprocess.PIPE)
    peak = peak_memory(process)
    output, _ = process.communicate()
    seconds = time.perf_counter() - started
    if process.returncode:
        raise SystemExit(process.returncode)
    answer = json.loads(output)
    answer.pop("run_file", None)
    shown = " ".join(Path(word).name if "/" in word and "{" not in word else word for word in words)
    run = describe_run() | {"command": f"trackdown {shown}", "seconds": round(seconds, 1), "peak_mb": round(peak[0])}
    arguments.result.write_text(json.dumps(answer | {"run": run}, indent=1) + "\n")
    print(f"{arguments.result}: {seconds:.1f} s, {peak[0]:.0f} MB at the peak", file=sys.stderr)


if __name__ == "__main__":
    main()
