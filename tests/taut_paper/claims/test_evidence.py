"""How one comparison is judged."""

import numpy as np
import pytest
from synthetic_traces import Made, make, results_of

from taut_paper import statistics
from taut_paper.claims.evidence import FINAL, Detail, Evidence, Missing, attempt, informative, judged, measure, near


def test_comparison_needs_medians_and_significance():
    low, high = np.arange(8.0), np.arange(8.0) + 1.0
    assert judged(low, high, side="below").holds and not judged(low, high, side="below").opposite
    assert judged(low, high, side="above").opposite and not judged(low, high, side="above").holds
    mixed = low + np.array([1.0, -1.0] * 4)
    found = judged(mixed, low, side="below")
    assert found == Detail("3.5 vs 3.5", found.p, 8, False, False) and found.p > 0.5


def test_comparison_with_a_size_is_decided_by_the_median():
    few = np.array([2.0, 4.0, 4.0, 4.0, 2.0])
    assert judged(few, 3.0, side="above", significant=False).holds
    low = np.array([2.0, 2.0, 2.0, 2.0, 2.0])
    assert judged(low, 3.0, side="above", significant=False).opposite
    assert not judged(low, 3.0, side="above", significant=False, null=1.0).opposite


@pytest.mark.parametrize(("shift", "holds", "opposite"), [(0.2, True, False), (0.5, False, True), (-0.5, False, True)])
def test_comparable_is_a_factor_of_two(shift, holds, opposite):
    values = np.linspace(-5.0, -4.0, 9)
    detail = near(values, values + shift)
    assert (detail.holds, detail.opposite) == (holds, opposite)


def test_arms_are_compared_up_to_the_smaller_budget():
    """To be at -5 with half of the budget is better than to be there with all of it."""
    short = Made(early=-3.0, end=-5.0, budget=80.0)
    cells = {("mystery", "dckg"): short, ("mystery", "cei+"): Made(early=-1.0, end=-5.0)}
    first, second = Evidence(results_of(cells), "default").values("mystery", FINAL, "dckg", "cei+")
    detail = judged(first, second, side="below")
    assert detail.holds and detail.n == 12
    assert np.median(first) == pytest.approx(-5.0, abs=0.1) and np.median(second) > -3.0


def test_measures_by_name():
    trace = make("test_function_2-c2=5", "dckg", 0, Made(sets=("f+c1", "c2", "c1"), budget=14.0))
    names = ("evaluations of c1", "share of c1 + c2", "share of f", FINAL)
    assert [measure(name)(trace, 14.0) for name in names] == [3.0, 4 / 6, 2 / 6, statistics.final(trace, 14.0)]


def test_a_comparison_has_its_name_with_or_without_data():
    def nothing():
        raise Missing("no runs")

    found = attempt("here", "more", lambda: Detail("1 vs 2", 0.5, 5, True))
    assert (found.where, found.what, found.missing) == ("here", "more", False)
    absent = attempt("here", "more", nothing)
    assert (absent.where, absent.what, absent.numbers, absent.missing) == ("here", "more", "no runs", True)
    assert [detail.informative for detail in informative([found, absent])] == [True]
