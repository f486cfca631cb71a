"""Tasks on small real repositories with a history, and what is the same in two runs of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tests.conftest import Repo
from tests.index.histories import Planned, make_history
from trackdown.lab.cases import CodeLocation
from trackdown.lab.runs import Row
from trackdown.lab.tasks import Bench, Task

VERBS = "parse render sign close merge split count load save send".split()
NOUNS = "cookie header session router cache queue token branch socket letter".split()


def words(number: int) -> tuple[str, str]:
    """A verb and a noun that no other number below 100 has together."""
    return VERBS[number % 10], NOUNS[number // 10 % 10]


def source(number: int) -> str:
    """A module with one function that is about these words."""
    verb, noun = words(number)
    return f'def {verb}_{noun}(value):\n    """{verb.title()} a {noun}."""\n    return value.{noun}\n'


def grown_repository(repo: Repo, commits: int) -> list[str]:
    """A history in which every commit adds a module, and its last state on disk. Returns the ids."""
    made = make_history(
        repo,
        [
            Planned(
                f"{' a '.join(words(number)).capitalize()}",
                [number - 1] if number else [],
                {f"src/m{number}.py": source(number)},
            )
            for number in range(commits)
        ],
    )
    repo.git("reset", "-q", "--hard")
    return made


def task(repo: Repo, number: int, at: str | None, **more: object) -> Task:
    """The question for a module that a commit added."""
    verb, noun = words(number)
    return replace(
        Task(
            f"{repo.root.name}-{number}",
            f"cannot {verb} the {noun}",
            (CodeLocation(f"src/m{number}.py", f"{verb}_{noun}"),),
            str(repo.root),
            repo.root.name,
            "function",
            at,
        ),
        **more,  # type: ignore[arg-type]
    )


def bench_of(*tasks: Task, **more: object) -> Bench:
    """Tasks as a bench."""
    return Bench("made", tasks[0].level if tasks else "function", tasks, **more)  # type: ignore[arg-type]


def timeless(rows: Iterable[Row]) -> list[Row]:
    """Rows without what differs from run to run, in one order."""
    return sorted((replace(row, ms=0.0) for row in rows), key=lambda row: row.key)
