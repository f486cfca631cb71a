"""Every error that Trackdown raises on purpose.

TrackdownError
├── UsageError              the request itself is invalid (exit code 2)
│   ├── QueryError          the query is empty, binary or otherwise not searchable
│   └── UnknownRepository   the server has no repository of this name
├── RepositoryError         the repository or folder cannot be read
│   ├── NoSuchPath          the path does not exist
│   ├── UnknownRevision     the repository has no such commit, branch or tag
│   ├── EmptyRepository     there is nothing to search
│   ├── ProjectFileError    its .trackdown.toml cannot be read, or says what it may not say
│   └── GitError            git is missing, too old, or failed
│       ├── MissingObject   git needs an object that this clone does not have
│       └── GitTimeout      git was still working when its time was up
├── StoreError              the store cannot be read or written
│   ├── StoreBusy           another process is writing to it
│   ├── StoreFull           the disk is full
│   └── StoreCorrupt        a file of the store is damaged; its content can be rebuilt
├── FleetError              the place of a fleet cannot be read or written, or has nothing to search
├── ShardError              an exported index is damaged, or does not fit this repository or version
├── ModelError              a model's weights are missing, damaged or unusable
│   └── LlmError            a language model cannot be reached, refuses, or has no budget left
│       └── NoAnswer        one prompt has no usable answer; the next may have one
├── TrackerError            an issue tracker refuses, or has no such issue
│   └── TrackerUnavailable  it cannot be reached or accepts no requests for now
├── TooBusy                 the server is overloaded or not ready yet: try again later
│   └── FilesChanged        files changed while they were being read again
└── Cancelled               the caller no longer wants the answer

A message names the input, says what is wrong with it and what to do. Surfaces print it as one line.
"""


class TrackdownError(Exception):
    """Base of all errors; `exit_code` is the exit code of the command line."""

    exit_code = 1


class UsageError(TrackdownError):
    """The request itself is invalid."""

    exit_code = 2


class QueryError(UsageError):
    """The query has nothing to search for."""


class UnknownRepository(UsageError):
    """A request names a repository that the server doesn't have."""


class RepositoryError(TrackdownError):
    """The repository or folder cannot be read."""


class NoSuchPath(RepositoryError):
    """There is nothing at the given path."""


class UnknownRevision(RepositoryError):
    """The revision does not name a commit."""


class EmptyRepository(RepositoryError):
    """The snapshot has no searchable file."""


class ProjectFileError(RepositoryError):
    """The repository's own settings file is invalid."""


class GitError(RepositoryError):
    """The git program is missing, too old, or failed."""


class MissingObject(GitError):
    """An object is not in this clone (partial clone, or a mirror without large blobs)."""


class GitTimeout(GitError):
    """Git was stopped while it was working. This says nothing about the repository: git may only have been slow."""


class StoreError(TrackdownError):
    """The store cannot be opened, read or written."""


class StoreBusy(StoreError):
    """Another process is writing to the store."""


class StoreFull(StoreError):
    """The disk that holds the store is full."""


class StoreCorrupt(StoreError):
    """Something in the store is damaged. Everything in it is derived, so it is rebuilt."""


class FleetError(TrackdownError):
    """The place of a fleet cannot be read or written, or nothing is published there."""


class ShardError(TrackdownError):
    """An exported index cannot be imported: it is damaged, or belongs to another version or repository."""


class ModelError(TrackdownError):
    """A model cannot be opened or run. Search continues without it."""


class LlmError(ModelError):
    """A language model cannot be asked. Its earlier answers are kept."""


class NoAnswer(LlmError):
    """One prompt has no answer; others may have one. `charged` says whether its tokens are likely to be billed."""

    def __init__(self, message: str, *, charged: bool = False) -> None:
        super().__init__(message)
        self.charged = charged


class TrackerError(TrackdownError):
    """An issue cannot be fetched."""


class TrackerUnavailable(TrackerError):
    """A tracker gives no answer for now. It says nothing about the issue, so an earlier copy may be used."""


class TooBusy(TrackdownError):
    """Too many requests for now. `retry_after` is the number of seconds to wait before a retry."""

    def __init__(self, message: str, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class FilesChanged(TooBusy):
    """Stored facts were gone, and the files have changed since. The next attempt sees them as they are now."""


class Cancelled(TrackdownError):
    """The caller has disconnected or cancelled. This need not be reported."""
