"""A path or URL → the repository or folder behind it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from trackdown.errors import GitError, NoSuchPath, RepositoryError, UnknownRevision
from trackdown.repository.git import Git, base_command, check_version, run, without_credentials
from trackdown.repository.git_files import check_discovery, git_dir_of, read_git_file

_URL = re.compile(r"(?:file|https?|ssh|git)://|[\w.-]+@[\w.-]+:(?!//)")
_REPOSITORY_FACTS = (
    "--is-bare-repository",
    "--is-shallow-repository",
    "--show-object-format",
    "--absolute-git-dir",
    "--git-common-dir",
)
_LONGEST_OPENING = 30.0
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PREFIX = re.compile(r"[0-9a-fA-F]{4,63}")
_NAMED = 4
_LONGEST_SHOWN = 250


@dataclass(frozen=True, slots=True)
class Source:
    """What to search: a work tree, a bare repository or a plain folder.

    Paths are relative to `root`; `subfolder` is the part below it that the user named ('' for all). `common_dir` is
    the git directory that all worktrees of a clone share; None for a folder.
    """

    name: str
    kind: str
    root: Path
    subfolder: str = ""
    git: Git | None = None
    common_dir: Path | None = None
    object_format: str = "sha1"
    shallow: bool = False
    partial: bool = False
    url: str | None = None

    def resolve(self, revision: str) -> str:
        """The full id of the commit that a revision names. Raises UnknownRevision."""
        if self.git is None:
            raise UnknownRevision(f"{self.name} is a plain folder and has no revision {revision!r}")
        if not revision or revision.startswith("-") or "\0" in revision:
            raise UnknownRevision(f"{revision!r} is not a revision")
        try:
            return self.git.text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except (GitError, UnicodeEncodeError):
            raise UnknownRevision(self._why_unknown(revision)) from None

    def _why_unknown(self, revision: str) -> str:
        """Why a revision names no commit: it is ambiguous, or not here."""
        commits = _commits_with_prefix(self.git, revision) if self.git and _PREFIX.fullmatch(revision) else []
        if len(commits) > 1:
            named = ", ".join(commits[:_NAMED]) + (", …" if len(commits) > _NAMED else "")
            return f"{revision} is the beginning of {len(commits)} commits of {self.name}: {named}. Give more digits"
        hint = " (the clone is shallow: `git fetch --unshallow` brings older commits)" if self.shallow else ""
        return f"{self.name} has no commit, branch or tag {revision[:_LONGEST_SHOWN]!r}{hint}"

    def head(self) -> str | None:
        """The commit that HEAD names, or None before the first commit and in a plain folder."""
        if self.git is None:
            return None
        quick = _read_head(self.git.git_dir, self.common_dir or self.git.git_dir)
        if quick is not None:
            return quick
        try:
            return self.git.text("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        except GitError:
            return None


def _commits_with_prefix(git: Git, prefix: str) -> list[str]:
    """The commits whose ids begin with some digits."""
    try:
        objects = git.run("rev-parse", f"--disambiguate={prefix}")
        kinds = git.run("cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=objects)
    except GitError:
        return []
    return [line.split()[1] for line in kinds.decode("ascii").splitlines() if line.startswith("commit ")]


def is_url(place: str) -> bool:
    """Whether this is a git URL rather than a path."""
    return _URL.match(place) is not None


def open_source(place: str | os.PathLike[str]) -> Source:
    """Find out what is at a path. Raises NoSuchPath, or GitError when git cannot read it."""
    path = Path(place)
    try:
        resolved = path.resolve(strict=True)
    except FileNotFoundError:
        raise NoSuchPath(without_credentials(f"no such file or folder: {place}")) from None
    except (OSError, RuntimeError, ValueError) as error:
        raise NoSuchPath(without_credentials(f"cannot open {str(place)!r}: {error}")) from None
    folder = resolved if resolved.is_dir() else resolved.parent
    if not os.access(folder, os.R_OK | os.X_OK):
        raise RepositoryError(f"cannot read the folder {folder}: check its permissions")
    return _open_git(resolved, folder) or Source(_name(folder), "folder", folder, _below(resolved, folder))


def _open_git(path: Path, folder: Path) -> Source | None:
    """The repository that contains a folder, or None."""
    if not _looks_like_git(folder):
        return None
    check_discovery(folder)
    check_version()
    try:
        answer = run([*base_command(), "rev-parse", *_REPOSITORY_FACTS], cwd=folder, seconds=_LONGEST_OPENING)
    except GitError as error:
        if "not a git repository" in str(error):
            _check_readable(folder)
            return None
        raise
    lines = os.fsdecode(answer).removesuffix("\n").split("\n")
    if len(lines) != len(_REPOSITORY_FACTS):
        raise GitError(f"{str(path)!r} has a line break in its path: move the repository elsewhere")
    bare, shallow, object_format, git_dir, common = lines
    common_dir = (folder / common).resolve()
    top = None if bare == "true" else _work_tree(folder, Path(git_dir).resolve())
    git = Git(Path(git_dir), top)
    partial = bool(_configured_promisors(git))
    root = top or Path(git_dir)
    kind = "worktree" if top else "bare"
    below = _below(path, root) if top else ""
    name = _name(root) if top else _bare_name(Path(git_dir))
    return Source(name, kind, root, below, git, common_dir, object_format, shallow == "true", partial)


def _work_tree(folder: Path, git_dir: Path) -> Path | None:
    """The work tree that a folder is in; None inside a git directory, which is searched like a bare repository.

    A repository's configuration may name any folder as its work tree. It counts only below the folder with `.git`: a
    repository that somebody else made must not lead to other files.
    """
    if git_dir in (folder, *folder.parents):
        return None
    home = next((parent for parent in (folder, *folder.parents) if git_dir_of(parent) == git_dir), None)
    if home is None:
        return None
    try:
        line = run([*base_command(), "rev-parse", "--show-toplevel"], cwd=folder, seconds=_LONGEST_OPENING)
    except GitError:
        return home
    top = Path(os.fsdecode(line.rstrip(b"\n"))).resolve()
    return top if home in (top, *top.parents) else home


def _check_readable(folder: Path) -> None:
    """Raise GitError if there is a repository that git cannot read: it must not pass for a folder without history."""
    found = next((parent / ".git" for parent in (folder, *folder.parents) if os.path.isdir(parent / ".git")), folder)
    for path in (found, *(found / name for name in ("HEAD", "objects", "refs"))):
        needed = os.R_OK | os.X_OK if os.path.isdir(path) else os.R_OK
        if os.path.lexists(path) and not os.access(path, needed):
            raise GitError(f"git cannot read {path}: check its permissions")


def _looks_like_git(folder: Path) -> bool:
    """Whether there is a .git above or a bare repository here; a quick check that saves plain folders a process."""
    if os.path.exists(folder / "HEAD") and os.path.exists(folder / "objects"):
        return True
    return any(os.path.exists(parent / ".git") for parent in (folder, *folder.parents)) or ".git" in folder.parts


def _configured_promisors(git: Git) -> str:
    try:
        return git.text("config", "--get-regexp", r"^remote\..*\.promisor$|^extensions\.partialclone$")
    except GitError:
        return ""


def _read_head(git_dir: Path, common_dir: Path) -> str | None:
    """HEAD read without a process, if it names a loose ref; None if git has to be asked."""
    text = (read_git_file(git_dir / "HEAD") or b"").decode("ascii", "replace").strip()
    if text.startswith("ref: refs/"):
        text = (read_git_file(common_dir / text[5:]) or b"").decode("ascii", "replace").strip()
    return text if _OID.fullmatch(text) else None


def _below(path: Path, root: Path) -> str:
    try:
        relative = path.relative_to(root)
    except ValueError:
        return ""
    return "" if relative == Path() else relative.as_posix()


def _name(root: Path) -> str:
    return root.name or str(root)


def _bare_name(git_dir: Path) -> str:
    name = git_dir.name.removesuffix(".git")
    return name or git_dir.parent.name
