"""Every setting: its default, what it means, and whether a repository may set it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal

from trackdown.types import Aggregation, Effort, Fusion, Level

Origin = Literal["default", "user file", "project file", "environment", "command line"]
"""Where a value comes from; each outweighs those before it."""
SECRETS = frozenset({"llm_key", "token", "import_token"})
"""Settings whose values are never shown."""
_PREFIX = "TRACKDOWN_"


def _about(help: str, *, project: bool = False) -> dict[str, Any]:
    """What a setting means, and whether a repository's own file may set it."""
    return {"help": help, "project": project}


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where the store is unless a setting names another place."""
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trackdown"


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. The weights of retrievers apply when `fusion` is "weighted", the trees in the folder `ranker` when
    it is "ranker".

    `models` is "packaged" (the set that comes with the program), a folder with a set of models, `hub:owner/name`, or
    "none". In a search of balanced effort the encoder compares `encoder_depth` candidates, then the cross-encoder reads
    `code_depth`; `budget_ms` is a safety net that ends both. With `deep`, servers and
    `index --watch` compute the deep index when they are idle. `token` is the bearer token of servers, `import_token`
    the one to download an exported index with.

    `llm` is where the language model is: "none", "embedded" (the small one of the extra `llm`), a .gguf file, or the
    URL of an OpenAI-compatible endpoint up to `/v1`, which also needs `llm_model` and usually `llm_key`. The key is
    sent over https or to this machine only, unless `llm_insecure`. `llm_tokens` and `llm_money` limit what one run may
    spend; 0 allows cached answers only. Money counts if `llm_price_in` and `llm_price_out`, per million tokens, are
    set. `llm_context` 0 means the context size of the model. `llm_record` is a file to write answers to, `llm_replay`
    a file to read them from. `llm_dry_run` counts the questions without asking any.

    `origins` says where values that were loaded come from. It is not a setting.
    """

    store: Path = field(
        default_factory=lambda: cache_folder(os.environ),
        metadata=_about("folder for indexes, cloned repositories and kept answers"),
    )
    store_limit_mb: int = field(default=4096, metadata=_about("size at which the oldest contents are deleted"))
    workers: int = field(default=0, metadata=_about("processes that parse files; 0: one per core, at most four"))
    max_file_kb: int = field(default=1024, metadata=_about("larger files are left out"))
    project_file: bool = field(default=True, metadata=_about("obey the .trackdown.toml of repositories"))
    exclude: tuple[str, ...] = field(
        default=(), metadata=_about("patterns of files that answers leave out", project=True)
    )
    languages: tuple[str, ...] = field(default=(), metadata=_about("search only these languages", project=True))
    tests: bool = field(default=True, metadata=_about("include tests", project=True))
    generated: bool = field(default=True, metadata=_about("include generated code", project=True))
    third_party: bool = field(default=True, metadata=_about("include copies of other people's code", project=True))
    k: int = field(default=10, metadata=_about("how many results a search returns", project=True))
    level: Level = field(default="function", metadata=_about("what a search ranks", project=True))
    effort: Effort = field(default="balanced", metadata=_about("how much the models read", project=True))
    mode: str = field(default="hybrid", metadata=_about("which retrievers and stages take part"))
    fusion: Fusion = field(default="weighted", metadata=_about("how signals become one score", project=True))
    aggregation: Aggregation = field(
        default="blend", metadata=_about("how commits' scores become a file's score", project=True)
    )
    weight_lexical: float = field(default=1.0, metadata=_about("weight of the words of the code", project=True))
    weight_commits: float = field(default=0.5, metadata=_about("weight of past commits", project=True))
    weight_mentions: float = field(default=0.5, metadata=_about("weight of names and paths in the query", project=True))
    weight_messages: float = field(default=2.0, metadata=_about("weight of messages the program prints", project=True))
    weight_references: float = field(
        default=0.5, metadata=_about("weight of commits and issues in the query", project=True)
    )
    weight_dense: float = field(default=0.5, metadata=_about("weight of the static vectors", project=True))
    weight_deep: float = field(default=0.5, metadata=_about("weight of the deep index", project=True))
    adaptive: bool = field(default=False, metadata=_about("let the kind of query set the weights", project=True))
    graph: bool = field(default=False, metadata=_about("promote code related to the top results", project=True))
    ranker: Path = field(default=Path(), metadata=_about("folder of the trees that rank when fusion is ranker"))
    models: str = field(default="packaged", metadata=_about("the set of models"))
    threads: int = field(default=0, metadata=_about("threads that run a model; 0: one per core, at most four"))
    encoder_depth: int = field(default=100, metadata=_about("how many candidates the encoder compares"))
    code_depth: int = field(default=20, metadata=_about("how many candidates the cross-encoder reads"))
    budget_ms: int = field(default=10_000, metadata=_about("safety net: how long the models may read"))
    deep: bool = field(default=True, metadata=_about("let servers compute the deep index when they are idle"))
    llm: str = field(default="none", metadata=_about("the language model: none, embedded, a .gguf file or a URL"))
    llm_model: str = field(default="", metadata=_about("the endpoint's model"))
    llm_key: str = field(default="", repr=False, metadata=_about("the endpoint's key"))
    llm_insecure: bool = field(default=False, metadata=_about("send the key over plain http to other machines, too"))
    llm_timeout_s: float = field(default=60.0, metadata=_about("seconds to wait for an answer"))
    llm_concurrency: int = field(default=4, metadata=_about("questions in flight at a time"))
    llm_tokens: int = field(default=1_000_000, metadata=_about("tokens that one run may use"))
    llm_money: float = field(default=1.0, metadata=_about("money that one run may spend"))
    llm_price_in: float = field(default=0.0, metadata=_about("price of a million tokens read"))
    llm_price_out: float = field(default=0.0, metadata=_about("price of a million tokens written"))
    llm_context: int = field(default=0, metadata=_about("context length in tokens; 0: the model's own"))
    llm_record: Path = field(default=Path(), metadata=_about("file to write answers to"))
    llm_replay: Path = field(default=Path(), metadata=_about("file to take answers from"))
    llm_dry_run: bool = field(default=False, metadata=_about("count what would be asked, and ask nothing"))
    token: str = field(default="", repr=False, metadata=_about("the token that clients of servers must send"))
    import_token: str = field(default="", repr=False, metadata=_about("the token to download an exported index with"))
    origins: tuple[tuple[str, Origin], ...] = field(default=(), repr=False, compare=False)

    def origin(self, name: str) -> Origin:
        """Where a setting's value comes from. A caller that makes settings by hand names those that differ from the
        default.
        """
        known = dict(self.origins).get(name)
        if known is not None:
            return known
        return "default" if getattr(self, name) == default_of(name) else "command line"

    @property
    def worker_count(self) -> int:
        """Number of processes that parse; 0 in the settings means one per core, four at most."""
        return self.workers or min(os.cpu_count() or 1, 4)

    @property
    def max_file_bytes(self) -> int:
        """Larger files are left out."""
        return self.max_file_kb * 1024

    @property
    def thread_count(self) -> int:
        """Number of threads for a model; 0 in the settings means one per core, four at most."""
        return self.threads or min(os.cpu_count() or 1, 4)


@cache
def setting_names() -> tuple[str, ...]:
    """The names of all settings, in order."""
    return tuple(one.name for one in fields(Settings) if one.name != "origins")


@cache
def _defaults() -> Settings:
    return Settings(store=Path())


def default_of(name: str) -> Any:
    """The default of a setting; for the store, the cache folder of this process."""
    return cache_folder(os.environ) if name == "store" else getattr(_defaults(), name)


def help_of_setting(name: str) -> str:
    """What a setting means, in a few words."""
    return next(str(one.metadata["help"]) for one in fields(Settings) if one.name == name)


def variable_of(name: str) -> str:
    """The environment variable that sets a setting."""
    return f"{_PREFIX}{name.upper()}"


PROJECT_SETTINGS = frozenset(one.name for one in fields(Settings) if one.metadata.get("project"))
"""The settings that a repository's own file may contain: filters and ranking. None of them names a program, a path, a
host or a model, and none makes a search ask a language model.
"""
