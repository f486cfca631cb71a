"""The tail of Student's t distribution, so that a t-test needs no scipy.

P(T > t) with v degrees of freedom is I(v / (v + t²); v/2, 1/2) / 2 for t ≥ 0, where I is the regularised incomplete
beta function (Abramowitz and Stegun, 26.7.1). I is the continued fraction 26.5.8, evaluated by Lentz's method as
Thompson and Barnett modified it ("Coulomb and Bessel functions of complex arguments and order", 1986).
"""

from __future__ import annotations

from math import exp, isinf, lgamma, log

_TINY = 1e-300
_CLOSE = 1e-14
_STEPS = 1000  # a hundred are enough for 10^9 degrees of freedom; what is no number never gets close


def student_t_tail(t: float, degrees: float) -> float:
    """The probability that Student's t with so many degrees of freedom (> 0) is above `t`, which may be infinite."""
    if isinf(t):
        return 0.0 if t > 0 else 1.0
    square = t * t
    beyond = _incomplete_beta(degrees / (degrees + square), square / (degrees + square), degrees / 2, 0.5) / 2
    return beyond if t >= 0 else 1.0 - beyond


def _incomplete_beta(x: float, rest: float, a: float, b: float) -> float:
    """I(x; a, b). `rest` is 1 − x, given apart because it may be too small to be had by subtraction."""
    if x <= 0.0 or rest <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1) / (a + b + 2):  # there the fraction converges slowly, and that of the other side fast
        return 1.0 - _incomplete_beta(rest, x, b, a)
    factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest))
    return factor * _continued_fraction(x, a, b) / a


def _continued_fraction(x: float, a: float, b: float) -> float:
    """1/(1 + d1/(1 + d2/(1 + …))) with the coefficients of the incomplete beta function."""
    numerator, denominator = 1.0, 1.0 / _not_zero(1.0 - (a + b) * x / (a + 1))
    value = denominator
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for coefficient in (even, odd):
            denominator = 1.0 / _not_zero(1.0 + coefficient * denominator)
            numerator = _not_zero(1.0 + coefficient / numerator)
            value *= numerator * denominator
        if abs(numerator * denominator - 1.0) < _CLOSE:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
