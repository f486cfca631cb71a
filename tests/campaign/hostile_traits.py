"""Traits of repositories that nobody should trust: odd names, links, broken objects, programs in the configuration."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Repo
from tests.repository.forged import forge_loose
from tests.repository.programs import write_program

CODE = "def sign_cookie(value):\n    return value + 'cookie'\n"
_KEYS = (
    "core.fsmonitor core.hooksPath core.pager core.editor core.sshCommand core.askPass core.alternateRefsCommand "
    "diff.external diff.x.textconv diff.x.command filter.x.clean filter.x.smudge filter.x.process credential.helper "
    "gpg.program uploadpack.packObjectsHook log.showSignature"
).split()
"""Settings of git that name programs, or let it run one."""
Trait = Callable[[Repo, random.Random, Path], None]
"""Makes a repository worse. The path is that of a program which writes down that it ran."""


def odd_names(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Put files under names with control characters, line ends, quotes, options and bytes that are not UTF-8."""
    names = [
        b"new\nline.py",
        b"es\x1b[31mc.py",
        b"caf\xe9.py",
        b"-rf.py",
        b"a\tb.py",
        b'quo"te.py',
        b"back\\slash.py",
        b" space .py",
        b"\xf0\x9f\x8d\xaa.py",
        b"\xe2\x80\xae.py",
        b"*.py",
        b":(glob).py",
        b"n" * 250 + b".py",
    ]
    for name in dice.sample(names, 5):
        with open(os.path.join(os.fsencode(repo.root), name), "wb") as stream:
            stream.write(CODE.encode())


