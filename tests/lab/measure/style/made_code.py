"""SourceReader for tests of style: those of ReCo's figure 5, and any number that hypothesis puts together."""

from __future__ import annotations

from hypothesis import strategies as st

FIRST_DUPLICATE = """\
def find_first_duplicate(nums):
    num_set = set()
    no_duplicate = -1
    for i in range(len(nums)):
        if nums[i] in num_set:
            return nums[i]
        else:
            num_set.add(nums[i])
    return no_duplicate
"""
BY_SLICES = """\
def find_duplicate(my_list):
    for i in range(len(my_list)):
        if my_list[i] in my_list[i+1:]:
            return my_list[i]
    return None
"""
BY_A_SET = """\
def find_duplicate(my_list):
    seen = set()
    for num in my_list:
        if num in seen:
            return num
        seen.add(num)
    return None
"""

_NAMES = st.sampled_from(["a", "row", "rows", "row_count", "total", "x1", "_", "größe"])
_CALLED = st.sampled_from(["len", "sum", "math.sqrt", "rows.append", "Counter", "f"])


@st.composite
def python_code(draw: st.DrawFn) -> str:
    """A Python function of one to six statements."""
    forms = [
        "{0} = {1}",
        "{0} += {2}({1})",
        "{2}({0}, key={1})",
        "if {0} in {1}: {2}({0})",
        "return {0} - {1}",
        "for {0} in {2}({1}): pass",
        "{0} = [{1} for {1} in {0}]",
        "assert not {0}  # {1}",
    ]
    lines = [
        draw(st.sampled_from(forms)).format(draw(_NAMES), draw(_NAMES), draw(_CALLED))
        for _ in range(draw(st.integers(1, 6)))
    ]
    return "\n    ".join([f"def {draw(_NAMES)}({draw(_NAMES)}):", *lines]) + "\n"


@st.composite
def java_code(draw: st.DrawFn) -> str:
    """A Java class with one method of one to five statements."""
    forms = [
        "int {0} = {1} + 1;",
        "{0} = Math.max({0}, {1});",
        "for (int {0} = 0; {0} < {1}; {0}++) {{ use({0}); }}",
        "if ({0} > {1}) {{ return {0}; }}",
        "{0}.add(new Thing({1}));",
    ]
    lines = [draw(st.sampled_from(forms)).format(draw(_NAMES), draw(_NAMES)) for _ in range(draw(st.integers(1, 5)))]
    return f"class A {{ int {draw(_NAMES)}(int {draw(_NAMES)}) {{ {' '.join(lines)} return 0; }} }}"
