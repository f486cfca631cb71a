"""Questions that a repository has no answer to: nonsense, off-topic questions, and issues of other repositories.

All are drawn with a seed, so that the same cases always come with the same questions.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from trackdown.lab import Task

NONSENSE, OFF_TOPIC, ELSEWHERE = "nonsense", "off-topic", "elsewhere"
KINDS = (NONSENSE, OFF_TOPIC, ELSEWHERE)
_FAMILIES = {
    ending: family
    for family, endings in (
        ("c", ".c .h .cc .cpp .cxx .hpp"),
        ("js", ".js .jsx .mjs .ts .tsx .vue"),
        ("jvm", ".java .kt"),
    )
    for ending in endings.split()
}
"""Languages that count as one: their issues speak of the same things."""
_LATIN = (
    "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna "
    "aliqua enim minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat duis aute "
    "irure reprehenderit voluptate velit esse cillum fugiat nulla pariatur excepteur sint occaecat cupidatat proident"
).split()
_NOUNS = (
    "walrus marzipan trombone glacier cardigan pelican turnip chandelier molasses hammock zeppelin artichoke lantern "
    "badger saffron waltz puddle violin mango thimble avalanche gingerbread octopus velvet acorn marmalade canoe"
).split()
_VERBS = "whispers juggles dissolves paints forgives tickles marinates applauds swallows embroiders yodels".split()
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_SUBJECTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("how long should I {a} {b} before serving it to {c}?", ("roast", "simmer", "marinate", "proof", "smoke")),
    ("what is the best way to {a} {b} without {c} noticing?", ("prune", "repot", "fertilise", "propagate", "graft")),
    ("can my landlord {a} {b} if I told {c} in writing?", ("evict me over", "withhold", "charge me for", "inspect")),
    ("who won {b} last year, and did {c} {a} in the final?", ("score twice", "get sent off", "miss a penalty")),
    ("which saint does one {a} for {b} on the feast of {c}?", ("pray to", "light candles to", "fast for")),
    ("my doctor said {c} should {a} {b}; is that safe during pregnancy?", ("avoid", "halve", "double", "take")),
    ("where did {c} {a} {b} in the fourteenth century?", ("besiege", "fortify", "plunder", "inherit", "burn down")),
    ("how do I teach {c} to {a} {b} in the rain?", ("herd", "fetch", "ride past", "swim beside", "play fetch with")),
)
_THINGS = (
    "a leg of lamb;sourdough bread;the deposit;heirloom tomatoes;the county cricket final;gravel paths;a beef stew;"
    "my security deposit;rhododendrons;the relay medal;aspirin;the abbey;goats;orchid roots;a fig tree;the marathon;"
    "cough syrup;the harbour town;ducklings;salted cod"
).split(";")
_PEOPLE = (
    "my mother-in-law;the neighbours;a notary;the goalkeeper;Saint Brigid;toddlers;the duke;a border collie;the vicar;"
    "the bailiff;vegetarian guests;the midwife;the Norwegian team"
).split(";")


def unanswerable(tasks: Sequence[Task], counts: Mapping[str, int], seed: int = 7) -> list[Task]:
    """Tasks without gold, asked at the states of the given ones, which take turns; the kind is the category.

    There are fewer from elsewhere if some repositories have no other one in their language.
    """
    if not tasks:
        return []
    chance = random.Random(seed)
    made: list[Task] = []
    for kind in KINDS:
        hosts = list(tasks)
        chance.shuffle(hosts)
        found = 0
        for host in hosts * (1 + counts.get(kind, 0) // len(hosts)):
            if found == counts.get(kind, 0):
                break
            query = _elsewhere(tasks, host, chance) if kind == ELSEWHERE else _question(kind, chance)
            if query:
                made.append(replace(host, id=f"{kind}-{found}-{host.id}", query=query, gold=(), category=kind))
                found += 1
    return made


def _question(kind: str, chance: random.Random) -> str:
    if kind == OFF_TOPIC:
        pattern, actions = chance.choice(_SUBJECTS)
        return pattern.format(a=chance.choice(actions), b=chance.choice(_THINGS), c=chance.choice(_PEOPLE))
    draw = chance.choice((_keyboard, _latin, _salad))
    return draw(chance)


def _keyboard(chance: random.Random) -> str:
    count = chance.randint(1, 6)
    return " ".join("".join(chance.choices(chance.choice(_KEYS), k=chance.randint(4, 11))) for _ in range(count))


def _latin(chance: random.Random) -> str:
    return " ".join(chance.choices(_LATIN, k=chance.randint(4, 40)))


def _salad(chance: random.Random) -> str:
    count = chance.randint(1, 4)
    parts = [(chance.choice(_NOUNS), chance.choice(_VERBS), chance.choice(_NOUNS)) for _ in range(count)]
    return ", ".join(map(" ".join, parts))


def _elsewhere(tasks: Sequence[Task], host: Task, chance: random.Random) -> str:
    """An issue of another repository whose gold is in the same language; empty if there is none."""
    language = _language(host)
    others = [task.query for task in tasks if task.repository != host.repository and _language(task) == language]
    return chance.choice(others) if others else ""


def _language(task: Task) -> str:
    """The language of most of a task's gold, by its files' endings."""
    endings = Counter(PurePosixPath(place.path).suffix.lower() for place in task.gold)
    ending = min(endings, key=lambda one: (-endings[one], one), default="")
    return _FAMILIES.get(ending, ending)
