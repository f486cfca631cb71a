"""The documents are true: links lead somewhere, commands run, settings and figures agree with their sources."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import click
import pytest

import trackdown
from tests.conftest import Repo
from trackdown.fleet import read_fleet, read_grants
from trackdown.settings import PROJECT_SETTINGS, Settings, load_settings, setting_names
from trackdown.surfaces.cli.main import COMMANDS, cli, main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
DOCUMENTS = [
    path
    for path in sorted(ROOT.rglob("*.md"))
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def name_of(document: Path) -> str:
    return str(document.relative_to(ROOT))


def blocks(language: str) -> Iterator[tuple[Path, str]]:
    """Every fenced block of a language. The commands in `sh` blocks run here; those in `bash` blocks need more."""
    for document in DOCUMENTS:
        for found, text in BLOCK.findall(document.read_text("utf-8")):
            if found == language:
                yield document, text


def commands(block: str) -> list[list[str]]:
    """The arguments of each `trackdown` line, without comments, pipes and redirections."""
    lines = [shlex.split(line, comments=True) for line in block.replace("\\\n", " ").splitlines()]
    return [
        list(takewhile(lambda word: word not in ("|", ">", ">>"), line[1:]))
        for line in lines
        if line[:1] == ["trackdown"]
    ]


def with_ids(language: str) -> list[Any]:
    """Blocks as parameters of a test, named after their document and the first thing they say."""
    return [
        pytest.param(text, id=f"{name_of(document)}: {text.splitlines()[0][:60]}")
        for document, text in blocks(language)
        if language == "python" or commands(text)
    ]


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("document", ["benchmarks/README.md", "docs/measuring.md"])
def test_every_benchmark_is_listed(document: str) -> None:
    targets = re.findall(r"^(bench-[\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    told = re.findall(r"make (bench-[\w-]+)", (ROOT / document).read_text("utf-8"))
    assert len(targets) > 20 and not set(targets) - set(told)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document: Path) -> None:
    for target, anchor in LINK.findall(document.read_text("utf-8")):
        if "://" in target:
            continue
        place = document.parent / target if target else document
        assert place.exists(), f"{name_of(document)} links to {target}"
        if anchor and place.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", place.read_text("utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), f"{name_of(document)} links to {target}#{anchor}"


def test_every_promise_names_a_test_that_exists() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) > 30 and text.count("::") == len(named)
    for path, test in named:
        assert f"def {test}(" in (ROOT / path).read_text("utf-8"), f"SECURITY.md names {path}::{test}"


def test_every_folder_of_the_package_is_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    for room in sorted((ROOT / "src" / "trackdown").iterdir()):
        if not room.name.startswith("_") and (room.is_dir() or room.suffix == ".py"):
            assert f"(src/trackdown/{room.name})" in text, f"{room.name} has no question in ARCHITECTURE.md"


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_names_in_the_text_exist_in_the_code(document: str) -> None:
    code = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    known = set(re.findall(r"\w+", code))
    named = re.findall(r"`(_?[A-Z]\w*(?:\.\w+)*)(?:\(.*?\))?`", (ROOT / document).read_text("utf-8"))
    missing = {
        name for name in named if not name.startswith(("TRACKDOWN_", "NAME")) and not known >= set(name.split("."))
    }
    assert not missing, f"{document} speaks of {missing}"


def test_the_guide_shows_every_command() -> None:
    guide = ROOT / "docs" / "guide.md"
    shown = {
        line[0]
        for language in ("sh", "bash")
        for at, text in blocks(language)
        if at == guide
        for line in commands(text)
    }
    assert shown | {"mcp"} == set(COMMANDS), "the guide shows each command (agents start `mcp`)"


@pytest.fixture
def cookies(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The current folder, a repository with everything that the documents' commands name; the home has one agent."""
    code = "def save_cookie(value):\n    return save_cookie_1(value)\n\n\n"
    code += "\n\n".join(f"def save_cookie_{number}(value):\n    return value" for number in range(40))
    files = {"src/app.py": code, "src/old.py": code, "issue.md": "# The cookie is not signed\n"}
    repo.commit("Sign the session cookie", files)
    changed = code.replace("return value", "return value or None", 1)
    repo.commit("Save the session cookie only when the session changed", {"src/app.py": changed})
    repo.git("tag", "v1.0")
    repo.git("branch", "feature", "HEAD~1")
    (repo.root / "fix.patch").write_text(repo.git("diff", "HEAD~1", "HEAD") + "\n")
    repo.write("src/old.py", changed)
    repo.git("add", "src/old.py")
    monkeypatch.chdir(repo.root)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VISUAL", "true")
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (tmp_path / "home" / ".codex").mkdir(parents=True)
    return repo


