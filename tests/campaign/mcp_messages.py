"""Messages to the MCP server that no agent should send: bad JSON-RPC, bad arguments, and pipes that close."""

from __future__ import annotations

import json
import random
import subprocess
import threading
from typing import Any

from tests.campaign.judge import MOST_SECONDS, TRACEBACK, Judge, Verdict, without_what_varies
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
SURPRISE = TRACEBACK.encode()
METHODS = (
    "initialize ping tools/list tools/call resources/list prompts/get logging/setLevel completion/complete roots/list "
    "notifications/initialized notifications/progress no/such/method"
).split()
LAST = 987_654
GOOD_CALL = {
    "jsonrpc": "2.0",
    "id": LAST,
    "method": "tools/call",
    "params": {"name": "search_code", "arguments": {"query": QUERY, "effort": "fast", "structured": True}},
}
"""A call that is always answered, and as what answers are compared: a value."""


def run(ground: Ground) -> None:
    """Send a server up to a dozen odd lines, then a good call; or close its pipes in the middle."""
    dice = ground.dice
    lines = [odd_line(dice) for _ in range(dice.randint(1, 12))]
    ground.say(repr(b" | ".join(line[:60] for line in lines)))
    program = ground.scene.program(ground.folder, empty=dice.random() < 0.2)
    ground.judge.fired = True
    if dice.random() < 0.25:
        ground.say("pipes closed")
        _hang_up(ground, program, lines)
        return
    clean = clean_answer(ground)
    judge_call(ground.judge, _converse(ground, program, lines), clean)


def clean_answer(ground: Ground) -> Any:
    """What the good call is answered from the clean store, if nobody has sent anything odd."""
    kept = ground.scene.kept
    if "mcp answer" not in kept:
        kept["mcp answer"] = without_what_varies(_converse(ground, ground.scene.clean, []))
        found = {(one["path"], one["symbol"]) for one in kept["mcp answer"]["results"]}
        assert ("web/session.py", "Session.sign_cookie") in found, f"the answer to compare with is none: {found}"
    return kept["mcp answer"]


def judge_call(judge: Judge, answer: Any, clean: Any) -> None:
    """Judge the value that the good call was answered, or None: equal to the clean one, or partial and well-formed."""
    plain = without_what_varies(answer)
    if answer is None:
        judge.fail("the good call has no answer")
    elif answer.get("partial") is True:
        judge.judge_partial("the good call", plain, clean)
    else:
        judge.seen[Verdict.EQUAL] += 1
        judge.expect(plain == clean, f"another answer: {json.dumps(plain)[:300]}")


def odd_line(dice: random.Random) -> bytes:
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


def _converse(ground: Ground, program: Program, lines: list[bytes]) -> Any:
    """The value that a good call is answered after these lines; the server then ends when its input closes."""
    process = _start(program)
    guard = threading.Timer(MOST_SECONDS, process.kill)
    guard.start()
    try:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"".join(line + b"\n" for line in [_encoded(HELLO), *lines, _encoded(GOOD_CALL)]))
        process.stdin.flush()
        answer = None
        for line in process.stdout:
            message = json.loads(line)
            judge_message(ground.judge, message)
            if message.get("id") == LAST and "result" in message:
                answer = message["result"].get("structuredContent")
                break
        _, err = process.communicate(timeout=MOST_SECONDS)
    finally:
        guard.cancel()
    ground.judge.expect(SURPRISE not in err and b"unexpected" not in err, f"said: {err[-300:]!r}")
    ground.judge.expect(process.returncode == 0, f"exit code {process.returncode}: {err[-300:]!r}")
    return answer


def judge_message(judge: Judge, message: Any) -> None:
    """Judge what a server answers to anything: a message of the protocol, with nothing that nobody foresaw."""
    text = json.dumps(message)
    judge.expect(isinstance(message, dict) and message.get("jsonrpc") == "2.0", f"not a message: {text[:200]}")
    judge.expect("Traceback" not in text and "something went wrong" not in text, f"a surprise: {text[:300]}")
    judge.expect("root:x:0" not in text, "shows a file of the machine")


def _hang_up(ground: Ground, program: Program, lines: list[bytes]) -> None:
    """Close the pipes without reading; the server has to end, in silence or with one line."""
    process = _start(program)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdin.write(b"".join(line + b"\n" for line in [_encoded(HELLO), *lines, _encoded(GOOD_CALL)]))
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
    ground.judge.expect(SURPRISE not in err and err.count(b"\n") <= 1, f"said when hung up on: {err[-300:]!r}")
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
