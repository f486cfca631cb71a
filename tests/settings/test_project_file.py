"""A repository's own settings: what it may say, what it may not, and files that mean harm."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from trackdown.errors import ProjectFileError
from trackdown.settings import (
    MAX_PROJECT_FILE_BYTES,
    PROJECT_SETTINGS,
    Settings,
    load_settings,
    setting_names,
    with_project_file,
)

WHERE = ".trackdown.toml of shop"
REFUSED = sorted(set(setting_names()) - PROJECT_SETTINGS)


def said(data: bytes | str, settings: Settings | None = None) -> Settings:
    text = data.encode() if isinstance(data, str) else data
    return with_project_file(settings or Settings(store=Path("/store")), text, WHERE)


def refused(data: bytes | str) -> str:
    with pytest.raises(ProjectFileError) as caught:
        said(data)
    line = str(caught.value)
    assert line.startswith(WHERE) and "\n" not in line and len(line) < 400
    return line


def test_filters_and_ranking_can_be_set() -> None:
    found = said(
        'exclude = ["vendor/", "*.pb.go"]\nlanguages = ["python"]\ntests = false\ngenerated = false\n'
        'third_party = "no"\nk = 5\nlevel = "file"\neffort = "fast"\nfusion = "rrf"\naggregation = "maxp"\n'
        "weight_dense = 2\nadaptive = true\ngraph = true\n"
    )
    assert (found.exclude, found.languages) == (("vendor/", "*.pb.go"), ("python",))
    assert (found.tests, found.generated, found.third_party) == (False, False, False)
    assert (found.k, found.level, found.effort, found.fusion) == (5, "file", "fast", "rrf")
    assert (found.aggregation, found.weight_dense, found.adaptive, found.graph) == ("maxp", 2.0, True, True)
    assert found.origin("k") == "project file" and found.origin("mode") == "default"


def test_nothing_that_names_a_program_a_place_a_model_or_a_cost_is_a_projects_to_set() -> None:
    weights = {name for name in setting_names() if name.startswith("weight_")}
    filters = {"exclude", "languages", "tests", "generated", "third_party"}
    ranking = {"k", "level", "effort", "fusion", "aggregation", "adaptive", "graph"}
    assert weights | filters | ranking == PROJECT_SETTINGS


@pytest.mark.parametrize("name", REFUSED)
def test_the_rest_is_refused_with_the_place_where_it_may_be_set(name: str) -> None:
    for value in ("1", '"x"', "true", "[]"):
        line = refused(f"k = 3\n{name} = {value}\n")
        assert f"a repository may not set {name}; set TRACKDOWN_{name.upper()}" in line and "config.toml" in line


def test_the_secret_that_a_project_tries_to_set_is_not_repeated() -> None:
    assert "sk-12345" not in refused('llm_key = "sk-12345"\n')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("wieght_dense = 1\n", "there is no setting named 'wieght_dense'; did you mean weight_dense?"),
        ("[ranking]\nk = 3\n", "there is no setting named 'ranking'"),
        ("[[exclude]]\na = 1\n", "exclude must be a list of texts"),
        ("zebra = 1\n", "`trackdown config` lists them"),
        (f"{'z' * 5000} = 1\n", "there is no setting named"),
        ("k = 0\n", "k must be between 1 and 1000, not 0"),
        ("k = 1001\n", "k must be between 1 and 1000, not 1001"),
        ("k = 2.5\n", "k must be a whole number"),
        ("k = true\n", "k must be a whole number"),
        ("k = 1979-05-27\n", "k must be a whole number"),
        (f"k = 0x{'f' * 4000}\n", "so large a number"),
        (f"k = {'9' * 5000}\n", "cannot be parsed"),
        ("k = nan\n", "k must be a whole number"),
        ("weight_dense = nan\n", "weight_dense must be at least 0"),
        ("weight_dense = -1\n", "weight_dense must be at least 0"),
        ("weight_dense = inf\n", "weight_dense must be at least 0"),
        ("weight_dense = {a = {b = 1}}\n", "weight_dense must be a number, not a table"),
        ('level = "folder"\n', "level must be one of function, class, symbol, file, not 'folder'"),
        ("level = []\n", "level must be one of"),
        ('effort = "endless"\n', "effort must be one of"),
        ("tests = 2\n", "tests must be yes or no"),
        ("tests = []\n", "tests must be yes or no, not an array"),
        ('exclude = "vendor/"\nk = "x"\n', "k must be a whole number"),
        ("exclude = [1]\n", "exclude must be a list of texts"),
        ('exclude = [""]\n', "exclude must be a list of texts of 1 to 1000"),
        ("exclude = [" + '"a",' * 101 + "]\n", "exclude has 101 items, and may have 100"),
        (f'exclude = ["{"a" * 1001}"]\n', "exclude must be a list of texts of 1 to 1000"),
        ("k = \n", "cannot be parsed as TOML"),
        ("k = 1\nk = 2\n", "cannot be parsed as TOML"),
        ("<<<<<<< HEAD\nk = 1\n", "cannot be parsed as TOML"),
    ],
)
def test_a_bad_value_is_one_line_that_names_it(text: str, words: str) -> None:
    assert words in refused(text)


def test_binary_and_huge_files_are_refused() -> None:
    assert "not UTF-8" in refused(b"k = 3\n\xff\xfe")
    assert "not UTF-8" in refused(b"\x7fELF\x02\x01\x80\x81")
    assert "cannot be parsed" in refused(b"\0" * 100)
    assert "larger than 16 KB" in refused(b"#" * (MAX_PROJECT_FILE_BYTES + 1))
    assert said(b"#" * MAX_PROJECT_FILE_BYTES).k == 10


@pytest.mark.parametrize(
    "hostile",
    [
        "k = " + "[" * 16000,
        "k = " + "{a=" * 5000,
        ".".join(["a"] * 8000) + " = 1",
        "".join(f"[{'a.' * n}a]\n" for n in range(100)),
        "a = 1\n" * 2000,
        "".join(f"x{n}.y = 1\n" for n in range(1200)),
        'k = """' + "\\u0041" * 2500,
    ],
)
def test_files_made_to_cost_time_are_refused_quickly(hostile: str) -> None:
    assert len(hostile) <= MAX_PROJECT_FILE_BYTES
    began = time.process_time()
    refused(hostile)
    assert time.process_time() - began < 2


def test_the_environment_and_the_call_go_first_and_the_users_file_goes_last(tmp_path: Path) -> None:
    (tmp_path / "trackdown").mkdir()
    (tmp_path / "trackdown" / "config.toml").write_text("k = 7\nlevel = 'class'\ntests = false\nweight_deep = 3\n")
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "TRACKDOWN_LEVEL": "symbol", "TRACKDOWN_EXCLUDE": "docs/, *.md"}
    settings = load_settings(environment, effort="fast")
    found = said("k = 5\nlevel = 'file'\neffort = 'thorough'\nexclude = ['vendor/']\ntests = true\n", settings)
    assert (found.k, found.level, found.effort) == (5, "symbol", "fast")
    assert (found.exclude, found.tests, found.weight_deep) == (("docs/", "*.md"), True, 3.0)
    origins = [found.origin(name) for name in ("k", "level", "effort", "exclude", "weight_deep", "mode")]
    assert origins == ["project file", "environment", "command line", "environment", "user file", "default"]


def test_what_a_program_sets_by_hand_outweighs_the_project() -> None:
    settings = replace(Settings(store=Path("/store")), k=20)
    found = said("k = 5\nlevel = 'file'\n", settings)
    assert (found.k, found.level) == (20, "file")
