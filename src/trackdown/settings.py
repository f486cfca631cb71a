"""The only reader of environment variables and of the user's TOML file.

Precedence: an argument of the call, then TRACKDOWN_* variables, then the user's `trackdown/config.toml`
in the configuration folder, then the defaults below. Repositories cannot contain settings: their content is untrusted.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args

from trackdown.errors import UsageError
from trackdown.types import Aggregation, Fusion

_TRACKERS = ("GH_", "GITHUB_", "GITLAB_", "GL_", "CI_SERVER_", "GITEA_", "FORGEJO_")
_SECRET = {"llm_key", "token", "import_token"}
_TRUTHS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


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
    """

    store: Path = field(default_factory=lambda: _cache_folder(os.environ))
    store_limit_mb: int = 4096
    workers: int = 0
    max_file_kb: int = 1024
    fusion: Fusion = "weighted"
    aggregation: Aggregation = "blend"
    weight_lexical: float = 1.0
    weight_commits: float = 0.5
    weight_mentions: float = 0.5
    weight_messages: float = 2.0
    weight_references: float = 0.5
    weight_dense: float = 0.5
    weight_deep: float = 0.5
    mode: str = "hybrid"
    adaptive: bool = False
    graph: bool = False
    ranker: Path = Path()
    models: str = "packaged"
    threads: int = 0
    encoder_depth: int = 100
    code_depth: int = 20
    budget_ms: int = 10_000
    deep: bool = True
    llm: str = "none"
    llm_model: str = ""
    llm_key: str = field(default="", repr=False)
    llm_insecure: bool = False
    llm_timeout_s: float = 60.0
    llm_concurrency: int = 4
    llm_tokens: int = 1_000_000
    llm_money: float = 1.0
    llm_price_in: float = 0.0
    llm_price_out: float = 0.0
    llm_context: int = 0
    llm_record: Path = Path()
    llm_replay: Path = Path()
    llm_dry_run: bool = False
    token: str = field(default="", repr=False)
    import_token: str = field(default="", repr=False)

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


@dataclass(frozen=True, slots=True)
class UserFolders:
    """The folders of the user's settings. `path` is the search path for programs."""

    home: Path
    config: Path
    claude: Path
    codex: Path
    path: str


def user_folders(environment: Mapping[str, str] | None = None) -> UserFolders:
    """Find the user's folders."""
    environment = os.environ if environment is None else environment
    home = Path(environment.get("HOME") or Path.home())
    return UserFolders(
        home,
        Path(environment.get("XDG_CONFIG_HOME") or home / ".config"),
        Path(environment.get("CLAUDE_CONFIG_DIR") or home),
        Path(environment.get("CODEX_HOME") or home / ".codex"),
        environment.get("PATH", os.defpath),
    )


def tracker_variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables by which the tools of GitHub, GitLab, Gitea and Forgejo know their hosts and tokens."""
    environment = os.environ if environment is None else environment
    return {name: value for name, value in environment.items() if name.startswith(_TRACKERS)}


def load_settings(environment: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Read the settings. Raises UsageError for an invalid value, with its origin."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    config = _config_folder(environment) / "trackdown" / "config.toml"
    for key, value in _read_table(config).items():
        values[key] = _convert(key, value, str(config))
    for name in (f.name for f in fields(Settings)):
        variable = f"TRACKDOWN_{name.upper()}"
        if environment.get(variable, "") != "":
            values[name] = _convert(name, environment[variable], variable)
    values.update({key: value for key, value in overrides.items() if value is not None})
    if values.get("store", Path()) == Path():
        values["store"] = _cache_folder(environment)
    return Settings(**values)


def _read_table(config: Path) -> dict[str, Any]:
    """The user's file; empty if there is none."""
    try:
        return tomllib.loads(config.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {config}: {error}") from None


def _convert(name: str, value: object, where: str) -> object:
    """Convert a value from a file or the environment to the type of its setting."""
    default = next((getattr(Settings(store=Path()), f.name) for f in fields(Settings) if f.name == name), None)
    if default is None:
        raise UsageError(f"{where}: there is no setting named {name!r}")
    choices = {"fusion": get_args(Fusion), "aggregation": get_args(Aggregation)}.get(name)
    if choices is not None:
        if value not in choices:
            raise UsageError(f"{where}: {name} must be one of {', '.join(choices)}, not {value!r}")
        return value
    if isinstance(default, Path):
        return _path(name, value, where)
    if isinstance(default, str):
        if not isinstance(value, str):
            shown = type(value).__name__ if name in _SECRET else repr(value)
            raise UsageError(f"{where}: {name} must be text, not {shown}")
        return value
    if isinstance(default, bool):
        truth = _TRUTHS.get(str(value).lower())
        if truth is None:
            raise UsageError(f"{where}: {name} must be yes or no, not {value!r}")
        return truth
    try:
        if isinstance(value, bool) or (isinstance(default, int) and isinstance(value, float)):
            raise TypeError
        number = type(default)(value)
    except (TypeError, ValueError, OverflowError):
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise UsageError(f"{where}: {name} must be {kind}, not {value!r}") from None
    if not 0 <= number < 10**9:
        raise UsageError(f"{where}: {name} must be at least 0 and below a billion, not {value!r}")
    return number


def _path(name: str, value: object, where: str) -> Path:
    try:
        if not isinstance(value, str):
            raise TypeError
        return Path(value).expanduser()
    except (TypeError, RuntimeError):
        raise UsageError(f"{where}: {name} must be a path, not {value!r}") from None


def _cache_folder(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trackdown"


def _config_folder(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config")
