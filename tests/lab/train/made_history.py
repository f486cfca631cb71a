"""A repository in which messages speak another language than the code, so that only past commits know the way.

Every topic has a part that is edited again and again, and a decoy that holds the topic's words and never changes.
"""

from __future__ import annotations

from tests.conftest import Repo
from tests.index.histories import Planned, make_history
from tests.lab.made_tasks import source, words

TOPICS = 8


def misleading_history(repo: Repo, rounds: int) -> list[str]:
    """A first commit, then a commit for every topic in every round. Returns the ids, oldest first."""
    first = {f"lib/decoy{topic}.py": source(11 * topic) for topic in range(TOPICS)}
    first |= {f"src/part{topic}.py": part(topic, 0) for topic in range(TOPICS)}
    plan = [Planned("Begin with everything", [], first)]
    for number in range(rounds):
        for topic in range(TOPICS):
            verb, noun = words(11 * topic)
            message = f"Let it {verb} a {noun} in case {number}"
            plan.append(Planned(message, [len(plan) - 1], {f"src/part{topic}.py": part(topic, number + 1)}))
    made = make_history(repo, plan)
    repo.git("reset", "-q", "--hard")
    return made


def part(topic: int, number: int) -> str:
    """A function without a word of its topic."""
    return f"def step{topic}(given):\n    return given + {number}\n"
