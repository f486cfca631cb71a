"""What a file is for, by its path."""

from __future__ import annotations

import pytest

from trackdown.repository.roles import role_of
from trackdown.types import CODE, GENERATED, PROSE, TEST, VENDORED


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
    assert role_of(path) == CODE


@pytest.mark.parametrize(
    "path",
    [
        "deps/jemalloc/src/arena.c",
        "third_party/zlib/zlib.h",
        "src/third-party/a.js",
        "vendor/github.com/spf13/pflag/flag.go",
        "pip/_vendor/rich/text.py",
        "app/node_modules/left-pad/index.js",
        "admin/static/js/vendor/select2.js",
        "astropy/extern/ply/lex.py",
        "external/fmt/include/format.h",
        "ios/Pods/Alamofire/Source/Request.swift",
        "vendor/lib/src/main/java/A.java",
    ],
)
def test_third_party_code_is_known_by_its_folder(path: str) -> None:
    assert role_of(path) == VENDORED


@pytest.mark.parametrize(
    "path",
    [
        "api/user_pb2.py",
        "api/user.pb.go",
        "ui/Form.Designer.cs",
        "web/app.min.js",
        "apis/v1/zz_generated.deepcopy.go",
        "src/generated/client.ts",
        "src/parser_generated.rs",
        "graphql/types.generated.ts",
    ],
)
def test_generated_code_is_known_by_its_folder_or_name(path: str) -> None:
    assert role_of(path) == GENERATED


@pytest.mark.parametrize(
    "path",
    [
        "deps/deps.go",
        "external/api.py",
        "django/contrib/admin/options.py",
        "lib/router/index.js",
        "privacyidea/lib/tokens/pushtoken.py",
        "src/main/java/org/orm/jpa/vendor/HibernateAdapter.java",
        "app/src/main/kotlin/shop/external/Client.kt",
        "src/vendors.py",
        "src/generator.py",
        "src/generated.py",
    ],
)
def test_own_code_in_folders_of_similar_names_stays_code(path: str) -> None:
    assert role_of(path) == CODE


def test_tests_and_prose_of_third_parties_stay_tests_and_prose() -> None:
    assert role_of("deps/jemalloc/test/unit/a.c") == TEST
    assert role_of("deps/jemalloc/README.md") == PROSE