def links(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Link in circles, upwards, out of the tree, and to devices."""
    for name, target in (("loop", "loop"), ("up", ".."), ("out.py", "../outside.py"), ("zero.py", "/dev/zero")):
        (repo.root / name).symlink_to(target)
    (repo.root / "folder").symlink_to(repo.root.parent)


def special_files(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Put a pipe that nobody writes to and a socket beside the code."""
    os.mkfifo(repo.root / "pipe.py")
    names = ".trackdownignore .trackdown.toml .gitmodules README.md .gitignore .gitattributes lib/.gitignore".split()
    pipe = repo.root / dice.choice(names)
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    here = os.open(repo.root, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{here}/socket.py")
    os.close(here)


def giants(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Write a sparse file of a terabyte, one line of a megabyte, and binary with an ending of code."""
    with repo.write("giant.py", "").open("r+b") as stream:
        stream.truncate(1 << 40)
    repo.write("line.js", "var a = '" + "cookie " * (1 << 17) + "';\n")
    repo.write("binary.py", dice.randbytes(20_000))
    (repo.root / ".git" / "info" / "exclude").write_text("giant.py\n")


def deep(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Nest folders and code deeply."""
    repo.write("/".join("d" * dice.randint(60, 400)) + "/deep.py", CODE)
    repo.write("nested.py", "(" * 5000)


def colliding_names(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Write names that are one name on other systems."""
    for name in ("Cookie.py", "cookie.py", "COOKIE.py", "caf\u00e9.py", "cafe\u0301.py"):
        repo.write(name, CODE)


def broken_objects(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Damage, remove or forge objects, some of them of the past."""
    repo.commit("More", {"more.py": CODE * 3})
    objects = sorted((repo.root / ".git" / "objects").glob("??/*"))
    for path in dice.sample(objects, dice.randint(1, min(3, len(objects)))):
        match dice.randrange(3):
            case 0:
                path.unlink()
            case 1:
                path.chmod(0o644)
                path.write_bytes(dice.randbytes(40))
            case _:
                forge_loose(
                    repo.root / ".git", path.parent.name + path.name, dice.choice(("blob", "commit", "tree")), b"x"
                )


def unborn(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Let HEAD name a branch that is not there, nothing at all, or itself."""
    head = dice.choice(("ref: refs/heads/none\n", "", "ref: HEAD\n", "0" * 40 + "\n", "ref: ../../outside\n", "\0\xff"))
    (repo.root / ".git" / "HEAD").write_text(head)


def rewritten_past(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Graft commits, replace objects, and lie in a commit graph."""
    head = repo.commit("Last", {"last.py": CODE})
    repo.git("replace", "--graft", head)
    (repo.root / ".git" / "info" / "grafts").write_text(f"{head} {'1' * 40}\n")
    (repo.root / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (repo.root / ".git" / "objects" / "info" / "commit-graph").write_bytes(b"CGPH\x01\x01" + dice.randbytes(200))


def programs(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Configure hooks, filters, helpers and monitors that would run a program."""
    for key in _KEYS:
        value = "true" if key == "log.showSignature" else str(bait.parent if key == "core.hooksPath" else bait)
        repo.git("config", key, value)
    repo.write(".gitattributes", "* filter=x diff=x merge=x\n")
    for hook in ("post-checkout", "post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-auto-gc"):
        write_program(repo.root / ".git" / "hooks" / hook, f"exec {bait}")


def elsewhere(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Point git at other places: a work tree, objects, included configuration, another git folder."""
    outside = str(repo.root.parent)
    match dice.randrange(4):
        case 0:
            repo.git("config", "core.worktree", outside)
        case 1:
            (repo.root / ".git" / "objects" / "info").mkdir(exist_ok=True)
            (repo.root / ".git" / "objects" / "info" / "alternates").write_text(f"{outside}\n/dev/zero\n\xff\n")
        case 2:
            repo.git("config", "include.path", "/dev/zero" if dice.random() < 0.5 else f"{outside}/none")
        case _:
            repo.write("sub/.git", f"gitdir: {outside}\n")
            repo.write("sub/a.py", CODE)


def bad_references(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Damage packed references, the index, the configuration or the shallow file."""
    repo.git("pack-refs", "--all")
    name = dice.choice(("packed-refs", "index", "config", "shallow", "FETCH_HEAD"))
    path = repo.root / ".git" / name
    before = path.read_bytes() if path.exists() else b""
    path.write_bytes(dice.choice((dice.randbytes(100), before[: len(before) // 2], before + b"\xff\0[x\n", b"")))


def submodules(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Name submodules that are not there, with URLs and paths that lead astray."""
    repo.write(".gitmodules", f'[submodule "../x"]\n path = ../outside\n url = ext::sh -c {bait}\n update = !{bait}\n')
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")


def project_files(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Write settings and ignore patterns that ask for more than they may, or never end."""
    toml = (
        "store = '/'\n",
        "llm = 'http://127.0.0.1:9'\n",
        "exclude = ['" + "*" * 3000 + "a']\n",
        "k = 1e400\n",
        "\0",
        "[" * 5000,
        "exclude = [[1]]\n",
        "k = -1\n",
        "tests = 'x\n",
        "a = 1\n" * 20_000,
    )
    ignore = ("*" * 500 + "\n", "!" * 500 + "\n", "**/" * 500 + "a\n", "[" * 5000, "\\", "\xff\xfe\n", "(a+)+$\n")
    if dice.random() < 0.5:
        repo.write(".trackdown.toml", dice.choice(toml))
    else:
        repo.write(dice.choice((".trackdownignore", ".gitignore")), dice.choice(ignore))


def odd_history(repo: Repo, dice: random.Random, bait: Path) -> None:
    """Commit with dates, authors and messages that no tool would write."""
    tree = repo.git("write-tree")
    who = dice.choice(
        ("Ada <a> 99999999999999 +0000", "<> 0 +9999", "\x1b[31m <x\x07> -1 -0000", "A" * 5000 + " <a> 1 +0000")
    )
    text = (
        f"tree {tree}\nparent {repo.git('rev-parse', 'HEAD')}\nauthor {who}\ncommitter {who}\n\n\x1b[2J#7 cookie\0x\n"
    )
    made = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=text.encode())
    (repo.root / ".git" / "refs" / "heads" / "main").write_text(made + "\n")


TRAITS: tuple[Trait, ...] = (
    odd_names,
    links,
    giants,
    deep,
    colliding_names,
    rewritten_past,
    programs,
    submodules,
    project_files,
    odd_history,
    broken_objects,
    elsewhere,
    bad_references,
    unborn,
    special_files,
)
"""Those after which git may no longer work, or may wait at a pipe, come last."""
HARMLESS = (odd_names, links, giants, deep, colliding_names, rewritten_past, programs, submodules)
"""Those that a search has to cope with: it may not refuse to answer."""
