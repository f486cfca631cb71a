"""A file's role by its path: code, test or prose. Tests and prose rank below code unless the query asks for them."""

from __future__ import annotations

from fnmatch import fnmatchcase

from trackdown.types import CODE, PROSE, TEST

_PROSE_ENDINGS = (".md", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc", ".textile", ".org", ".tex", ".1")
_PROSE_NAMES = frozenset({"readme", "changelog", "changes", "authors", "contributors", "license", "copying", "news"})
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "test-data", "e2e"})
_TEST_NAMES = tuple(
    "test_* *_test.* *_tests.* *.test.* *.spec.* *_spec.* *Test.java *Tests.java *Test.kt *Tests.cs *Test.cs *Test.php "
    "*Spec.scala *Test.scala *Tests.swift *Spec.hs conftest.py tests.py *-test.*".split()
)


def role_of(path: str) -> int:
    """CODE, TEST (by its folders or its name) or PROSE (by its ending)."""
    if is_test(path):
        return TEST
    name = path.rsplit("/", 1)[-1].lower()
    return PROSE if name.endswith(_PROSE_ENDINGS) or name in _PROSE_NAMES else CODE


def is_test(path: str) -> bool:
    """Whether a path belongs to a test."""
    *folders, name = path.split("/")
    if any(folder.lower() in _TEST_FOLDERS for folder in folders):
        return True
    return any(fnmatchcase(name, pattern) for pattern in _TEST_NAMES)
