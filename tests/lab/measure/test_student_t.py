"""The tail of Student's t, beside scipy's."""

from __future__ import annotations

from math import inf, isnan, nan

import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from trackdown.lab.measure.student_t import student_t_tail


@settings(max_examples=300, deadline=None)
@given(st.floats(1e-4, 60).flatmap(lambda t: st.sampled_from([t, -t])) | st.just(0.0), st.integers(1, 3000))
def test_the_same_as_scipy(t: float, degrees: int) -> None:
    assert student_t_tail(t, degrees) == pytest.approx(float(scipy.stats.t.sf(t, degrees)), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("degrees", [1, 2, 30, 100_000, 10_000_000])
@pytest.mark.parametrize("t", [0.0, 1e-200, 1e-9, 1.0, 1.96, 30.0, 1e8])
def test_the_same_as_scipy_far_out(t: float, degrees: int) -> None:
    assert student_t_tail(t, degrees) == pytest.approx(float(scipy.stats.t.sf(t, degrees)), rel=1e-6, abs=1e-300)


def test_a_table_value() -> None:
    """One-tailed 5 % with 10 degrees of freedom is at 1.812."""
    assert student_t_tail(1.812, 10) == pytest.approx(0.05, abs=1e-4)


def test_it_ends_for_what_is_no_number() -> None:
    assert student_t_tail(inf, 5) == 0.0
    assert student_t_tail(-inf, 5) == 1.0
    assert isnan(student_t_tail(nan, 5))
