"""Which lines are code, by how comments are written in a language."""

from __future__ import annotations

import pytest

from trackdown.excerpts.line_roles import BLANK, CODE, PROSE, line_roles, signature_line

SHORT = {CODE: "c", PROSE: "p", BLANK: "b"}


@pytest.mark.parametrize(
    ("language", "text", "roles"),
    [
        ("python", '# a\ndef f():\n    """A.\n    B\n    """\n\n    return 1  # c', "pcpppbc"),
        ("python", 'def f():\n    r"""One line."""\n    x = """text"""', "cpc"),
        ("c", "/* a\n * b\n */\nint f() {\n  // c\n  #define X\n  *p = 1; }", "pppcpcc"),
        ("c", "/* a */ int f();\n/* a */", "cp"),
        ("rust", "/// a\n#[test]\nfn f() {}", "pcc"),
        ("php", "#[Route]\n# a\n// b\nfunction f() {}", "cppc"),
        ("lua", "--[[ a\nb ]]\n-- c\nlocal x", "pppc"),
        ("haskell", "{- a\n-}\n-- b\nf = 1", "pppc"),
        ("ruby", "=begin\na\n=end\ndef f", "pppc"),
        ("elixir", '@doc """\nA.\n"""\ndef f', "pppc"),
        ("text", "# a\n\nb", "cbc"),
    ],
)
def test_roles(language: str, text: str, roles: str) -> None:
    assert "".join(SHORT[role] for role in line_roles(text.split("\n"), language)) == roles


def test_the_signature_is_the_line_with_the_name_wherever_the_comment_mentions_it() -> None:
    lines = ["// run runs", "[Fact]", "@Test(run)", "public static void", "run(int a) {", "run(1);"]
    assert signature_line(lines, line_roles(lines, "java"), "Main.run") == 4
    assert signature_line(lines, line_roles(lines, "java"), "Main.it works") == 3
    assert signature_line(["// a"], [PROSE], "f") == -1
