"""Third-party code ranks below the project's own, and declarations below what they stand for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.index.segments import corpus_of, index_of
from trackdown.index.corpus import Corpus
from trackdown.pipeline import Ranked, SearchPlan, search
from trackdown.query.parse import understand
from trackdown.types import CODE, GENERATED, VENDORED, Level

C = "/* Resize the table of buckets. */\nint {0}(int table, int buckets) {{ return table + buckets; }}\n"
OWN = {"src/dict.c": C.format("dict_resize") + "int grow(int table) { return table; }\n" * 20}
FOREIGN = {"deps/lua/src/ltable.c": C.format("resize_table_buckets")}


def found(corpus: Corpus, query: str, level: Level = "function", **options: Any) -> list[Ranked]:
    return search(corpus, understand(query), replace(SearchPlan(level, numbers=True), **options))


def places(corpus: Corpus, ranked: list[Ranked]) -> list[str]:
    code = corpus.code
    return [f"{code.path(item.file)}:{code.symbol(item.unit) if item.unit >= 0 else ''}" for item in ranked]


def test_third_party_code_ranks_below_the_projects_own() -> None:
    corpus = corpus_of(index_of(OWN | FOREIGN))
    ranked = found(corpus, "resize table buckets")
    assert places(corpus, ranked)[0] == "src/dict.c:dict_resize"
    (third_party,) = [item for item in ranked if corpus.code.path(item.file).startswith("deps/")]
    assert third_party.reason.endswith("; third-party code")
    assert all(part.numbers["factor (third-party code)"] == 0.3 for part in third_party.parts)
    assert places(corpus, found(corpus, "resize table buckets", foreign=False))[0].startswith("deps/lua")


@pytest.mark.parametrize("named", ["deps/lua", "deps/", "src/ltable.c", "deps/lua/src/ltable.c"])
def test_a_query_that_names_a_path_or_folder_asks_for_third_party_code(named: str) -> None:
    corpus = corpus_of(index_of(OWN | FOREIGN))
    ranked = found(corpus, f"resize table buckets in {named}")
    assert places(corpus, ranked)[0] == "deps/lua/src/ltable.c:resize_table_buckets"
    assert not any("factor" in name for part in ranked[0].parts for name in part.numbers)
    assert "third-party" not in ranked[0].reason


def test_generated_code_is_known_by_its_first_lines() -> None:
    corpus = corpus_of(
        index_of(OWN | {"src/lexer.c": "/* This file was automatically generated. */\n" + C.format("lex")})
    )
    assert dict(zip(corpus.code.files_by_path, corpus.code.file_role.tolist(), strict=True)) == {
        "src/dict.c": CODE,
        "src/lexer.c": GENERATED,
    }
    (generated,) = [item for item in found(corpus, "buckets") if corpus.code.symbol(item.unit) == "lex"]
    assert generated.reason.endswith("; generated code")
    assert all(part.numbers["factor (generated code)"] == 0.3 for part in generated.parts)


def test_a_repository_of_third_party_code_has_it_for_its_own() -> None:
    mostly = {f"vendor/lib{n}/a.c": C.format(f"resize_{n}") * 5 for n in range(4)} | {
        "setup.c": "int main() { return 0; }\n"
    }
    assert set(index_of(mostly).file_role.tolist()) == {CODE}
    assert VENDORED in index_of(mostly | OWN).file_role.tolist()


OVERLOADS = """
from typing import overload

@overload
def send_message(topic: str, message: str) -> None: ...
@overload
def send_message(topic: str, message: bytes) -> None: ...
def send_message(topic, message):
    key = topic.encode()
    data = message if isinstance(message, bytes) else message.encode()
    connection = open_connection(key)
    connection.write(data)
"""
SESSIONS = """
class SessionInterface:
    def open_session(self, request):
        \"\"\"Open the session for a request: called before each request, and must open or make a session.\"\"\"
        raise NotImplementedError

class CookieSessions(SessionInterface):
    def open_session(self, request):
        signer = self.signer()
        return self.load(signer, request.cookies)
"""
JAVA = {
    "src/Consumer.java": """
/** A consumer. */
public interface Consumer<K> extends Closeable {
    /** Commit the offsets of this consumer asynchronously; offsets are committed later. */
    void commitOffsets(Map offsets);
}
""",
    "src/KafkaConsumer.java": """
public class KafkaConsumer<K> implements Consumer<K> {
    public void commitOffsets(Map all) { coordinator.send(all); }
}
""",
    "src/Other.java": "class Other { void commitOffsets(Map m) { send(offsets, offsets, m); } }\n",
}
TYPESCRIPT = {
    "src/client.ts": """
/** Create a client for the procedure router. */
export function createClient(router: string): Client;
export function createClient(router: string, options: ClientOptions): Client;
export function createClient(first: any, second?: any) {
  return new Proxied(first, second ?? {});
}
""",
}
GO = {
    "store.go": """package store
// Store keeps values.
type Store interface {
	// ReadValue reads the value of a key from the store.
	ReadValue(key string) string
}
""",
    "disk.go": """package store
