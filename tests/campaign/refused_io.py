"""Files that refuse: calls that fail, fall short or dawdle, limits on the process, and disks that are full."""

from __future__ import annotations

import errno
import functools
import os
import resource
import shlex
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.campaign.interposer import Refusal, calls_made, drawn_call, lacks_compiler, under
from tests.campaign.judge import MOST_SECONDS, Verdict
from tests.campaign.scene import COMMANDS, READERS, Ground
from tests.faults.mounts import MendedDisk, can_mount, read_only, roomy, tiny, writable
from tests.surfaces.program import Program, Run

FAILURES = {
    "open": (errno.EIO, errno.ENOSPC, errno.EMFILE, errno.EACCES, errno.EINTR),
    "read": (errno.EIO,),
    "write": (errno.EIO, errno.ENOSPC, errno.EDQUOT),
    "sync": (errno.EIO, errno.ENOSPC),
    "rename": (errno.EIO, errno.ENOSPC, errno.EACCES),
    "mmap": (errno.ENOMEM, errno.EACCES),
    "truncate": (errno.EIO, errno.ENOSPC),
    "remove": (errno.EIO, errno.EACCES),
    "make": (errno.EIO, errno.ENOSPC, errno.EACCES),
    "link": (errno.EIO, errno.ENOSPC, errno.EPERM),
    "allocate": (errno.EIO, errno.ENOSPC),
}
"""What each call may fail with."""


@dataclass(frozen=True)
class Limit:
    """What a process may have of a resource: from `least` to `most` units of so many bytes, files or seconds."""

    resource: int
    least: int
    most: int
    unit: int = 1


LIMITS = {
    "open files": Limit(resource.RLIMIT_NOFILE, 8, 200),
    "kilobytes of a file": Limit(resource.RLIMIT_FSIZE, 1, 400, 1 << 10),
    "megabytes of memory": Limit(resource.RLIMIT_AS, 100, 3000, 1 << 20),
    "kilobytes of stack": Limit(resource.RLIMIT_STACK, 256, 8192, 1 << 10),
    "seconds of processor time": Limit(resource.RLIMIT_CPU, 1, 2),
    "processes and threads": Limit(resource.RLIMIT_NPROC, 1, 40),
}
"""What a process may be limited to."""
if os.geteuid() == 0:  # root may have any number of processes
    del LIMITS["processes and threads"]


def lacks() -> str:
    """What of this class cannot run here, or nothing."""
    return "; ".join(filter(None, [lacks_compiler(), "" if can_mount() else "file systems cannot be mounted here"]))


def run(ground: Ground) -> None:
    """Run a command whose files refuse; then, with files that do not, search in the same store."""
    dice = ground.dice
    name, empty = dice.choice([*READERS, "status", "clear", "search", "index"]), dice.random() < 0.5
    program = ground.scene.program(ground.folder, empty=empty)
    ways = [_limited, *([] if lacks_compiler() else [_refused] * 4), *([_mounted] if can_mount() else [])]
    ground.say(f"{name} with {'an empty' if empty else 'a clean'} store")
    dice.choice(ways)(ground, program, name, empty)


def _refused(ground: Ground, program: Program, name: str, empty: bool) -> None:
    """The n-th call of a kind below the store, and perhaps those after it, fail or are cut short or slow."""
    dice, mark = ground.dice, ground.folder / "fired"
    call, at = drawn_call(dice, _calls_made(ground, name, empty), FAILURES)
    fates = [*map(str, FAILURES[call]), *(["short", "slow"] if call in ("read", "write") else [])]
    refusal = Refusal(call, at, dice.choice((1, 1, 3, 20)), dice.choice(fates))
    ground.say(str(refusal))
    run = under(program, refusal, ground.scene, mark)(*_words(name), before=_as_it_is, timeout=MOST_SECONDS)
    ground.judge.fired = mark.exists()
    _judge(ground, name, run)
    ground.asked_again(program)


def _calls_made(ground: Ground, name: str, empty: bool) -> Counter[str]:
    """How many calls of each kind a command makes that nothing refuses."""
    key = f"calls of {name}, {empty}"
    if key not in ground.scene.kept:
        folder = ground.folder / "counted"
        folder.mkdir()
        program = ground.scene.program(folder, empty=empty)
        ground.scene.kept[key] = calls_made(program, _words(name), ground.scene)
    made: Counter[str] = ground.scene.kept[key]
    return made


def _limited(ground: Ground, program: Program, name: str, empty: bool) -> None:
    """The process may have few files open, write little to each, or use little memory, stack or time."""
    what = ground.dice.choice(list(LIMITS))
    limit = LIMITS[what]
    amount = ground.dice.randint(limit.least, limit.most)
    most = amount * limit.unit
    before: Callable[[], None] = functools.partial(resource.setrlimit, limit.resource, (most, most))
    ground.say(f"{amount} {what}")
    run = program(*_words(name), before=before, timeout=MOST_SECONDS)
    if limit.resource == resource.RLIMIT_CPU and run.code in (-signal.SIGXCPU, -signal.SIGKILL):
        ground.judge.fired = True  # the kernel ends a process that has used its time
        ground.judge.seen[Verdict.REFUSED] += 1
    else:
        _judge(ground, name, run)
        ground.judge.fired = _was_noticed(ground, run)
    ground.asked_again(program)


def _mounted(ground: Ground, program: Program, name: str, empty: bool) -> None:
    """The store is on a disk that is read-only or has little room left; the same disk is then mended."""
    program.store.mkdir(exist_ok=True)
    again = _words("search")
    if ground.dice.random() < 0.3:
        ground.say("on a read-only disk")
        disk = MendedDisk(read_only(program.store), writable(program.store), _words(name), again)
    else:
        kilobytes = ground.dice.randint(4, 400)
        store, kept = shlex.quote(str(program.store)), shlex.quote(str(ground.folder / "kept"))
        copy = f"cp -a {store} {kept}; {tiny(program.store, kilobytes)}; cp -a {kept}/. {store} 2>/dev/null || true"
        ground.say(f"on a disk of {kilobytes} kB")
        disk = MendedDisk(copy, roomy(program.store), _words(name), again)
    run, afterwards = disk.run(program, ground.folder / "outputs", MOST_SECONDS)
    _judge(ground, name, run)
    ground.judge.fired = _was_noticed(ground, run)
    ground.judge_recovery(afterwards)


def _words(name: str) -> tuple[str, ...]:
    return (*COMMANDS[name], "--format", "json")


def _judge(ground: Ground, name: str, run: Run) -> None:
    ground.judge.judge(name, run, None if name in ("status", "clear") else ground.scene.answers[name])


def _was_noticed(ground: Ground, run: Run) -> bool:
    """Whether a limit was seen to bind: some are met in silence, and those do not count."""
    return bool(run.code or run.err.strip() or ground.judge.seen[Verdict.PARTIAL])


def _as_it_is() -> None:
    """Do nothing in the child: that there is a function makes it a process of its own, which loads the layer."""
