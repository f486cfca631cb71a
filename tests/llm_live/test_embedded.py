"""The embedded model itself: it answers, the same each time, within its limits, and only to us."""

from __future__ import annotations

import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from tests.models.llm.clients import MemoryFacts, client
from trackdown.engine.llm.configured import list_llms, open_llm
from trackdown.errors import LlmError
from trackdown.models.llm.chat import PromptTooLong
from trackdown.models.llm.embedded import Embedded, packaged_file
from trackdown.models.llm.prompt import Prompt
from trackdown.settings import Settings

pytestmark = pytest.mark.llm

ASKED = Prompt("You are a Python programmer.", "Write a function that adds two numbers.", max_tokens=40)


@pytest.fixture(scope="module")
def model() -> Embedded:
    return Embedded(packaged_file(), context=2048)


def test_it_answers_the_same_each_time_and_counts_its_tokens(model: Embedded) -> None:
    first, second = model.answer(ASKED), model.answer(ASKED)
    assert first.text == second.text and "def " in first.text
    assert 20 < first.tokens_in < 60 and 0 < first.tokens_out <= 40 and first.seconds > 0
    assert first.complete == (first.tokens_out < 40)


def test_numbers_make_different_answers_that_can_be_had_again(model: Embedded) -> None:
    warm = [Prompt(ASKED.system, ASKED.user, (), 30, 1.0, number) for number in (1, 2, 1)]
    one, two, again = (model.answer(prompt).text for prompt in warm)
    assert one == again != two


def test_it_reads_the_examples_that_come_before_the_question(model: Embedded) -> None:
    shown = (("red", "COLOUR"), ("blue", "COLOUR"), ("green", "COLOUR"), ("yellow", "COLOUR"))
    bare, led = (model.answer(Prompt("", "white", examples, max_tokens=4)) for examples in ((), shown))
    assert led.tokens_in > bare.tokens_in + 8 * len(shown) and led.text.startswith("COLOUR") != bare.text.startswith(
        "COLOUR"
    )


def test_a_prompt_beyond_its_context_is_told_from_a_failure(model: Embedded) -> None:
    digits = Prompt("", "1 2 3 " * 800, max_tokens=4)  # more tokens than our estimate says
    with pytest.raises(PromptTooLong):
        model.answer(digits)
    assert "def " in model.answer(ASKED).text


def test_text_that_is_no_unicode_is_asked_all_the_same(model: Embedded) -> None:
    assert model.answer(Prompt("", "caf\udce9 \x00 \N{SNOWMAN}", max_tokens=4)).tokens_out > 0


def test_its_port_listens_to_nobody_without_the_key(model: Embedded) -> None:
    model.answer(ASKED)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(f"{model._server.listening_address}/v1/models", timeout=5)


def test_the_id_is_the_files_and_the_context_what_model_and_user_allow(model: Embedded, tmp_path: Path) -> None:
    link = tmp_path / "Other.gguf"
    link.symlink_to(packaged_file())
    assert Embedded(link).name.split("-")[-1] == model.name.split("-")[-1]
    assert (model.context, Embedded(link).context, Embedded(link, context=10**6).context) == (2048, 8192, 8192)


def test_a_file_that_ends_too_early_is_refused_when_it_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(packaged_file().read_bytes()[:30_000_000])
    with pytest.raises(LlmError, match=r"llama\.cpp cannot load"):
        Embedded(path).answer(ASKED)
    asking = client(Embedded(path))
    assert asking.ask("test", [ASKED, Prompt("", "again")]) == [None, None]
    assert asking.notes() == [asking.stopped] and "llama.cpp cannot load" in str(asking.stopped)


def test_the_settings_name_it(settings: Settings) -> None:
    for place in ("embedded", str(packaged_file())):
        chosen = replace(settings, llm=place, llm_context=2048)
        (listed,) = list_llms(chosen)
        opened = open_llm(chosen, MemoryFacts())
        assert opened is not None and listed.name == opened.name and opened.context == 2048
        (answer,) = opened.ask("test", [ASKED])
        assert answer is not None and "def " in answer.text


def test_it_prints_nothing_and_ends_with_the_program() -> None:
    code = (
        "from trackdown.models.llm.prompt import Prompt\n"
        "from trackdown.models.llm.embedded import Embedded, packaged_file\n"
        "print(Embedded(packaged_file()).answer(Prompt('', 'Hello', max_tokens=3)).tokens_out)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "3", "")
