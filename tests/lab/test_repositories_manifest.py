"""Manifests: several repositories, each with its data set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trackdown.errors import UsageError
from trackdown.lab.repositories import ManifestEntry, read_manifest


def manifest(tmp_path: Path, value: object) -> Path:
    path = tmp_path / "set" / "repositories.json"
    path.parent.mkdir()
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_paths_are_relative_to_the_manifest_and_a_name_may_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = read_manifest(
        manifest(
            tmp_path,
            [
                {"name": "one", "path": "../one", "dataset": "one.jsonl"},
                {"watched_dir": "/srv/two", "extra": 1},
                {"name": None, "path": "~/three", "dataset": None},
            ],
        )
    )
    assert found == [
        ManifestEntry("one", tmp_path / "one", tmp_path / "set" / "one.jsonl"),
        ManifestEntry("two", Path("/srv/two"), None),
        ManifestEntry("three", tmp_path / "home" / "three", None),
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("[{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ({}, "must be a list"),
        ([], "must be a list"),
        ([{"path": "a"}, 3], "entry 2: not an object"),
        ([{"name": "x"}], "entry 1: 'path' is missing"),
        ([{"path": ""}], "entry 1: 'path' is missing"),
        ([{"path": ["a"]}], "entry 1: 'path' is missing"),
        ([{"path": "a", "name": 1}], "entry 1: 'name' and 'dataset' must be strings"),
        ([{"path": "a", "dataset": {}}], "entry 1: 'name' and 'dataset' must be strings"),
        ([{"path": "~nobody-of-this-name/x"}], "entry 1: Could not determine home"),
        ([{"path": "a\0b"}], "entry 1: "),
        ([{"path": "x/a"}, {"path": "y/a"}], "the name 'a' appears twice"),
    ],
)
def test_what_is_wrong_is_said_with_the_entry(tmp_path: Path, value: object, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_manifest(manifest(tmp_path, value))
    assert words in str(caught.value) and "repositories.json" in str(caught.value)


def test_a_manifest_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read the manifest .*gone.json: No such file"):
        read_manifest(tmp_path / "gone.json")
