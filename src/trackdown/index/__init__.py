"""Facts → searchable arrays: build, update, open."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.index.adoption import adopt_code, adopt_commits, adopt_deep, adopt_static
    from trackdown.index.blob_facts import BLOBS, FactSource, MakeFacts, fact_maker
    from trackdown.index.bm25 import Floats, FormGroups, Mask, Scores
    from trackdown.index.code import CodeIndex
    from trackdown.index.code_segment import KINDS, CodeSegment
    from trackdown.index.code_update import (
        CODE_MANIFESTS,
        CodeManifest,
        CodeUpdate,
        manifest_key,
        may_be_completed,
        open_code,
        partial_code,
        read_inventory,
        update_code,
    )
    from trackdown.index.commit_columns import all_authors, all_paths, is_merge, positions_of, renamed_paths
    from trackdown.index.commit_update import (
        COMMIT_MANIFESTS,
        COMMITS,
        CommitManifest,
        CommitUpdate,
        open_commits,
        update_commits,
    )
    from trackdown.index.commits import CommitIndex, CommitSegment
    from trackdown.index.corpus import Corpus, DeepIndex, RerankModels, Texts, TimeLeft, ignore_note, no_vectors
    from trackdown.index.deep_vectors import DeepSegment, needs_vector, open_deep, segment_of_deep_vectors, write_deep
    from trackdown.index.freed_memory import return_freed_memory, share_heaps
    from trackdown.index.identity import is_known, repository_id
    from trackdown.index.imports import ImportedShard, bind_import, imported_into, namespace_of, unbind_import
    from trackdown.index.matching import files_matching, is_letter, units_called
    from trackdown.index.merges import brought_by, latest_merges
    from trackdown.index.messages import commit_messages
    from trackdown.index.past_blobs import facts_of_blobs
    from trackdown.index.program import REFERENCES, IndexedProgram, references_key
    from trackdown.index.program_messages import GAP, ProgramMessages, hashed
    from trackdown.index.rebase import needs_new_base, rebase_code
    from trackdown.index.rewrite_facts import REWRITES, UNIT_TEXTS, digest_of_key, digests_in, rewriter_id
    from trackdown.index.rewrite_index import RewriteBodies, RewriteIndex, segment_of_rewrite_index
    from trackdown.index.segmented_vectors import SegmentedVectors, SegmentVectors
    from trackdown.index.selection import kth_largest
    from trackdown.index.shard import (
        CODE_PART,
        COMMITS_PART,
        DEEP_PART,
        SHARD_VERSIONS,
        STATIC_PART,
        ShardSubject,
        code_part,
        deep_part,
        fitting_subject,
        history_part,
        rows_in,
        static_part,
        subject_of,
        whole_code,
    )
    from trackdown.index.snapshot_rewrites import RewriteMemory, SnapshotRewrites
    from trackdown.index.vectors import UnitVectors, have_vectors, segment_of_vectors, unit_vectors
else:
    __getattr__ = door(__name__)
