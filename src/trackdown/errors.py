"""Every error that Trackdown raises on purpose.

TrackdownError
├── UsageError              the caller asked for something that cannot be asked (exit code 2)
│   ├── QueryError          the query is empty, binary or otherwise not searchable
│   └── UnknownRepository   a server has no repository of this name
├── RepositoryError         the place to search cannot be read
│   ├── NoSuchPath          the path does not exist
│   ├── UnknownRevision     the repository has no such commit, branch or tag
│   ├── EmptyRepository     there is nothing to search
│   └── GitError            git is missing, too old, or failed
│       └── MissingObject   git needs an object that this clone does not have
├── StoreError              the store cannot be read or written
│   ├── StoreBusy           another process writes to it
│   ├── StoreFull           the disk has no room for it
│   └── StoreCorrupt        a file of the store is damaged; what it held can be rebuilt
├── ModelError              a model's weights are missing, damaged or of a kind that cannot be used
│   └── LlmError            a language model cannot be reached, refuses, or may not be asked any more
│       └── NoAnswer        it had no usable answer to one prompt; it may have one to the next
├── TooBusy                 a server has more to do than it takes on, or is not ready yet: ask again later
└── Cancelled               whoever asked does not want the answer any more

A message names the input, says what is wrong with it and what to do. Surfaces print it as one line.
"""


class TrackdownError(Exception):
    """Base of all errors; `exit_code` is what the command line returns for it."""

    exit_code = 1


class UsageError(TrackdownError):
    """The request itself is wrong."""

    exit_code = 2


class QueryError(UsageError):
    """The query holds nothing to search for."""


class UnknownRepository(UsageError):
    """A request names a repository that is not among those that are served."""


class RepositoryError(TrackdownError):
    """The repository or folder cannot be read."""


class NoSuchPath(RepositoryError):
    """There is nothing at the given path."""


class UnknownRevision(RepositoryError):
    """The revision does not name a commit."""


class EmptyRepository(RepositoryError):
    """The snapshot holds no file that could be searched."""


class GitError(RepositoryError):
    """The git program is missing, too old, or ended with an error."""


class MissingObject(GitError):
    """An object is not in this clone (partial clone, or a mirror without large blobs)."""


class StoreError(TrackdownError):
    """The store cannot be opened, read or written."""


class StoreBusy(StoreError):
    """Another process writes to the store."""


class StoreFull(StoreError):
    """There is no room left where the store stands."""


class StoreCorrupt(StoreError):
    """Something in the store is damaged. Everything in it is derived, so it is rebuilt."""


class ModelError(TrackdownError):
    """A model cannot be opened or run. Search goes on without it, by words alone."""


class LlmError(ModelError):
    """A language model cannot be asked. What it has answered so far is kept."""


class NoAnswer(LlmError):
    """One prompt has no answer. Others may have one. `charged` says whether its tokens are likely to be paid for."""

    def __init__(self, message: str, *, charged: bool = False) -> None:
        super().__init__(message)
        self.charged = charged


class TooBusy(TrackdownError):
    """More is asked than can be done now. `retry_after` is in how many seconds it is worth asking again."""

    def __init__(self, message: str, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Cancelled(TrackdownError):
    """The caller has gone, or has said stop. Nobody has to hear of it."""