@pytest.mark.slow
@pytest.mark.parametrize("block", with_ids("sh"))
def test_commands_of_the_documents_run(
    block: str, cookies: Repo, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments in commands(block):
        if "--deep" in arguments:
            monkeypatch.setenv("TRACKDOWN_MODELS", "packaged")
        if arguments[0] == "serve" or "--watch" in arguments:
            ended, errors = run_until_it_speaks(arguments, cookies.root)
        else:
            ended = main(arguments)
            errors = capfd.readouterr().err
        assert ended == 0, f"trackdown {shlex.join(arguments)}: {errors}"
        assert "Traceback" not in errors


def run_until_it_speaks(arguments: list[str], folder: Path) -> tuple[int, str]:
    """Run a command that goes on until it is stopped, and stop it with Ctrl-C when it has said something."""
    command = [sys.executable, "-m", "trackdown", *arguments, *(["--port", "0"] if arguments[0] == "serve" else [])]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        said = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert said or process.returncode, "it ended without a word"
    return process.returncode, errors


@pytest.mark.parametrize("block", with_ids("bash"))
def test_commands_that_need_more_can_be_typed(block: str) -> None:
    for arguments in commands(block):
        context, rest = click.Context(cli), arguments
        found: click.Command | None = cli
        while isinstance(found, click.Group) and rest:
            found, rest, name = found.get_command(context, rest[0]), rest[1:], rest[0]
        assert found is not None and not isinstance(found, click.Group), arguments
        found.make_context(name, rest, parent=context)


@pytest.mark.usefixtures("cookies")
@pytest.mark.parametrize("block", with_ids("python"))
def test_python_of_the_documents_runs(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, "document", "exec"), {})
    assert "src/app.py" in capsys.readouterr().out


def settings_rows() -> dict[str, str]:
    """Setting → default, out of the tables of docs/settings.md."""
    rows: dict[str, str] = {}
    for names, default in re.findall(
        r"^\| (`[a-z_`, ]+`) \| (.*?) ?\| ", (ROOT / "docs/settings.md").read_text("utf-8"), re.M
    ):
        found = re.findall(r"`(\w+)`", names)
        defaults = default.split(", ") if default else []
        rows |= dict(zip(found, defaults or [""] * len(found), strict=True))
    return rows


def test_the_settings_page_has_every_setting_with_its_default() -> None:
    rows = settings_rows()
    assert set(rows) == set(setting_names())
    for name in setting_names():
        default = getattr(Settings(), name)
        if isinstance(default, Path):
            continue
        shown = {True: "yes", False: "no"}[default] if isinstance(default, bool) else str(default or "")
        shown = str(default) if isinstance(default, int | float) and not isinstance(default, bool) else shown
        assert rows[name].strip("`") == shown.removesuffix(".0"), name


def test_the_settings_page_says_what_a_repository_may_set() -> None:
    text = (ROOT / "docs/settings.md").read_text("utf-8")
    said = text.partition("It may set the [filters]")[2].partition("Everything else")[0]
    filters = text.partition("## Filters")[2].partition("## Ranking")[0]
    named = {*re.findall(r"`(\w+)`", said), *re.findall(r"^\| `(\w+)`", filters, re.M)}
    assert named == {name for name in PROJECT_SETTINGS if not name.startswith("weight_")}