type Disk struct{ root string }
func (d *Disk) ReadValue(k string) string { return load(d.root, k) }
""",
}


@pytest.mark.parametrize(
    ("files", "query", "first"),
    [
        ({"send.py": OVERLOADS}, "send_message topic str message bytes", "send.py:send_message"),
        ({"sessions.py": SESSIONS}, "open the session for a request", "sessions.py:CookieSessions.open_session"),
        (JAVA, "commit offsets of a consumer asynchronously", "src/KafkaConsumer.java:KafkaConsumer.commitOffsets"),
        (TYPESCRIPT, "create a client for the procedure router", "src/client.ts:createClient"),
        (GO, "read the value of a key from the store", "disk.go:Disk.ReadValue"),
    ],
)
def test_a_declaration_gives_way_to_its_implementation(files: dict[str, str], query: str, first: str) -> None:
    corpus = corpus_of(index_of(files))
    ranked = found(corpus, query)
    assert places(corpus, ranked)[0] == first and not corpus.code.unit_declares[ranked[0].unit]
    for item in ranked:
        assert sum(part.value for part in item.parts) == pytest.approx(item.score, rel=1e-12)
    as_it_was = found(corpus, query, declarations=False)
    assert corpus.code.unit_declares[as_it_was[0].unit]
    (passed_on,) = [part.text for part in ranked[0].parts if part.signal == "declaration"]
    assert passed_on.startswith(f"implements {corpus.code.symbol(as_it_was[0].unit)} in ")
    (below,) = [item for item in ranked if item.unit == as_it_was[0].unit]
    assert "; only declares " in below.reason
    assert all(any(name.startswith("factor (only declares") for name in part.numbers) for part in below.parts)


def test_a_declaration_without_an_implementation_stays_where_it_is() -> None:
    corpus = corpus_of(
        index_of({"src/Consumer.java": JAVA["src/Consumer.java"], "src/Other.java": JAVA["src/Other.java"]})
    )
    query = "commit offsets of a consumer asynchronously"
    assert places(corpus, found(corpus, query)) == places(corpus, found(corpus, query, declarations=False))


def test_methods_of_a_class_between_lead_to_those_below_it() -> None:
    between = {
        "src/Base.java": "abstract class Base implements Consumer { int base() { return 1; } }\n",
        "src/KafkaConsumer.java": JAVA["src/KafkaConsumer.java"].replace("implements Consumer<K>", "extends Base"),
    }
    corpus = corpus_of(index_of(JAVA | between))
    ranked = found(corpus, "commit offsets of a consumer asynchronously")
    assert places(corpus, ranked)[0] == "src/KafkaConsumer.java:KafkaConsumer.commitOffsets"


def test_a_header_ranks_below_its_source() -> None:
    files = {
        "include/store/cache.h": "/* Evict blocks from the cache. */\nclass Cache { int evict(); int blocks; };\n",
        "util/cache.cc": "int Cache::Prune(int all, int last, int next) { return all + last + next + cache; }\n",
        "other/cache.h": "class Other { int x; };\n",
    }
    corpus = corpus_of(index_of(files))
    ranked = found(corpus, "evict blocks from the cache", "file")
    assert places(corpus, ranked)[:2] == ["util/cache.cc:", "include/store/cache.h:"]
    assert places(corpus, found(corpus, "evict blocks from the cache", "file", declarations=False))[0].startswith(
        "include"
    )


def test_a_file_of_declarations_stays_above_one_without_functions() -> None:
    files = {
        "index.d.ts": "export class Client { request(config: object): Promise<string>; headers: object; }\n",
        "index.js": "import Client from './lib/client.js';\nconst { headers } = Client;\nexport { Client, headers };\n",
    }
    corpus = corpus_of(index_of(files))
    assert places(corpus, found(corpus, "client request config headers", "file"))[0] == "index.d.ts:"


ABSTRACT = """
class Storage:
    def path_of(self, name):
        raise NotImplementedError("This backend doesn't support absolute paths of stored files.")

class DiskStorage(Storage):
    def path_of(self, name):
        return join(self.location, name, support, absolute, paths)
"""


def test_a_declaration_that_says_the_message_stays_where_it_is() -> None:
    corpus = corpus_of(index_of({"storage.py": ABSTRACT}))
    said = "This backend doesn't support absolute paths of stored files."
    assert places(corpus, found(corpus, said))[0] == "storage.py:Storage.path_of"
    in_other_words = "support for absolute paths of files in a backend"
    assert places(corpus, found(corpus, in_other_words))[0] == "storage.py:DiskStorage.path_of"


@pytest.mark.parametrize("filters", ["symbol:SessionInterface.open_session", "path:base.py"])
def test_a_declaration_that_filters_name_stays_where_it_is(filters: str) -> None:
    base, heirs = SESSIONS.split("class CookieSessions")
    other = "class Other:\n    def open(self, request): return session(request)\n"
    corpus = corpus_of(index_of({"base.py": base + other, "heirs.py": f"class CookieSessions{heirs}"}))
    query = f"open the session for a request {filters}"
    filtered = (understand(query).filters,)
    ranked = found(corpus, query, filters=filtered)
    assert places(corpus, ranked)[0] == "base.py:SessionInterface.open_session"
    assert ranked[0].score == found(corpus, query, declarations=False, filters=filtered)[0].score
    assert "only declares" not in ranked[0].reason
    assert places(corpus, found(corpus, "open the session for a request"))[0].startswith("heirs.py")
