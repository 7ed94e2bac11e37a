"""Slow twin of the envelope in taut.acquisition.knowledge: the expected maximum of lines by their upper hull."""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array
from taut.base.normal import partial_expectation, student_cdf


def expected_max(a: Array, b: Array, nu: float = np.inf) -> float:
    """E[max_i (a_i + b_i T)], T ~ t_nu. a, b: [m]; exact, O(m log m).

    Upper hull of the lines, breakpoints c_i between neighbours, slope jumps db_i > 0:
    max_i a_i + sum_i db_i h(|c_i|), h(c) = H(c) - c T_nu(-c).
    """
    order = np.lexsort((a, b))
    a, b = a[order], b[order]
    keep = np.append(b[1:] > b[:-1], True)
    hull_a, hull_b, breaks = _upper_hull(a[keep], b[keep])
    jumps = np.diff(hull_b)
    c = np.abs(breaks)
    tail = partial_expectation(c, nu) - c * student_cdf(-c, nu)
    return float(np.max(hull_a)) + float(jumps @ tail)


def _upper_hull(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Lines on the upper envelope, slopes strictly increasing on entry, and the points where neighbours meet."""
    stack: list[int] = []
    breaks: list[float] = []
    for i in range(len(a)):
        while stack:
            meet = (a[stack[-1]] - a[i]) / (b[i] - b[stack[-1]])
            if breaks and meet <= breaks[-1]:
                stack.pop()
                breaks.pop()
                continue
            breaks.append(float(meet))
            break
        stack.append(i)
    return a[stack], b[stack], np.array(breaks)
