"""Which kind of file system a folder is on."""

from __future__ import annotations

from pathlib import Path

import pytest

from trackdown.repository.mounts import changes_unseen, file_system

TABLE = r"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:5 / /proc rw - proc proc rw
40 22 0:44 / /home/ada/shared rw - nfs4 server:/export rw
41 40 8:2 / /home/ada/shared/disk rw - xfs /dev/sdb1 rw
42 22 0:45 / /mnt/a\040b rw - fuse.sshfs host: rw
43 22 0:46 / /over rw - ext4 /dev/sdc rw
44 22 0:47 / /over rw - cifs //host/share rw
a line that is none
"""


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    table = tmp_path / "mountinfo"
    table.write_text(TABLE)
    return table


@pytest.mark.parametrize(
    ("folder", "kind", "unseen"),
    [
        ("/home/ada", "ext4", False),
        ("/home/ada/shared", "nfs4", True),
        ("/home/ada/shared/repo", "nfs4", True),
        ("/home/ada/shared-not", "ext4", False),
        ("/home/ada/shared/disk/repo", "xfs", False),
        ("/mnt/a b/repo", "fuse.sshfs", True),
        ("/over/repo", "cifs", True),
    ],
)
def test_the_innermost_and_latest_mount_counts(mounts: Path, folder: str, kind: str, unseen: bool) -> None:
    assert file_system(Path(folder), mounts) == kind
    assert changes_unseen(Path(folder), mounts) is unseen


def test_without_a_table_nothing_is_known(tmp_path: Path) -> None:
    assert file_system(tmp_path, tmp_path / "none") == ""
    assert not changes_unseen(tmp_path, tmp_path / "none")
