"""A git repository or a folder: snapshots, blobs, commits, ignore rules."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.repository.blame import IGNORED_REVISIONS, LineOrigin, blame_lines, ignored_revisions
    from trackdown.repository.blobs import BlobReader, blob_id, decode_text, read_on_disk
    from trackdown.repository.commit_diff import CommitDiff, CommitHead, FileDiff, read_diff, read_head
    from trackdown.repository.commit_objects import altered_commits
    from trackdown.repository.content_rules import DEFAULT_MAX_BYTES, MISSING, reason_to_skip, seems_generated
    from trackdown.repository.git import Git, git_error, git_version, read_rest, without_credentials
    from trackdown.repository.history import (
        HISTORY_VERSION,
        CommitFacts,
        CommitRef,
        list_commits,
        read_commits,
        root_commits,
        shallow_commits,
    )
    from trackdown.repository.ignore import IGNORE_FILE, IgnoreRules, reason_by_name
    from trackdown.repository.mounts import changes_unseen
    from trackdown.repository.patch_text import parse_patch, unquoted
    from trackdown.repository.patches import FilePatch, Hunk, apply_patch, fitted_patch
    from trackdown.repository.patterns import PathPatterns
    from trackdown.repository.roles import role_of
    from trackdown.repository.root_file import read_root_file
    from trackdown.repository.single_commit import pack_commit, unpack_commit
    from trackdown.repository.snapshot import File, Snapshot, commit_snapshot
    from trackdown.repository.source import Source, is_url, open_source
    from trackdown.repository.url_clones import forget_credentials, newest_commit, open_url
    from trackdown.repository.watch import FolderWatch
    from trackdown.repository.worktree import listing_inputs_unchanged, scan_worktree
    from trackdown.repository.worktree_state import WorktreeState, decode_state, encode_state
else:
    __getattr__ = door(__name__)
