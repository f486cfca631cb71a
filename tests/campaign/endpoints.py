"""Servers that the program asks, and that misbehave: a model, an issue tracker, a place with an index, a git origin."""

from __future__ import annotations

import subprocess

from tests.campaign.judge import MOST_SECONDS
from tests.campaign.misbehaving import misbehaving, serving
from tests.campaign.prepared_stores import shard
from tests.campaign.scene import QUERY, Ground
from tests.models.llm.loopback import completion
from tests.surfaces.program import Program

ISSUE = b'{"iid": 5, "title": "The session cookie is not signed", "description": "Sign it.", "state": "opened"}'
_PASSWORD = "s3cret-token"
_SMALL = {"TRACKDOWN_STORE_LIMIT_MB": "64"}
"""How much of a flood is read before it counts as one."""
_IMPATIENT = {"GIT_HTTP_LOW_SPEED_LIMIT": "1000", "GIT_HTTP_LOW_SPEED_TIME": "3"}


def run(ground: Ground) -> None:
    """Ask one of the servers, which answers as the dice say; then search without it."""
    ways = {"language model": _ask_llm, "tracker": _ask_tracker, "import": _ask_import, "git": _ask_git}
    name = ground.dice.choice(list(ways))
    ground.say(name)
    ways[name](ground)


def _ask_llm(ground: Ground) -> None:
    program = ground.scene.program(ground.folder).having(TRACKDOWN_LLM_TIMEOUT_S="1", TRACKDOWN_LLM_MODEL="small")
    plain = ground.scene.kept.get("bm25 answer") or _symbols(ground, program, "bm25")
    ground.scene.kept["bm25 answer"] = plain
    server = misbehaving(ground, completion(ground.dice.choice(("2 > 1", "", "[9999]", "1" * 5_000))))
    with serving(server) as url:
        found = _symbols(ground, program.having(TRACKDOWN_LLM=f"{url}/v1"), "bm25+llm-rerank")
    ground.judge.fired = server.fired
    ground.judge.expect(sorted(found) == sorted(plain), f"other results: {found}")
    ground.asked_again(program)


def _symbols(ground: Ground, program: Program, mode: str) -> list[str]:
    run = program("search", QUERY, "--mode", mode, "--format", "json", timeout=MOST_SECONDS)
    answer = ground.judge.judge(mode, run, may_refuse=False) or {"results": []}
    return [f"{result['path']}:{result['symbol']}" for result in answer["results"]]


def _ask_tracker(ground: Ground) -> None:
    server = misbehaving(ground, ISSUE)
    program = ground.scene.program(ground.folder)
    with serving(server) as url:
        asking = program.having(GITLAB_HOST=url, GITLAB_TOKEN=_PASSWORD)
        words = ("search", "--issue", f"{url}/group/shop/-/issues/5", "--effort", "fast", "--format", "json")
        run = asking(*words, timeout=MOST_SECONDS)
    ground.judge.fired = server.fired
    ground.judge.judge("search --issue", run)
    ground.judge.expect(_PASSWORD not in run.out + run.err, "the token is shown")
    ground.asked_again(program)


def _ask_import(ground: Ground) -> None:
    server = misbehaving(ground, shard(ground.scene).read_bytes())
    program = ground.scene.program(ground.folder, empty=ground.dice.random() < 0.7).having(**_SMALL)
    with serving(server) as url:
        run = program("index", "--import", f"{url}/shop.shard", "--format", "json", timeout=MOST_SECONDS)
    ground.judge.fired = server.fired
    ground.judge.judge("index --import", run)
    ground.asked_again(program)


def _ask_git(ground: Ground) -> None:
    """Clone from a server that begins as git's do, or not even that. It never has the objects, so a refusal is right.

    Git keeps the whole of a first answer in memory: one without end is no test for a machine that others share.
    """
    server = misbehaving(ground, _advertisement(ground), "application/x-git-upload-pack-advertisement", floods=False)
    program = ground.scene.program(ground.folder, empty=True).having(**_IMPATIENT)
    with serving(server) as url:
        place = url.replace("://", f"://user:{_PASSWORD}@") + "/shop.git"
        run = program("search", QUERY, place, "--effort", "fast", "--format", "json", timeout=MOST_SECONDS)
    ground.judge.fired = server.asked.is_set()
    ground.judge.judge("search of a URL", run)
    ground.judge.expect(run.code != 0, "found something where nothing is")
    ground.judge.expect(_PASSWORD not in run.out + run.err, "the password is shown")
    left = [path.name for path in program.store.glob("v*/clones/*")]
    ground.judge.expect(not left, f"half a clone is left: {left}")
    ground.asked_again(program)


def _advertisement(ground: Ground) -> bytes:
    """What a git server says first: its capabilities and references."""
    repo = str(ground.scene.repo.root)
    command = ["git", "upload-pack", "--stateless-rpc", "--advertise-refs", repo]
    told = subprocess.run(command, capture_output=True, check=True).stdout
    return b"001e# service=git-upload-pack\n0000" + told
