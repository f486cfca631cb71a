"""Which language a file is in, and which grammar and query find its units.

To add a language: install its grammar wheel, add a row to LANGUAGES and a query beside it in `queries/`.
CONTRIBUTING.md walks through it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TEXT = "text"
"""The language of files without a grammar: they become line windows."""


@dataclass(frozen=True, slots=True)
class Language:
    """A row of the table.

    `wrappers` are node types that may enclose a definition and belong to it (decorated_definition, export).
    `leading` are node types that may precede it and belong to it (comments, attributes, annotations).
    `clauses` says that neighbouring definitions of one name are clauses of one function (Haskell, Elixir).
    """

    name: str
    extensions: tuple[str, ...]
    grammar: str
    function: str = "language"
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()
    leading: tuple[str, ...] = ("comment",)
    query: str = ""
    clauses: bool = False

    @property
    def query_name(self) -> str:
        """The stem of the query file in `queries/`."""
        return self.query or self.name


_BLOCK_AND_LINE = ("line_comment", "block_comment")
_ECMASCRIPT_WRAPPERS = tuple(
    "export_statement ambient_declaration lexical_declaration variable_declaration expression_statement".split()
)

LANGUAGES: tuple[Language, ...] = (
    Language(
        "python",
        (".py", ".pyi", ".pyw"),
        "tree_sitter_python",
        interpreters=("python",),
        filenames=("SConstruct", "SConscript"),
        wrappers=("decorated_definition",),
    ),
    Language(
        "javascript",
        (".js", ".jsx", ".mjs", ".cjs"),
        "tree_sitter_typescript",
        "language_tsx",
        query="typescript",
        interpreters=("node",),
        wrappers=_ECMASCRIPT_WRAPPERS,
        leading=("comment", "decorator"),
    ),
    Language(
        "typescript",
        (".ts", ".mts", ".cts"),
        "tree_sitter_typescript",
        "language_typescript",
        wrappers=_ECMASCRIPT_WRAPPERS,
        leading=("comment", "decorator"),
    ),
    Language(
        "tsx",
        (".tsx",),
        "tree_sitter_typescript",
        "language_tsx",
        query="typescript",
        wrappers=_ECMASCRIPT_WRAPPERS,
        leading=("comment", "decorator"),
    ),
    Language("java", (".java",), "tree_sitter_java", leading=_BLOCK_AND_LINE),
    Language("go", (".go",), "tree_sitter_go", wrappers=("type_declaration", "var_declaration")),
    Language("rust", (".rs",), "tree_sitter_rust", leading=(*_BLOCK_AND_LINE, "attribute_item")),
    Language("c", (".c", ".h"), "tree_sitter_c", wrappers=("type_definition", "declaration", "linkage_specification")),
    Language(
        "cpp",
        (".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".cu", ".cuh"),
        "tree_sitter_cpp",
        wrappers=(
            "template_declaration",
            "type_definition",
            "declaration",
            "friend_declaration",
            "linkage_specification",
        ),
    ),
    Language("csharp", (".cs",), "tree_sitter_c_sharp", wrappers=("global_statement",)),
    Language(
        "ruby",
        (".rb", ".rake", ".gemspec"),
        "tree_sitter_ruby",
        interpreters=("ruby",),
        filenames=("Rakefile", "Gemfile", "Vagrantfile"),
        wrappers=("argument_list", "call"),
    ),
    Language(
        "php",
        (".php", ".phtml"),
        "tree_sitter_php",
        "language_php",
        interpreters=("php",),
        wrappers=("expression_statement",),
    ),
    Language("kotlin", (".kt", ".kts"), "tree_sitter_kotlin", leading=_BLOCK_AND_LINE),
    Language("scala", (".scala", ".sc"), "tree_sitter_scala", leading=("comment", "block_comment")),
    Language("swift", (".swift",), "tree_sitter_swift", leading=("comment", "multiline_comment")),
    Language("bash", (".sh", ".bash", ".zsh", ".bats"), "tree_sitter_bash", interpreters=("sh", "bash", "zsh")),
    Language("lua", (".lua",), "tree_sitter_lua", interpreters=("lua",), wrappers=("variable_declaration",)),
    Language(
        "julia",
        (".jl",),
        "tree_sitter_julia",
        interpreters=("julia",),
        leading=(*_BLOCK_AND_LINE, "string_literal"),
        wrappers=("macro_argument_list", "macrocall_expression", "const_statement"),
    ),
    Language(
        "haskell", (".hs",), "tree_sitter_haskell", clauses=True, leading=("comment", "haddock", "signature", "pragma")
    ),
    Language(
        "elixir",
        (".ex", ".exs"),
        "tree_sitter_elixir",
        interpreters=("elixir",),
        leading=("comment", "unary_operator"),
        clauses=True,
    ),
    Language("zig", (".zig",), "tree_sitter_zig", leading=("comment",)),
)

BY_NAME = {language.name: language for language in LANGUAGES}
_BY_EXTENSION = {extension: language.name for language in LANGUAGES for extension in language.extensions}
_BY_FILENAME = {filename: language.name for language in LANGUAGES for filename in language.filenames}
_BY_INTERPRETER = {interpreter: language.name for language in LANGUAGES for interpreter in language.interpreters}
_SHEBANG = re.compile(rb"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?([a-z]+)[\d.]*(?:\s|$)")

UNCERTAIN = "?"
"""The language of a file whose name doesn't tell: its first line decides."""


def language_of(path: str) -> str:
    """The language that a path implies: a name of the table, `text`, or UNCERTAIN for a file without extension."""
    filename = path.rsplit("/", 1)[-1]
    if filename in _BY_FILENAME:
        return _BY_FILENAME[filename]
    stem, dot, extension = filename.rpartition(".")
    if not dot or not stem:
        return UNCERTAIN
    return _BY_EXTENSION.get(f".{extension}") or _BY_EXTENSION.get(f".{extension.lower()}", TEXT)


def language_of_content(data: bytes) -> str:
    """The language that a first line like `#!/usr/bin/env python3` names, or `text`."""
    found = _SHEBANG.match(data[:200])
    return _BY_INTERPRETER.get(found.group(1).decode(), TEXT) if found else TEXT
