"""Sources that Hypothesis and our own mutator grow, for every language, through the workers as indexing does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.campaign import grown_sources
from tests.campaign.grammar_inputs import languages
from tests.campaign.hypothesis_sources import hypothesis_sources
from tests.campaign.judge import Judge
from tests.campaign.runner import planned
from tests.campaign.scene import Ground, Scene
from tests.conftest import Repo
from tests.surfaces.program import Program


@pytest.mark.slow
@pytest.mark.parametrize("language", languages())
def test_no_grown_source_holds_a_command_or_loses_a_word(language: str, tmp_path: Path, repo: Repo) -> None:
    seed = languages().index(language) + len(languages())
    scene = Scene(tmp_path, repo, Program(tmp_path / "store", repo.root))
    ground = Ground(seed, random.Random(f"grammar {seed}"), tmp_path, scene, Judge())
    grown_sources.run(ground)
    assert ground.steps[0].startswith(f"{language}: ") and f"{language}: grown 0" in ground.steps[0]
    assert not ground.judge.problems


def test_a_run_has_sources_in_all_languages() -> None:
    seeds = {seed % len(languages()) for _, seed in planned(300, ["grammar", "damage"])}
    assert len(seeds) == len(languages())


def test_the_same_seed_grows_the_same_sources() -> None:
    first = hypothesis_sources("python", 5, 6)
    assert first == hypothesis_sources("python", 5, 6) and first != hypothesis_sources("python", 6, 6)
    assert 1 <= len(first) <= 6 and len({source.data for source in first}) > 1
