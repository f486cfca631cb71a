"""Files that refuse: calls that fail, fall short or dawdle, limits on the process, and disks that are full."""

from __future__ import annotations

import errno
import functools
import resource
import shlex
from collections.abc import Callable

from tests.campaign.interposer import Refusal, lacks_compiler, under
from tests.campaign.judge import MOST_SECONDS
from tests.campaign.scene import COMMANDS, READERS, Ground
from tests.faults.mounts import can_mount, read_only, run_mounted, tiny
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
}
"""What each call may fail with."""
LIMITS = {
    "open files": (resource.RLIMIT_NOFILE, (8, 200)),
    "kilobytes of a file": (resource.RLIMIT_FSIZE, (1, 400)),
    "megabytes of memory": (resource.RLIMIT_AS, (100, 3000)),
}
"""What a process may be limited to, and from where to where."""


def lacks() -> str:
    """What of this class cannot run here, or nothing."""
    return "; ".join(filter(None, [lacks_compiler(), "" if can_mount() else "file systems cannot be mounted here"]))


def run(ground: Ground) -> None:
    """Run a command whose files refuse; then, with files that do not, search."""
    dice = ground.dice
    name, empty = dice.choice([*READERS, "status", "clear", "search", "index"]), dice.random() < 0.5
    program = ground.scene.program(ground.folder, empty=empty)
    ways = [_limited, *([] if lacks_compiler() else [_refused] * 4), *([_mounted] if can_mount() else [])]
    ground.say(f"{name} with {'an empty' if empty else 'a clean'} store")
    run = dice.choice(ways)(ground, program, (*COMMANDS[name], "--format", "json"))
    clean = None if name in ("status", "clear") else ground.scene.answers[name]
    ground.judge.judge(name, run, clean)
    ground.asked_again(program)


def _refused(ground: Ground, program: Program, words: tuple[str, ...]) -> Run:
    """The n-th call of a kind below the store, and perhaps those after it, fail or are cut short or slow."""
    dice = ground.dice
    call = dice.choice(list(FAILURES))
    fates = [*map(str, FAILURES[call]), *(["short", "slow"] if call in ("read", "write") else [])]
    refusal = Refusal(call, int(2 ** dice.uniform(0, 6)), dice.choice((1, 1, 3, 20)), dice.choice(fates))
    ground.say(str(refusal))
    return under(program, refusal, ground.scene)(*words, before=_as_it_is, timeout=MOST_SECONDS)


def _limited(ground: Ground, program: Program, words: tuple[str, ...]) -> Run:
    """The process may have few files open, write little to each, or use little memory."""
    name = ground.dice.choice(list(LIMITS))
    kind, (least, most) = LIMITS[name]
    amount = ground.dice.randint(least, most)
    unit = {"open files": 1, "kilobytes of a file": 1 << 10, "megabytes of memory": 1 << 20}[name]
    before: Callable[[], None] = functools.partial(resource.setrlimit, kind, (amount * unit, amount * unit))
    ground.say(f"{amount} {name}")
    return program(*words, before=before, timeout=MOST_SECONDS)


def _mounted(ground: Ground, program: Program, words: tuple[str, ...]) -> Run:
    """The store is on a disk that is read-only, or has little room left."""
    program.store.mkdir(exist_ok=True)
    if ground.dice.random() < 0.3:
        ground.say("on a read-only disk")
        return run_mounted(program, read_only(program.store), *words)
    kilobytes = ground.dice.randint(4, 400)
    store, kept = shlex.quote(str(program.store)), shlex.quote(str(ground.folder / "kept"))
    copy = f"cp -a {store} {kept}; {tiny(program.store, kilobytes)}; cp -a {kept}/. {store} 2>/dev/null || true"
    ground.say(f"on a disk of {kilobytes} kB")
    return run_mounted(program, copy, *words)


def _as_it_is() -> None:
    """Do nothing in the child: that there is a function makes it a process of its own, which loads the layer."""
