"""What would give a query away is taken out of code, and nothing else."""

from __future__ import annotations

from trackdown.lab.benches.code_edits import without_comments_like, without_docstrings


def test_docstrings_of_all_kinds_are_taken_out() -> None:
    code = (
        "class A:\n    # note\n    '''Of the class.'''\n"
        '    def f(self):\n        r"""Raw."""\n        return \'kept\'\n'
        "    def g(self): 'one' 'two'\n    def h(self):\n        x = 'kept too'\n"
    )
    assert without_docstrings(code) == (
        "class A:\n    # note\n    \n    def f(self):\n        \n        return 'kept'\n"
        "    def g(self): \n    def h(self):\n        x = 'kept too'\n"
    )


def test_only_comments_that_hold_most_of_the_query_are_taken_out() -> None:
    code = "/** Sum of the\n * fifth powers. */\nint f() { return 1; } // the sum\n"
    assert without_comments_like(code, "sum of fifth powers") == ("\nint f() { return 1; } // the sum\n", 1)
    assert without_comments_like(code, "???") == (code, 0)
