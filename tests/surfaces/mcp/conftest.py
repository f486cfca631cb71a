"""A repository that takes a while to index."""

from __future__ import annotations

import pytest

from tests.conftest import Repo

FUNCTION = '''def handle_{name}_{number}(request, session):
    """Handle the {name} of a request, number {number}."""
    values = [part.strip() for part in request.split(",") if part]
    return session.sign("{name}", values[:{number}])
'''


@pytest.fixture(scope="session")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A thousand files. Tests only look at it."""
    repo = Repo(tmp_path_factory.mktemp("mcp") / "crowd")
    files = {
        f"pack{number % 40}/part{number}.py": "\n\n".join(
            FUNCTION.format(name=f"thing{number}", number=inner) for inner in range(12)
        )
        for number in range(1000)
    }
    repo.commit("Handle everything", files)
    return repo
