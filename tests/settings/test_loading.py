"""Settings: where they come from, which one wins, and errors that name the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.odd_files import KINDS, put_odd
from trackdown.errors import UsageError
from trackdown.settings import Settings, load_settings


def write_config(home: Path, text: str) -> dict[str, str]:
    folder = home / "conf" / "trackdown"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, "utf-8")
    return {"XDG_CONFIG_HOME": str(home / "conf"), "XDG_CACHE_HOME": str(home / "cache")}


def test_defaults(tmp_path: Path) -> None:
    settings = load_settings({"XDG_CONFIG_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert settings == Settings(store=tmp_path / "cache" / "trackdown")


def test_the_environment_is_read(tmp_path: Path) -> None:
    settings = load_settings(
        {
            "XDG_CONFIG_HOME": str(tmp_path),
            "TRACKDOWN_STORE": str(tmp_path / "mine"),
            "TRACKDOWN_WORKERS": "3",
            "TRACKDOWN_FUSION": "rrf",
            "TRACKDOWN_AGGREGATION": "maxp",
            "TRACKDOWN_WEIGHT_COMMITS": "0.25",
        }
    )
    assert settings.store == tmp_path / "mine"
    assert (settings.workers, settings.worker_count) == (3, 3)
    assert (settings.fusion, settings.aggregation, settings.weight_commits) == ("rrf", "maxp", 0.25)


def test_the_file_is_read_and_the_environment_goes_first_and_arguments_before_both(tmp_path: Path) -> None:
    environment = write_config(tmp_path, 'store = "~/elsewhere"\nworkers = 2\nmax_file_kb = 10\nfusion = "rrf"\n')
    environment |= {"TRACKDOWN_WORKERS": "5", "TRACKDOWN_MAX_FILE_KB": "20"}
    settings = load_settings(environment, max_file_kb=30, store=None)
    assert settings.store == Path("~/elsewhere").expanduser()
    assert (settings.workers, settings.max_file_kb, settings.fusion) == (5, 30, "rrf")


def test_an_empty_variable_is_none(tmp_path: Path) -> None:
    environment = write_config(tmp_path, "workers = 2\n")
    assert load_settings({**environment, "TRACKDOWN_WORKERS": "", "TRACKDOWN_STORE": ""}).workers == 2


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TRACKDOWN_WORKERS", "many"),
        ("TRACKDOWN_WORKERS", "2.5"),
        ("TRACKDOWN_WORKERS", "-1"),
        ("TRACKDOWN_FUSION", "best"),
        ("TRACKDOWN_AGGREGATION", "median"),
        ("TRACKDOWN_WEIGHT_LEXICAL", "nan"),
        ("TRACKDOWN_WEIGHT_LEXICAL", "inf"),
        ("TRACKDOWN_MAX_FILE_KB", "99999999999"),
    ],
)
def test_a_bad_variable_is_named_with_its_value(tmp_path: Path, variable: str, value: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_settings({"XDG_CONFIG_HOME": str(tmp_path), variable: value})
    assert str(caught.value).startswith(f"{variable}: ") and repr(value) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("workers = many\n", "Invalid value"),
        ('workers = "many"\n', "workers must be a whole number, not 'many'"),
        ("workers = 2.5\n", "workers must be a whole number, not 2.5"),
        ("workers = true\n", "workers must be a whole number, not True"),
        ("weight_lexical = true\n", "weight_lexical must be a number, not True"),
        ("workers = [2]\n", "workers must be a whole number, not an array"),
        ("workers = -1\n", "must be at least 0"),
        ("fusion = 3\n", "fusion must be one of rrf, weighted, ranker, not 3"),
        ("store = 3\n", "store must be a path, not 3"),
        ('store = "~nobody-of-that-name/x"\n', "store must be a path, not '~nobody-of-that-name/x'"),
        (f"weight_lexical = 1{'0' * 400}\n", "weight_lexical must be a number"),
        ("wrokers = 2\n", "there is no setting named 'wrokers'; did you mean workers?"),
        ("[search]\nk = 3\n", "there is no setting named 'search'"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    environment = write_config(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        load_settings(environment)
    assert str(tmp_path / "conf" / "trackdown" / "config.toml") in str(caught.value)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    environment = write_config(tmp_path, "")
    (tmp_path / "conf" / "trackdown" / "config.toml").write_bytes(b"store = '\xff'\n")
    with pytest.raises(UsageError, match="cannot read"):
        load_settings(environment)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_a_file_is_named_at_once(tmp_path: Path, kind: str) -> None:
    environment = write_config(tmp_path, "workers = 2\n")
    put_odd(tmp_path / "conf" / "trackdown" / "config.toml", kind)
    with pytest.raises(UsageError, match=r"cannot read .*config\.toml: [A-Z]"):
        load_settings(environment)


def test_whole_numbers_are_weights_too(tmp_path: Path) -> None:
    assert load_settings(write_config(tmp_path, "weight_lexical = 2\n")).weight_lexical == 2.0


def test_the_process_environment_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACKDOWN_STORE", str(tmp_path / "here"))
    monkeypatch.setenv("TRACKDOWN_WORKERS", "4")
    assert load_settings() == Settings(store=tmp_path / "here", workers=4, models="none")


def test_zero_workers_means_one_for_each_core_and_four_at_most() -> None:
    assert 1 <= Settings(workers=0).worker_count <= 4


def test_the_language_models_settings_are_read_and_its_key_is_not_shown(tmp_path: Path) -> None:
    environment = write_config(tmp_path, 'llm = "https://llm.example.org/v1"\nllm_key = "sk-1"\nllm_money = 2\n')
    environment |= {
        "TRACKDOWN_LLM_TOKENS": "0",
        "TRACKDOWN_LLM_REPLAY": "~/answers.jsonl",
        "TRACKDOWN_LLM_DRY_RUN": "yes",
    }
    settings = load_settings(environment, llm_model="small")
    assert (settings.llm, settings.llm_model, settings.llm_key) == ("https://llm.example.org/v1", "small", "sk-1")
    assert (settings.llm_tokens, settings.llm_money, settings.llm_dry_run) == (0, 2.0, True)
    assert settings.llm_replay == Path("~/answers.jsonl").expanduser() and settings.llm_record == Path()
    assert "sk-1" not in repr(settings)


@pytest.mark.parametrize("name", ["llm_key", "token"])
def test_a_secret_that_is_no_text_is_not_shown_either(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} must be text") as caught:
        load_settings(write_config(tmp_path, f"{name} = 12345678\n"))
    assert "12345678" not in str(caught.value)


def test_settings_made_by_hand_keep_their_store_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Settings(mode="bm25").store == tmp_path / "trackdown"
    assert load_settings({"TRACKDOWN_STORE": "x", "XDG_CONFIG_HOME": str(tmp_path)}).store == Path("x")
