"""The loop with a real model: rewriting, an interruption, going on, and searching what was made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.surfaces.program import COMMAND, Program, wait_for
from trackdown.index.rewrite_facts import REWRITES
from trackdown.store.store import Store

pytestmark = pytest.mark.llm
FILES = {
    "bank/account.py": """class Account:
    def deposit(self, amount):
        self.balance += amount
        return self.balance

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError(amount)
        self.balance -= amount
        return self.balance
""",
    "bank/words.py": '''def count_vowels(text):
    """Count the vowels of a text."""
    return sum(letter in "aeiou" for letter in text)


def reverse_words(text):
    """Turn the order of the words of a text around."""
    return " ".join(reversed(text.split()))
''',
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("live")
    repo = Repo(folder / "bank")
    repo.commit("Begin the bank", FILES)
    variables = {"TRACKDOWN_LLM": "embedded", "TRACKDOWN_MODELS": "none", "XDG_CONFIG_HOME": str(folder)}
    return Program(folder / "store", repo.root, variables)


def kept(store: Path) -> int:
    opened = Store(store)
    try:
        return len(opened.database.fact_keys(REWRITES))
    finally:
        opened.close()


def test_the_loop_with_an_interruption(program: Program) -> None:
    counted = program("rewrite", "--estimate-cost", "--format", "json").json()
    assert counted["repositories"][0]["left"] == 4 and counted["llm"]["total"]["calls"] == 8
    first = program("rewrite", "--limit", "1", "--format", "json").json()
    assert first["repositories"][0]["made"] + first["repositories"][0]["failed"] == 1
    before = kept(program.store)
    words = [*COMMAND, "rewrite"]
    process = subprocess.Popen(words, cwd=program.folder, env=program.environment(), stderr=subprocess.PIPE)
    assert wait_for(lambda: kept(program.store) > before or process.poll() is not None)
    process.kill()  # no time to tidy up
    process.communicate()
    rest = program("rewrite", "--format", "json").json()["repositories"][0]
    assert rest["had"] >= before and rest["had"] + rest["made"] + rest["failed"] == 4 and rest["left"] == 0
    again = program("rewrite", "--format", "json").json()
    assert again["repositories"][0]["had"] == rest["had"] + rest["made"]
    assert not again["llm"] or again["llm"]["total"]["calls"] == 0, "a second run is free"


def test_searching_with_what_was_made(program: Program) -> None:
    program("rewrite")
    made = kept(program.store)
    found = program("search", "turn a sentence around, last word first", "--reco", "--format", "json").json()
    assert any(f"{made} of 4 units have a rewrite by smollm2" in note for note in found["notes"])
    assert found["results"] and found["llm"]["stages"][0]["stage"] == "exemplars"
    again = program("search", "turn a sentence around, last word first", "--reco", "--format", "json").json()
    assert again["llm"]["total"]["calls"] == 0 and again["results"] == found["results"]
