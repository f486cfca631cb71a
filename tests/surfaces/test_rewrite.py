"""`trackdown rewrite`, and `search --gar` and `--reco`, against a model behind a real endpoint on loopback."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.rewrite.scribe import ScribeServer
from tests.surfaces.conftest import build_shop
from tests.surfaces.program import COMMAND, Program, Run

pytestmark = pytest.mark.slow

InProcess = Callable[..., Run]


@pytest.fixture
def scribe() -> Iterator[ScribeServer]:
    with ScribeServer().running() as server:
        yield server


@pytest.fixture
def shop(tmp_path: Path) -> Repo:
    return build_shop(tmp_path / "shop")


def at(server: ScribeServer) -> tuple[str, ...]:
    return ("--llm", server.url, "--llm-model", "scribe")


def test_rewrite_then_search(in_process: InProcess, shop: Repo, scribe: ScribeServer) -> None:
    first = in_process("rewrite", shop.root, *at(scribe))
    assert first.code == 0 and "rewrites made, 0 already existed" in first.out
    assert "summaries" in first.err and "rewrites" in first.err and "tokens in" in first.err
    made = len(scribe.questions)
    again = in_process("rewrite", shop.root, *at(scribe), "--format", "json").json()
    (report,) = again["repositories"]
    assert report["made"] == 0 and report["had"] == report["wanted"] == 6 and len(scribe.questions) == made
    found = in_process("search", "quagga", shop.root, "--reco", *at(scribe), "--format", "json").json()
    assert {result["symbol"] for result in found["results"]} >= {"Session.sign_cookie", "Cart.total"}
    assert f"{report['wanted']} of {report['wanted']} units have a rewrite by scribe" in " ".join(found["notes"])
    assert any("1 exemplar written by scribe" in note for note in found["notes"])
    assert found["llm"]["stages"][0]["stage"] == "exemplars" and found["llm"]["stages"][0]["calls"] == 1
    without = in_process("search", "quagga", shop.root, "--reco", "--format", "json").json()
    assert without["results"] and "llm" not in without, "rewrites are there without the model that made them"


def test_gar_searches_for_what_the_model_writes(in_process: InProcess, shop: Repo, scribe: ScribeServer) -> None:
    query = "It does sign_cookie for its user"
    found = in_process("search", query, shop.root, "--gar", *at(scribe), "--format", "json").json()
    (question,) = scribe.questions
    assert query in question and found["results"][0]["symbol"] == "Session.sign_cookie"
    assert "exemplars" in found["timings_ms"]
    again = in_process("search", query, shop.root, "--gar", *at(scribe), "--format", "json").json()
    assert len(scribe.questions) == 1 and again["llm"]["stages"][0]["cached"] >= 1
    in_process("search", query, shop.root, "--mode", "hybrid+gar@3", *at(scribe))
    assert len(scribe.questions) == 3, "the first of three is known"


def test_exemplars_alone(in_process: InProcess, shop: Repo, scribe: ScribeServer) -> None:
    query = "It does parse_header for its caller and the cart"
    plain = in_process("search", "cart", shop.root, "--format", "json").json()
    assert any(result["path"] == "lib/cart.js" for result in plain["results"])
    found = in_process("search", query, shop.root, "--mode", "exemplar", *at(scribe), "--format", "json").json()
    assert found["results"][0]["symbol"] == "parse_header"
    reasons = [why["text"] for result in found["results"] for why in result["why"]]
    assert reasons and not any("cart " in reason or "caller" in reason for reason in reasons)


def test_a_dry_run_counts_and_asks_nothing(in_process: InProcess, shop: Repo, scribe: ScribeServer) -> None:
    counted = in_process(
        "rewrite", shop.root, *at(scribe), "--times", "2", "--estimate-cost", "--format", "json"
    ).json()
    (report,) = counted["repositories"]
    assert report["dry_run"] and report["left"] == report["wanted"] and not scribe.questions
    calls = {stage["stage"]: stage["calls"] for stage in counted["llm"]["stages"]}
    assert calls == {"summaries": report["wanted"], "rewrites": report["wanted"]}
    assert "still to make" in in_process("rewrite", shop.root, *at(scribe), "--estimate-cost").out
    run = in_process("search", "sign the cookie", shop.root, "--gar", *at(scribe), "--estimate-cost")
    assert run.code == 0 and "would be asked" in run.err and not scribe.questions


def test_a_limit_leaves_the_rest_for_another_run(in_process: InProcess, shop: Repo, scribe: ScribeServer) -> None:
    run = in_process("rewrite", shop.root, *at(scribe), "--limit", "2")
    assert "2 rewrites made" in run.out and "left for another run" in run.out
    assert "2 already existed" in in_process("rewrite", shop.root, *at(scribe)).out


def test_an_interrupted_run_goes_on_where_it_stopped(program: Program, repo: Repo, scribe: ScribeServer) -> None:
    repo.commit("Begin", {f"src/f{n:02}.py": f"def get{n}(value):\n    return {n}\n" for n in range(30)})
    assert program("index", str(repo.root)).code == 0
    scribe.delay = 0.05
    words = [*COMMAND, "rewrite", str(repo.root), *at(scribe)]
    process = subprocess.Popen(words, env=program.environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    until = time.monotonic() + 60
    while len(scribe.questions) < 25 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 130 and b"interrupted" in told and b"Traceback" not in told
    scribe.delay = 0.0
    asked = len(scribe.questions)
    assert 25 <= asked < 60
    report = program("rewrite", str(repo.root), *at(scribe), "--format", "json").json()["repositories"][0]
    assert report["had"] >= 8 and report["made"] == 30 - report["had"] and report["left"] == 0
    assert len(scribe.questions) <= 60 + 4, "at most what was under way is asked for again"
    found = program("search", "quagga get7", str(repo.root), "--reco", "--format", "json").json()
    assert found["results"][0]["symbol"] == "get7"


def test_examples_are_shown_in_place_of_the_codes_own(
    in_process: InProcess, shop: Repo, scribe: ScribeServer, tmp_path: Path
) -> None:
    examples = tmp_path / "examples.jsonl"
    examples.write_text(json.dumps({"query": "wind it", "code": "wind()"}) + "\n\n")
    assert in_process("rewrite", shop.root, *at(scribe), "--limit", "1", "--examples", examples).code == 0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no example"),
        (b"\n \n", "no example"),
        (b'{"query": "x", "code": "y()"}\n{"query": 1}\n', "line 2"),
        (b"[]\n", "line 1"),
        (b'{"query": "", "code": "y"}\n', "line 1"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_examples_that_cannot_be_read(
    in_process: InProcess, shop: Repo, tmp_path: Path, content: bytes, told: str
) -> None:
    examples = tmp_path / "examples.jsonl"
    examples.write_bytes(content)
    in_process("rewrite", shop.root, "--examples", examples).refused(2, told)


def test_missing_examples(in_process: InProcess, shop: Repo) -> None:
    in_process("rewrite", shop.root, "--examples", "nowhere.jsonl").refused(2, "nowhere.jsonl")


@pytest.mark.parametrize(
    "words", [("rewrite",), ("search", "cookie", "--gar"), ("search", "cookie", "--mode", "exemplar")]
)
def test_without_a_model_it_says_how_to_name_one(in_process: InProcess, shop: Repo, words: tuple[str, ...]) -> None:
    in_process(*words[:2], shop.root, *words[2:]).refused(2, "language model", "--llm")


def test_reco_without_a_model_and_without_rewrites(in_process: InProcess, shop: Repo) -> None:
    run = in_process("search", "sign the cookie", shop.root, "--reco")
    assert run.code == 0 and "nothing has been rewritten yet" in run.err and "sign_cookie" in run.out


@pytest.mark.parametrize(("option", "value"), [("--times", "0"), ("--times", "99"), ("--limit", "0"), ("--limit", "x")])
def test_numbers_that_make_no_sense(
    in_process: InProcess, shop: Repo, scribe: ScribeServer, option: str, value: str
) -> None:
    in_process("rewrite", shop.root, *at(scribe), option, value).refused(2, value)
    assert not scribe.questions


def test_too_many_exemplars(in_process: InProcess, shop: Repo, scribe: ScribeServer) -> None:
    in_process("search", "cookie", shop.root, "--mode", "gar@99", *at(scribe)).refused(2, "99")


def test_a_budget_of_nothing(
    in_process: InProcess, shop: Repo, scribe: ScribeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACKDOWN_LLM_TOKENS", "0")
    run = in_process("rewrite", shop.root, *at(scribe))
    assert run.code == 1 and "budget" in run.err and "0 rewrites made" in run.out and not scribe.questions
    found = in_process("search", "sign the cookie", shop.root, "--gar", *at(scribe))
    assert found.code == 0 and "budget" in found.err and "sign_cookie" in found.out, "searched without"


def test_nobody_at_the_endpoint(in_process: InProcess, shop: Repo) -> None:
    run = in_process(
        "search", "sign the cookie", shop.root, "--gar", "--llm", "http://127.0.0.1:9/v1", "--llm-model", "m"
    )
    assert run.code == 0 and "127.0.0.1:9" in run.err and "sign_cookie" in run.out
    made = in_process("rewrite", shop.root, "--llm", "http://127.0.0.1:9/v1", "--llm-model", "m")
    assert made.code == 1 and "127.0.0.1:9" in made.err and "0 rewrites made" in made.out
