"""Run the git program: safely in an untrusted repository, streamed, with one-line errors."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from trackdown.errors import GitError, MissingObject
from trackdown.repository.git_files import check_git_files, check_pipe
from trackdown.repository.waiting import communicate

OLDEST_GIT = (2, 31)
LONGEST_RUN = 600.0
"""Seconds after which a command without network is stopped, even if it still works. On a local disk few repositories
come near it; on a network drive of which nothing is cached, a large one may."""
_READ_IGNORE_FILES = ("ls-files", "status")
_ALLOWED_PROTOCOLS = "file:https:http:ssh:git"
# Programs named in a repository's own configuration must not run, and its settings must not change the output.
_SAFE_CONFIG = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.untrackedCache=false",
    # A commit's parents come from the commit itself, not from a file that somebody may have put beside it.
    "core.commitGraph=false",
    "log.showSignature=false",
    "log.showRoot=true",
    "i18n.logOutputEncoding=UTF-8",
    "diff.external=",
    "diff.orderFile=/dev/null",
    "submodule.recurse=false",
    # Git would map whole packs and cache 96 MB of objects; these limits cost hardly any time.
    "core.packedGitWindowSize=4m",
    "core.packedGitLimit=64m",
    "core.deltaBaseCacheLimit=32m",
)
# User name and password in a URL. A password may hold a slash; a host may have a port, and a path an @.
_CREDENTIALS = re.compile(r"(?<=://)(?:[^/\s@:]+:(?!\d+(?:/|\s|$))\S*@|[^/\s]*@)")
_MISSING = re.compile(r"unable to (?:read|find)|missing blob|could not fetch|bad object|promisor|not allowed", re.I)


@dataclass(frozen=True, slots=True)
class StartedCommand:
    """A command in the background. Call it to wait for its output; as a context manager it leaves no process behind."""

    process: subprocess.Popen[bytes]
    work_tree: Path | None = None

    def __enter__(self) -> StartedCommand:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __call__(self) -> bytes:
        """Wait for the command and return its output. Raises GitError."""
        return finish(self.process, work_tree=self.work_tree)

    def stop(self) -> None:
        """End the command, unless its output has been read."""
        if self.process.stdout is not None and not self.process.stdout.closed:
            _stop(self.process)


@dataclass(frozen=True, slots=True)
class Git:
    """A git directory to run commands in. `work_tree` is None for a bare repository."""

    git_dir: Path
    work_tree: Path | None = None

    def arguments(self, *arguments: str) -> list[str]:
        """The full command line."""
        place = [f"--git-dir={self.git_dir}"]
        if self.work_tree is not None:
            place.append(f"--work-tree={self.work_tree}")
        return [*base_command(), *place, *arguments]

    def run(self, *arguments: str, stdin: bytes | None = None) -> bytes:
        """Run a command and return its output. Raises GitError with the first line of git's error message."""
        return finish(self.stream(*arguments), stdin, work_tree=self.work_tree)

    def start(self, *arguments: str, config: Mapping[str, str] | None = None) -> StartedCommand:
        """Start a command in the background. `config` are settings for this command only."""
        return StartedCommand(self.stream(*arguments, config=config), self.work_tree)

    def without_filters(self) -> dict[str, str]:
        """Settings that switch off filter programs named in the repository's own configuration.

        `git status` would run them on files that may have changed. The user's own filters, such as Git LFS, stay on.
        """
        try:
            listed = self.run("config", "--null", "--show-scope", "--name-only", "--get-regexp", r"^filter\.")
        except GitError:
            return {}  # none
        fields = os.fsdecode(listed).split("\0")
        foreign = {
            name.rpartition(".")[0]
            for scope, name in zip(fields[::2], fields[1::2], strict=False)
            if scope not in ("global", "system")
        }
        off = {"clean": "", "process": "", "required": "false"}
        return {f"{name}.{key}": value for name in sorted(foreign) for key, value in off.items()}

    def text(self, *arguments: str) -> str:
        """Like `run`, but returns text without the trailing newline."""
        return self.run(*arguments).decode("utf-8", "replace").rstrip("\n")

    def stream(self, *arguments: str, config: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a command with all three streams piped. The caller reads, closes and waits.

        Raises GitError if git would wait forever at a file of its directory, or at the ignore file of the work tree.
        """
        check_git_files(self.git_dir)
        if self.work_tree is not None and arguments[0] in _READ_IGNORE_FILES:
            check_pipe(f"{self.work_tree}/.gitignore")
        return start(self.arguments(*arguments), cwd=self.work_tree or self.git_dir, config=config)


def base_command() -> list[str]:
    """git with the options that make its output predictable."""
    command = ["git", "--no-pager", "--no-optional-locks", "--literal-pathspecs"]
    for option in _SAFE_CONFIG:
        command += ["-c", option]
    return command


def environment(*, network: bool = False) -> dict[str, str]:
    """Git's environment: no prompts, no inherited GIT_* variables, and no network unless requested."""
    values = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for name in ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL", "GIT_EXEC_PATH", "GIT_SSL_CAINFO"):
        if name in os.environ:
            values[name] = os.environ[name]
    values |= {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        # Facts of a commit are shared by all clones, so no clone's replacements or grafts may change them.
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": "/dev/null/none",
        "GIT_NO_LAZY_FETCH": "1",
        # A partial clone would fetch missing objects one by one; an empty list forbids every transport.
        "GIT_ALLOW_PROTOCOL": _ALLOWED_PROTOCOLS if network else "",
        "GIT_HTTP_LOW_SPEED_LIMIT": os.environ.get("GIT_HTTP_LOW_SPEED_LIMIT", "1"),
        "GIT_HTTP_LOW_SPEED_TIME": os.environ.get("GIT_HTTP_LOW_SPEED_TIME", str(int(LONGEST_RUN))),
    }
    return values


def start(
    command: Sequence[str],
    *,
    cwd: Path,
    network: bool = False,
    config: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a git command line. Raises GitError when there is no git.

    Everybody can read a command line, only the user the environment: secrets travel in `config` or `variables`.
    """
    values = environment(network=network) | dict(variables or {})
    # Unlike -c, the environment accepts names with any character.
    for number, (name, value) in enumerate((config or {}).items()):
        values |= {"GIT_CONFIG_COUNT": str(number + 1), f"GIT_CONFIG_KEY_{number}": name}
        values[f"GIT_CONFIG_VALUE_{number}"] = value
    try:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env=values,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            umask=0o077,  # what git writes is a clone in the store, which nobody else may read
        )
    except FileNotFoundError:
        if not cwd.exists():
            raise GitError(f"{cwd} is gone") from None
        raise GitError("git was not found: install git 2.31 or newer and put it on the PATH") from None
    except OSError as error:
        raise GitError(f"git cannot be run: {error}") from None


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    stdin: bytes | None = None,
    network: bool = False,
    config: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    seconds: float = LONGEST_RUN,
) -> bytes:
    """Run a git command line and return its output. Raises GitError, also if it takes longer than `seconds`.

    A command that uses the network has no such limit. Over HTTP, git itself gives up when nothing has arrived for
    LONGEST_RUN seconds, or sooner if GIT_HTTP_LOW_SPEED_TIME says so; over SSH it may wait for as long as the
    connection lasts.
    """
    process = start(command, cwd=cwd, network=network, config=config, variables=variables)
    return finish(process, stdin, None if network else seconds)


def finish(
    process: subprocess.Popen[bytes],
    stdin: bytes | None = None,
    seconds: float | None = LONGEST_RUN,
    work_tree: Path | None = None,
) -> bytes:
    """Wait for a command and return its output. An interrupt kills it, and so does the end of its time.

    If it takes long in a work tree, look there for what may keep it waiting. Raises GitError.
    """
    try:
        out, err = communicate(process, stdin, seconds, work_tree)
    except BaseException:
        _stop(process)
        raise
    if process.returncode:
        raise git_error(err, process.returncode)
    return out


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def git_error(stderr: bytes, code: int) -> GitError:
    """The error for a failed command, from what git printed."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    line = without_credentials(re.sub(r"^(?:fatal|error): ", "", (fatal or lines or [f"exit code {code}"])[0]))
    if "dubious ownership" in line:
        named = re.search(r"at '(.+)'", line)
        line += f"; trust it with: git config --global --add safe.directory {named[1] if named else 'PATH'}"
    kind = MissingObject if _MISSING.search(line) else GitError
    return kind(f"git failed: {line}")


def without_credentials(text: str) -> str:
    """A text without the credentials in its URLs."""
    return _CREDENTIALS.sub("", text)


def read_rest(stream: IO[bytes] | None) -> bytes:
    """Read the rest of a pipe and close it."""
    if stream is None:
        return b""
    with stream:
        return stream.read()


def check_version() -> None:
    """Raise GitError when git is missing or too old. A process that opens many repositories asks once for a PATH."""
    git_version()


def git_version() -> str:
    """What git says of itself, such as `git version 2.43.0`. Raises GitError when it is missing or too old."""
    return _version_on(os.environ.get("PATH"))


@cache  # which keeps no errors
def _version_on(path: str | None) -> str:
    text = run(["git", "version"], cwd=Path("/")).decode("utf-8", "replace")
    found = re.search(r"(\d+)\.(\d+)", text)
    if found and (int(found[1]), int(found[2])) < OLDEST_GIT:
        wanted = ".".join(map(str, OLDEST_GIT))
        raise GitError(f"{text.strip()} is too old: install git {wanted} or newer")
    return text.strip()
