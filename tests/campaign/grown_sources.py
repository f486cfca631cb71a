"""Sources for every grammar that a seed grows: pathological shapes, mutants of real ones, and what Hypothesis finds."""

from __future__ import annotations

import random

from tests.campaign.grammar_inputs import GrammarInput, grammar_input, languages, shapes, source_of
from tests.campaign.grammars import try_inputs
from tests.campaign.hypothesis_sources import hypothesis_sources
from tests.campaign.judge import MOST_SECONDS, Verdict
from tests.campaign.scene import Ground

AT_ONCE, GROWN = 4, 8
SIZES = (300, 3_000, 20_000)


def run(ground: Ground) -> None:
    """Extract units and references of a few sources in one language, as indexing does. Languages take turns."""
    dice = ground.dice
    language = languages()[ground.seed % len(languages())]
    sources = [
        _mutant(dice, language, number) if dice.random() < 0.6 else _shape(dice, language) for number in range(AT_ONCE)
    ]
    sources += hypothesis_sources(language, ground.seed, GROWN)
    ground.say(", ".join(source.name for source in sources))
    ground.judge.fired = True
    for outcome in try_inputs(list({source.name: source for source in sources}.values())):
        if outcome.failure or outcome.seconds > MOST_SECONDS:
            ground.judge.fail(f"{outcome.name}: {outcome.failure or 'too slow'} ({outcome.seconds} s)")
        ground.judge.seen[Verdict.PARTIAL if outcome.cut else Verdict.EQUAL] += 1


def _shape(dice: random.Random, language: str) -> GrammarInput:
    return grammar_input(language, dice.choice(shapes(language)), dice.choice(SIZES), dice.randrange(1 << 30))


def _mutant(dice: random.Random, language: str, number: int) -> GrammarInput:
    """A real source to which a few things happened: pieces doubled, dropped, moved, taken from another language."""
    text = bytearray(source_of(language))
    for _ in range(dice.randint(1, 12)):
        at, other = dice.randrange(len(text) + 1), dice.randrange(len(text) + 1)
        length = int(2 ** dice.uniform(0, 9))
        piece = bytes(text[other : other + length])
        match dice.randrange(6):
            case 0:
                text[at:at] = piece * dice.choice((1, 2, 40))
            case 1:
                del text[at : at + length]
            case 2:
                text[at : at + length] = piece
            case 3:
                foreign = source_of(dice.choice(languages()))
                start = dice.randrange(len(foreign))
                text[at:at] = foreign[start : start + length]
            case 4:
                text[at : at + 1] = dice.randbytes(1)
            case _:
                text[at:at] = dice.choice((b"(", b"{", b'"', b"'''", b"/*", b"\xff\xfe", b"<<A\n", b"#if 0\n", b"`"))
        del text[SIZES[-1] :]
        text = text or bytearray(b"\n")
    data = bytes(text).replace(b"\0", b" ") + b"\n" * 20  # a file with a NUL is binary, and rightly left out
    return GrammarInput(language, f"mutant {number}", len(data), data)
