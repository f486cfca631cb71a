"""Clones of URLs: made once, updated at every opening, and without the credentials that a URL may hold.

Credentials reach git through its environment, which other users can't read. They are in no command line and no file.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from trackdown.errors import GitError, RepositoryError
from trackdown.repository.git import base_command, check_version, run, without_credentials
from trackdown.repository.git_files import read_git_file
from trackdown.repository.source import Source, open_source

_WITH_USER = re.compile(r"(?P<scheme>https?|ssh|git)://(?P<user>[^/]*)@(?P<host>[^/@]*)(?P<rest>.*)", re.S)
_ORIGIN = re.compile(r"^\s*url = (.*//.*@.*)$", re.M)
_USER, _PASSWORD = "TRACKDOWN_URL_USER", "TRACKDOWN_URL_PASSWORD"
# Git adds a word at the end. No program gets the password as an argument.
_HELPER = f"!cat <<END\nusername=${_USER}\npassword=${_PASSWORD}\nEND\n:"


@dataclass(frozen=True, slots=True)
class CloneAddress:
    """A URL without credentials, and the settings and variables by which git learns them."""

    url: str
    config: Mapping[str, str] = field(default_factory=dict, repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


def clone_address(url: str) -> CloneAddress:
    """Take the credentials out of a URL. Raises RepositoryError if they cannot be told from the rest of it.

    A user name alone may be a token, so it is taken out as well; for ssh it is part of the address.
    """
    found = _WITH_USER.fullmatch(url)
    if found is not None:
        return _without_user(found)
    if url.startswith("http") and without_credentials(url) != url:
        shown = without_credentials(url)
        raise RepositoryError(f"cannot clone {shown}: write / in its password as %2F, or use a credential helper")
    return CloneAddress(url)


def _without_user(found: re.Match[str]) -> CloneAddress:
    from urllib.parse import unquote_to_bytes  # here, because it would slow down the start of every search

    scheme, host = found["scheme"], f"{found['scheme']}://{found['host']}"
    user, colon, password = found["user"].partition(":")
    if scheme == "ssh":  # it asks for no password that could be given to it
        return CloneAddress(f"ssh://{user}@{found['host']}{found['rest']}")
    url = f"{host}{found['rest']}"
    if scheme == "git":  # it knows no users
        return CloneAddress(url)
    values = [os.fsdecode(unquote_to_bytes(value)) for value in (user, password)]
    if any(character in value for value in values for character in "\0\r\n"):
        raise RepositoryError(f"cannot clone {url}: its user name or password has a line break")
    if not colon:
        return CloneAddress(url, {f"credential.{host}.username": values[0]})
    # The empty value drops the user's own helpers: they would answer first, and would keep the password.
    return CloneAddress(
        url,
        {"credential.helper": "", f"credential.{host}.helper": _HELPER},
        dict(zip((_USER, _PASSWORD), values, strict=True)),
    )


def clone_folder(clones: Path, url: str) -> Path:
    """The folder for the clone of a URL, whatever its credentials."""
    plain = clone_address(url).url
    name = without_credentials(plain).rstrip("/").removesuffix(".git").rsplit("/", 1)[-1]
    stem = re.sub(r"[^\w.-]+", "-", name)[:40] or "clone"
    return clones / f"{stem}-{hashlib.sha256(plain.encode()).hexdigest()[:12]}.git"


def open_url(url: str, clones: Path) -> tuple[Source, str | None]:
    """Clone a URL into the store, or update the clone. Returns it, with a note if it could not be updated.

    Raises RepositoryError when it cannot be cloned.
    """
    check_version()
    address = clone_address(url)
    folder = clone_folder(clones, url)
    note = None
    clones.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.exists():
        try:
            _update(address, folder)
        except GitError as error:
            note = without_credentials(f"{address.url} could not be updated; searched the last fetched state ({error})")
    else:
        try:
            _clone(address, folder)
        except GitError as error:
            raise GitError(without_credentials(f"cannot clone {address.url}: {error}")) from None
    name = re.sub(r"-[0-9a-f]{12}$", "", folder.stem)
    return replace(open_source(folder), name=name, kind="bare", subfolder="", url=address.url), note


def newest_commit(url: str, revision: str, folder: Path) -> str:
    """The commit that a branch, a tag or HEAD names at a URL, without a clone. Git runs in `folder`.

    Raises RepositoryError if the URL cannot be reached or has no such name.
    """
    check_version()
    address = clone_address(url)
    wanted = [revision, f"refs/heads/{revision}", f"refs/tags/{revision}^{{}}", f"refs/tags/{revision}"]
    try:
        answer = _run([*base_command(), "ls-remote", "--", address.url, *wanted], address, folder)
    except GitError as error:
        raise GitError(without_credentials(f"cannot reach {address.url}: {error}")) from None
    lines = [line.partition("\t") for line in os.fsdecode(answer).splitlines()]
    found = {name: oid for oid, _, name in lines}
    for name in wanted:
        if name in found:
            return found[name]
    raise RepositoryError(without_credentials(f"{address.url} has no branch or tag {revision!r}"))


def _clone(address: CloneAddress, folder: Path) -> None:
    """Clone into a temporary folder and rename it; another process may have been faster. Leaves nothing half-made.

    Git takes an answer that was cut before its first branch for that of an empty repository, so no clone without
    branches is kept.
    """
    import shutil  # here, because it would slow down the start of every search

    aside = folder.with_suffix(f".{os.urandom(6).hex()}.part")
    try:
        command = [*base_command(), "clone", "--quiet", "--mirror", "--", address.url, str(aside)]
        _run(command, address, folder.parent)
        if not run([*base_command(), f"--git-dir={aside}", "for-each-ref", "--count=1"], cwd=folder.parent):
            raise GitError("it has no commit yet")
        aside.rename(folder)
    except OSError as error:
        if not folder.exists():
            raise GitError(str(error)) from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _update(address: CloneAddress, folder: Path) -> None:
    """Fetch everything new, and point HEAD at the origin's default branch. An answer without any branch may have been
    cut, and would remove what is there.
    """
    here = [*base_command(), f"--git-dir={folder}"]
    answer = _run([*here, "ls-remote", "--symref", "origin", "HEAD", "refs/heads/*"], address, folder)
    if not answer:
        raise GitError("its server names no branch")
    _run([*here, "fetch", "--quiet", "--prune", "--force", "origin", "+refs/*:refs/*"], address, folder)
    named = re.match(rb"ref: (refs/\S+)\tHEAD\n", answer)
    if named:
        run([*here, "symbolic-ref", "HEAD", os.fsdecode(named[1])], cwd=folder)


def _run(command: list[str], address: CloneAddress, folder: Path) -> bytes:
    return run(command, cwd=folder, network=True, config=address.config, variables=address.variables)


def forget_credentials(clones: Path) -> None:
    """Take the credentials out of clones that an earlier version of the program made."""
    import shutil  # here, because it would slow down the start of every search

    for folder in clones.glob("*.git"):
        found = _ORIGIN.search(os.fsdecode(read_git_file(folder / "config") or b""))
        if found is None:
            continue
        try:
            plain = clone_address(found[1]).url
            if plain != found[1]:
                here = [*base_command(), f"--git-dir={folder}"]
                run([*here, "config", "remote.origin.url", plain], cwd=folder)
        except (GitError, RepositoryError):
            shutil.rmtree(folder, ignore_errors=True)  # it would be cloned again
