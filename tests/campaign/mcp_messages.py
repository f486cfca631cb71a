"""Messages to the MCP server that no agent should send: bad JSON-RPC, bad arguments, and pipes that close."""

from __future__ import annotations

import json
import random
import subprocess
import threading
from typing import Any

from tests.campaign.judge import MOST_SECONDS, Verdict
from tests.campaign.odd_values import PARAMETERS, VALUES
from tests.campaign.scene import QUERY, Ground
from tests.surfaces.mcp.test_life import HELLO
from tests.surfaces.program import COMMAND, Program

TOOLS = {
    "search_code": {"query": QUERY},
    "locate_issue": {"issue": QUERY},
    "past_changes": {"query": "cookie"},
    "show_commit": {"commit": "HEAD"},
    "related_code": {"target": "web/session.py:8"},
    "change_impact": {"revisions": "HEAD~1..HEAD"},
    "code_graph": {"target": "Session"},
    "read_unit": {"path": "web/session.py"},
    "index_status": {},
    "no_such_tool": {},
}
"""The tools, with arguments that are good."""
METHODS = (
    "initialize ping tools/list tools/call resources/list prompts/get logging/setLevel completion/complete roots/list "
    "notifications/initialized notifications/progress no/such/method"
).split()
_LAST = 987_654
_CALL = {
    "jsonrpc": "2.0",
    "id": _LAST,
    "method": "tools/call",
    "params": {"name": "search_code", "arguments": {"query": QUERY, "effort": "fast"}},
}


def run(ground: Ground) -> None:
    """Send a server up to a dozen odd lines, then a good call; or close its pipes in the middle."""
    dice = ground.dice
    lines = [_line(dice) for _ in range(dice.randint(1, 12))]
    ground.say(repr(b" | ".join(line[:60] for line in lines)))
    program = ground.scene.program(ground.folder, empty=dice.random() < 0.2)
    if dice.random() < 0.25:
        ground.say("pipes closed")
        _hang_up(ground, program, lines)
        return
    if "mcp answer" not in ground.scene.kept:
        ground.scene.kept["mcp answer"] = _converse(ground, ground.scene.clean, [])
    answer = _converse(ground, program, lines)
    ground.judge.expect(
        answer == ground.scene.kept["mcp answer"] or "index" in answer, f"another answer: {answer[:300]}"
    )


def _line(dice: random.Random) -> bytes:
    """One line: a call with odd arguments, a message of an odd shape, or no message."""
    match dice.randrange(4):
        case 0 | 1:
            name = dice.choice(list(TOOLS))
            arguments: dict[str, Any] = dict(TOOLS[name])
            for _ in range(dice.randint(0, 3)):
                arguments[dice.choice([*PARAMETERS, *arguments])] = dice.choice(VALUES)
            params: Any = {"name": name, "arguments": arguments} if dice.random() < 0.9 else dice.choice(VALUES)
            return _encoded({"jsonrpc": "2.0", "id": dice.randrange(1000), "method": "tools/call", "params": params})
        case 2:
            message: dict[str, Any] = {"jsonrpc": "2.0", "id": dice.randrange(1000), "method": dice.choice(METHODS)}
            for name in dice.sample(["jsonrpc", "id", "method", "params", "result", "error"], dice.randint(0, 3)):
                message[name] = dice.choice(VALUES)
            return _encoded(message)
        case _:
            return dice.choice(
                (
                    b"",
                    b"{",
                    b"[]",
                    b"null",
                    b"[" * 20_000,
                    b"\xff\xfe",
                    dice.randbytes(50).replace(b"\n", b""),
                    b"1" * 10_000,
                )
            )


def _encoded(message: Any) -> bytes:
    return json.dumps(message).encode()


def _converse(ground: Ground, program: Program, lines: list[bytes]) -> str:
    """What a good call is answered after these lines; the server then ends by itself when its input closes."""
    process = _start(program)
    guard = threading.Timer(MOST_SECONDS, process.kill)
    guard.start()
    try:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"".join(line + b"\n" for line in [_encoded(HELLO), *lines, _encoded(_CALL)]))
        process.stdin.flush()
        answer = ""
        for line in process.stdout:
            message = json.loads(line)
            if message.get("id") == _LAST and "result" in message:
                answer = message["result"]["content"][0]["text"]
                break
        _, err = process.communicate(timeout=MOST_SECONDS)
    finally:
        guard.cancel()
    ground.judge.expect(bool(answer), "the good call has no answer")
    ground.judge.expect(b"Traceback" not in err, f"traceback: {err[-300:]!r}")
    ground.judge.expect(process.returncode == 0, f"exit code {process.returncode}: {err[-300:]!r}")
    ground.judge.seen[Verdict.EQUAL] += 1
    return answer


def _hang_up(ground: Ground, program: Program, lines: list[bytes]) -> None:
    """Close the pipes without reading; the server has to end, in silence or with one line."""
    process = _start(program)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdin.write(b"".join(line + b"\n" for line in [_encoded(HELLO), *lines, _encoded(_CALL)]))
    process.stdin.flush()
    process.stdout.close()
    if ground.dice.random() < 0.5:
        process.stdin.close()
    else:
        threading.Timer(1.0, process.stdin.close).start()
    try:
        process.wait(MOST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    err = process.stderr.read()
    process.stderr.close()
    ground.judge.expect(b"Traceback" not in err and err.count(b"\n") <= 1, f"said when hung up on: {err[-300:]!r}")
    ground.judge.expect(process.returncode >= 0, f"died of signal {-process.returncode}")
    ground.judge.seen[Verdict.REFUSED] += 1


def _start(program: Program) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, "mcp"],
        cwd=program.folder,
        env=program.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
