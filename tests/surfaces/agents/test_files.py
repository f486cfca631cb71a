"""Files of the user's: ours comes in and goes out, whole or not at all, and nothing else is lost on the way."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from trackdown.errors import UsageError
from trackdown.surfaces.agents.edit_json import read_json as read
from trackdown.surfaces.agents.files import Backups, install, undo
from trackdown.surfaces.agents.insertions import JsonEntry, TomlEntry
from trackdown.surfaces.agents.registry import AGENTS_MD

OURS = JsonEntry(("mcpServers",), "trackdown", {"command": "/opt/trackdown", "args": ["mcp"]})
CODEX = TomlEntry(("mcp_servers",), "trackdown", {"command": "/opt/trackdown", "args": ["mcp"]})
THEIRS = '{\n  // mine\n  "key": "secret",\n  "mcpServers": {"github": {"command": "npx"}},\n}\n'


@pytest.fixture
def backups(tmp_path: Path) -> Backups:
    return Backups(tmp_path / "kept")


@pytest.fixture
def settings_file(tmp_path: Path) -> Path:
    path = tmp_path / "agent" / "settings.json"
    path.parent.mkdir()
    path.write_text(THEIRS)
    path.chmod(0o640)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_undo_gives_back_the_very_bytes(settings_file: Path, backups: Backups) -> None:
    done = install(settings_file, OURS, backups)
    assert done.action == "added" and done.backup is not None and done.backup.read_text() == THEIRS
    assert read(settings_file.read_text())["mcpServers"]["trackdown"]["command"] == "/opt/trackdown"
    assert undo(settings_file, OURS, backups).action == "restored"
    assert settings_file.read_text() == THEIRS
    assert names(backups.folder) == [] and names(settings_file.parent) == ["settings.json"]


def test_rights_stay_and_a_copy_is_for_the_user_alone(settings_file: Path, backups: Backups) -> None:
    done = install(settings_file, OURS, backups)
    assert done.backup is not None
    assert stat.S_IMODE(settings_file.stat().st_mode) == 0o640
    assert stat.S_IMODE(done.backup.stat().st_mode) == 0o600
    assert stat.S_IMODE(backups.folder.stat().st_mode) == 0o700


def test_what_the_user_changed_since_stays_when_ours_goes(settings_file: Path, backups: Backups) -> None:
    install(settings_file, OURS, backups)
    edited = settings_file.read_text().replace('"secret"', '"other"').replace("// mine", "// still mine")
    settings_file.write_text(edited)
    assert undo(settings_file, OURS, backups).action == "removed"
    text = settings_file.read_text()
    assert text == THEIRS.replace('"secret"', '"other"').replace("// mine", "// still mine")


def test_a_second_install_changes_nothing_and_keeps_the_first_copy(settings_file: Path, backups: Backups) -> None:
    first = install(settings_file, OURS, backups)
    text = settings_file.read_text()
    assert install(settings_file, OURS, backups).action == "there already"
    moved = JsonEntry(OURS.section, OURS.name, {**OURS.entry, "command": "/elsewhere/trackdown"})
    assert install(settings_file, moved, backups).action == "changed"
    assert settings_file.read_text() == text.replace("/opt/trackdown", "/elsewhere/trackdown")
    assert first.backup is not None and first.backup.read_text() == THEIRS
    undo(settings_file, moved, backups)
    assert settings_file.read_text() == THEIRS


def test_keys_that_the_user_gave_our_entry_stay_when_it_is_written_again(settings_file: Path, backups: Backups) -> None:
    install(settings_file, OURS, backups)
    text = settings_file.read_text().replace('"args"', '"env": {"TRACKDOWN_MODELS": "none"}, "args"')
    settings_file.write_text(text.replace("/opt/trackdown", "/old/trackdown"))
    install(settings_file, OURS, backups)
    assert read(settings_file.read_text())["mcpServers"]["trackdown"] == {
        "command": "/opt/trackdown",
        "env": {"TRACKDOWN_MODELS": "none"},
        "args": ["mcp"],
    }


def test_an_entry_that_the_user_had_comes_back(tmp_path: Path, backups: Backups) -> None:
    path = tmp_path / "mcp.json"
    own = '{"mcpServers": {"trackdown": {"command": "mine", "args": []}}}'
    path.write_text(own)
    assert install(path, OURS, backups).action == "changed"
    path.write_text(path.read_text().replace("{", '{"more": 1, ', 1))
    undo(path, OURS, backups)
    assert read(path.read_text()) == {"more": 1, **read(own)}
    codex = tmp_path / "config.toml"
    codex.write_text('[mcp_servers.trackdown]\ncommand = "mine"\nargs = []\n')
    install(codex, CODEX, backups)
    codex.write_text("a = 1\n" + codex.read_text())
    undo(codex, CODEX, backups)
    assert codex.read_text() == 'a = 1\n[mcp_servers.trackdown]\ncommand = "mine"\nargs = []\n'


@pytest.mark.parametrize("part", [OURS, CODEX, AGENTS_MD], ids=["json", "toml", "marked"])
def test_a_file_made_for_it_goes_with_it(part: JsonEntry, tmp_path: Path, backups: Backups) -> None:
    path = tmp_path / "new" / "file"
    assert install(path, part, backups).action == "added"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert undo(path, part, backups).action == "removed"
    assert not path.exists()
    assert undo(path, part, backups).action == "not there"


def test_a_section_made_for_it_goes_with_it_and_one_that_was_there_stays(tmp_path: Path, backups: Backups) -> None:
    for text in ('{"a": 1}\n', '{"a": 1, "mcpServers": {}}\n'):
        path = tmp_path / "mcp.json"
        path.write_text(text)
        install(path, OURS, backups)
        path.write_text(path.read_text() + "\n// a note\n")
        undo(path, OURS, backups)
        assert read(path.read_text()) == read(text)


def test_a_link_is_followed_and_stays_one(tmp_path: Path, settings_file: Path, backups: Backups) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(settings_file)
    install(link, OURS, backups)
    assert link.is_symlink() and "trackdown" in settings_file.read_text()
    undo(link, OURS, backups)
    assert link.is_symlink() and settings_file.read_text() == THEIRS


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"a": 1', "not JSON"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"mcpServers": 5}', "mcpServers is not an object"),
        (b"[]", "the whole file is not an object"),
        (b'{"mcpServers": {}, "mcpServers": {"a": 1}}', ""),
    ],
)
def test_what_cannot_be_edited_is_left_as_it_is(data: bytes, why: str, tmp_path: Path, backups: Backups) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(data)
    if why:
        with pytest.raises(UsageError, match=f"{path} is left as it is: .*{why}"):
            install(path, OURS, backups)
        assert path.read_bytes() == data
    else:  # a name written twice: the last one counts, as readers have it, and is the one that is edited
        install(path, OURS, backups)
        assert set(read(path.read_text())["mcpServers"]) == {"a", "trackdown"}
    assert names(tmp_path) in (["mcp.json"], ["kept", "mcp.json"])


def test_a_folder_in_its_place_is_refused(tmp_path: Path, backups: Backups) -> None:
    with pytest.raises(UsageError, match="is left as it is: Is a directory"):
        install(tmp_path, OURS, backups)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to_is_told(settings_file: Path, backups: Backups) -> None:
    settings_file.parent.chmod(0o500)
    with pytest.raises(UsageError, match="Permission denied"):
        install(settings_file, OURS, backups)
    settings_file.parent.chmod(0o700)


def test_a_full_disk_leaves_the_file_and_nothing_beside_it(
    settings_file: Path, backups: Backups, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left on device"):
        install(settings_file, OURS, backups)
    assert settings_file.read_text() == THEIRS and names(settings_file.parent) == ["settings.json"]


def test_undo_removes_a_folder_only_if_install_created_it_and_nothing_else_is_in_it(
    tmp_path: Path, backups: Backups
) -> None:
    for folder, others in (("created", ()), ("used", ("auth.json",)), ("there", ())):
        file = tmp_path / folder / "settings.json"
        if folder == "there":
            file.parent.mkdir()
        install(file, OURS, backups)
        for other in others:
            (file.parent / other).touch()
        assert undo(file, OURS, backups).action == "removed"
    assert not (tmp_path / "created").exists() and names(tmp_path / "used") == ["auth.json"]
    assert names(tmp_path / "there") == [] and names(backups.folder) == []


def test_undo_removes_every_folder_that_install_created(tmp_path: Path, backups: Backups) -> None:
    file = tmp_path / "Code" / "User" / "mcp.json"
    for gone in (False, True):  # the user may have removed the file already
        install(file, OURS, backups)
        if gone:
            file.unlink()
        assert undo(file, OURS, backups).action == ("not there" if gone else "removed")
        assert names(tmp_path) == ["kept"] and names(backups.folder) == []


def test_a_folder_with_text_of_the_user_is_the_users(tmp_path: Path, backups: Backups) -> None:
    file = tmp_path / "Code" / "mcp.json"
    install(file, OURS, backups)
    file.write_text(OURS.put(THEIRS))
    assert undo(file, OURS, backups).action == "removed"
    assert names(backups.folder) == []  # so that nothing will remove it if it is empty one day


def test_a_folder_is_made_even_if_no_mark_can_be_kept(
    tmp_path: Path, backups: Backups, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keep(*_: object) -> Path:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Backups, "keep", keep)
    file = tmp_path / ("x" * 250) / "mcp.json"  # its mark's name would be too long, too
    assert install(file, OURS, backups).action == "added"
    assert undo(file, OURS, backups).action == "removed"


class Meddled(JsonEntry):
    """An entry beside which another program writes, as often as it is asked to."""

    __slots__ = ()
    times = 0
    file = Path()

    def put(self, text: str) -> str:
        if Meddled.times:
            Meddled.times -= 1
            Meddled.file.write_text(f'{{"count": {Meddled.times}}}')
        return super().put(text)


def test_what_another_program_writes_meanwhile_is_not_lost(settings_file: Path, backups: Backups) -> None:
    meddled = Meddled(OURS.section, OURS.name, OURS.entry)
    Meddled.file, Meddled.times = settings_file, 1
    install(settings_file, meddled, backups)
    assert read(settings_file.read_text()) == {"count": 0, "mcpServers": {"trackdown": OURS.entry}}
    settings_file.write_text("{}")
    Meddled.times = 100
    with pytest.raises(UsageError, match="another program keeps changing it"):
        install(settings_file, meddled, backups)
    assert names(settings_file.parent) == ["settings.json"]


def test_agents_md_keeps_what_stands_around_the_block(tmp_path: Path, backups: Backups) -> None:
    path = tmp_path / "AGENTS.md"
    path.write_text("# Rules\n\nBe kind.\n")
    install(path, AGENTS_MD, backups)
    text = path.read_text()
    assert text.startswith("# Rules\n\nBe kind.\n\n<!-- trackdown:begin -->\n") and "`locate_issue`" in text
    path.write_text(text + "\nMore rules.\n")
    assert install(path, AGENTS_MD, backups).action == "there already"
    undo(path, AGENTS_MD, backups)
    assert path.read_text() == "# Rules\n\nBe kind.\n\nMore rules.\n"
    path.write_text("<!-- trackdown:end --> <!-- trackdown:begin -->")
    with pytest.raises(UsageError, match="are not a pair"):
        install(path, AGENTS_MD, backups)
