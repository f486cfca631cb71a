"""Cases in SWE-bench's shape."""

from __future__ import annotations

import json

from tests.lab.mine.archives.reading import read

CASE = {
    "instance_id": "PrismJS__prism-1234",
    "repo": "PrismJS/prism",
    "base_commit": "a" * 40,
    "problem_statement": "Wrong colours\nStrings are red.",
    "patch": "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/new.js\n",
    "created_at": "2020-01-01T00:00:00Z",
}


def test_a_case_names_its_pull_request_and_its_files() -> None:
    lines = f"{json.dumps(CASE)}\n{{broken\n{json.dumps(CASE | {'patch': None})}\n"
    found, broken, without_patch = read("swe", "cases.jsonl", lines)
    assert broken is None and without_patch is None and found is not None
    assert (found.id, found.title, found.body) == ("PrismJS__prism-1234", "Wrong colours", "Strings are red.")
    assert (found.pull, found.base, found.files) == ("1234", "a" * 40, ("a.js",))
    assert found.repository == "PrismJS/prism"