def test_the_example_of_a_settings_file_can_be_read(tmp_path: Path) -> None:
    for document, text in blocks("toml"):
        if document.name == "fleet.md":
            continue
        (tmp_path / "trackdown").mkdir(exist_ok=True)
        (tmp_path / "trackdown" / "config.toml").write_text(text)
        settings = load_settings({"XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)})
        found = {name: getattr(settings, name) for name in tomllib.loads(text)}
        assert {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()} == (
            tomllib.loads(text)
        )


def test_the_examples_of_a_fleet_and_of_its_tokens_can_be_read(tmp_path: Path) -> None:
    fleet, tokens = [text for document, text in blocks("toml") if document.name == "fleet.md"]
    (tmp_path / "fleet.toml").write_text(fleet)
    (tmp_path / "tokens.toml").write_text(tokens)
    read = read_fleet(tmp_path / "fleet.toml")
    assert [entry.kind for entry in read.entries] == ["path", "url", "glob", "listing"]
    assert read_grants(tmp_path / "tokens.toml", read.groups)[0].groups == ("everybody", "payments")


def result(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def cells(row: str) -> list[str]:
    """The cells of the README's table row that begins with a text, without links and bold face."""
    text = (ROOT / "README.md").read_text("utf-8")
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("**", "")
    (found,) = [line for line in plain.splitlines() if line.startswith(f"| {row}")]
    return [cell.strip() for cell in found.strip("|").split("|")]


@pytest.mark.parametrize(
    ("row", "file", "metrics"),
    [
        ("issue → function", "swe-lite-dev-function-packaged", ["Acc@5", "Acc@10"]),
        ("issue → file", "swe-lite-dev-file-packaged", ["Acc@1", "Acc@5"]),
        ("issue-style commit message", "cmu-django-models", ["MRR"]),
        ("the same, react", "cmu-react-models", ["MRR"]),
        ("the same, redis", "cmu-redis-models", ["MRR"]),
        ("question → file", "semble-models", ["nDCG@10"]),
        ("text → code", "text2code-mbpp-models", ["MRR"]),
    ],
)
def test_the_quality_table_agrees_with_the_results(row: str, file: str, metrics: list[str]) -> None:
    found = result(file)
    scores = found["macro"] if file.startswith("semble") else found["modes"]
    with_models = max((mode for mode in scores if "rerank" in mode), key=len)
    shown = cells(row)
    for column, mode in ((2, with_models), (3, "hybrid")):
        figures = [f"{scores[mode][metric]:.3f}".removeprefix("0") for metric in metrics]
        assert shown[column] == " / ".join(figures), (row, mode)


def test_the_row_of_messages_agrees_with_the_results() -> None:
    read, fast = result("messages-balanced")["all"], result("messages")["all"]
    for column, found in ((2, read["after"]), (3, fast["after"])):
        figures = [f"{found[name]:.3f}".removeprefix("0") for name in ("first", "within_5")]
        assert cells("error message → function")[column] == " / ".join(figures)


def test_the_speed_table_agrees_with_the_results() -> None:
    measured = result("speed-django-models")
    assert f"{measured['repository']['files']:,} files, {measured['repository']['commits']:,} commits" in (
        ROOT / "README.md"
    ).read_text("utf-8")
    for column, tool in ((1, "trackdown"), (2, "semble")):
        found = measured["tools"][tool]
        inside = found["in_process_ms"]
        assert cells("first index and answer")[column] == f"{found['first_s']:.1f} s"
        assert cells("peak memory")[column] == f"{found['first_peak_mb']:.0f} MB"
        assert cells("search in a new process")[column] == f"{found['ready_new_s']['p50']:.2f} s"
        assert cells("the same question again")[column] == f"{found['ready_s']:.2f} s"
        assert cells("with `--effort fast`")[column] == f"{found['ready_fast_s']:.2f} s"
        assert cells("extra after editing")[column] == f"{found['edit_extra_s']:.2f} s"
        assert cells("extra after going back 200")[column] == f"{found['switch_extra_s']:.1f} s"
        assert cells("extra after returning")[column] == f"{max(found['switch_back_extra_s'], 0.0):.1f} s"
        assert cells("index size")[column] == f"{found['index_mb']:.0f} MB"
        for words in (20, 300):
            shown = cells(f"in one process, `--effort fast`, {words} words")[column]
            assert shown == f"{inside[f'{words} words p50']:.0f} / {inside[f'{words} words p95']:.0f} ms"
        read = found["in_process_default_ms"]
        shown = cells("in one process, by default")[column]
        assert shown == f"{read['20 words p50']:.0f} / {read['20 words p95']:.0f} ms"


def test_make_targets_of_the_documents_exist() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for document in (*DOCUMENTS, ROOT / ".github/workflows/ci.yml", ROOT / ".github/PULL_REQUEST_TEMPLATE.md"):
        for target in re.findall(r"(?:`|^|- run: )make ([a-z0-9-]+)", document.read_text("utf-8"), re.MULTILINE):
            assert target in targets, f"{name_of(document)} speaks of `make {target}`"


def test_commands_of_the_makefile_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    found = re.findall(r"(?:\$\(BIN\)/trackdown|\$\(RECORD\) \S+ --) ([a-z0-9]+)(?: ([a-z0-9]+))?", makefile)
    assert len(found) > 10
    for name, inner in found:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None, name
        if isinstance(command, click.Group) and name != "eval":
            assert inner in command.list_commands(click.Context(cli)), f"{name} {inner}"


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["version"] == trackdown.__version__
    released = re.findall(
        r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M
    )
    assert released[0] == trackdown.__version__, "the newest dated entry of CHANGELOG.md is the version"
