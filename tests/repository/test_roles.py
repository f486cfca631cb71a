"""What a file is for, by its path."""

from __future__ import annotations

import pytest

from trackdown.repository.roles import is_test, role_of
from trackdown.types import CODE, PROSE, TEST


@pytest.mark.parametrize(
    "path",
    [
        "tests/a.py",
        "pkg/Tests/deep/a.py",
        "src/__tests__/a.ts",
        "spec/models/user.rb",
        "e2e/login.ts",
        "testdata/input.go",
        "test_a.py",
        "pkg/a_test.go",
        "a.test.tsx",
        "a.spec.js",
        "user_spec.rb",
        "UserTest.java",
        "UserTests.cs",
        "UserTest.php",
        "conftest.py",
        "app/tests.py",
        "tests/README.md",
    ],
)
def test_tests_are_known_by_folder_or_name(path: str) -> None:
    assert is_test(path)
    assert role_of(path) == TEST


@pytest.mark.parametrize(
    "path", ["README.md", "docs/a.rst", "CHANGELOG", "License", "notes.TXT", "man/tool.1", "doc/a.adoc"]
)
def test_prose_is_known_by_its_ending_or_name(path: str) -> None:
    assert role_of(path) == PROSE


@pytest.mark.parametrize(
    "path",
    [
        "a.py",
        "contest.py",
        "latest.go",
        "attestation/a.py",
        "pytest/runner.py",
        "testimony.py",
        "inspect.rb",
        "special/a.rb",
        "Contestant.java",
        "readme.py",
        "licenses.py",
        "a.html",
        "tests",
    ],
)
def test_code_with_such_letters_in_its_name_stays_code(path: str) -> None:
    assert not is_test(path)
    assert role_of(path) == CODE
