"""Statistics of traces against cases worked by hand and against SciPy."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from synthetic_traces import TRAP, Made, make

from taut_paper import statistics
from taut_paper.traces import Trace


def traced(spent: list[float], oc: list[float], budget: float = 10.0, experiment: str = "mystery") -> Trace:
    """A trace with this curve; what was evaluated is f each time."""
    steps = len(spent)
    base = make(experiment, "dckg", 0, Made(sets=("f",), budget=float(steps - 1)))
    run = replace(base.repetition, budget=budget)
    return replace(base, repetition=run, spent=np.array(spent), oc=np.array(oc))


CURVE = traced([0.0, 2.0, 5.0], [10.0, 1.0, 0.1])


def test_value_at_a_cost_is_that_of_the_last_recommendation():
    costs = [0.0, 1.999, 2.0, 4.0, 5.0, 10.0, 99.0]
    assert statistics.at_costs(CURVE, costs).tolist() == [10.0, 10.0, 1.0, 1.0, 0.1, 0.1, 0.1]
    assert statistics.log_at_costs(CURVE, costs) == pytest.approx([1, 1, 0, 0, -1, -1, -1])


def test_costs_that_are_sums_are_met_despite_rounding():
    trace = traced([0.0, 0.1 + 0.2], [1.0, 0.5])
    assert statistics.at_costs(trace, [0.3]).tolist() == [0.5]


def test_area_is_the_mean_of_the_step_function():
    """1 over 2 units, 0 over 3, -1 over the remaining 5 though the trace ends at 5."""
    assert statistics.auc(CURVE) == pytest.approx((2 * 1 + 3 * 0 + 5 * -1) / 10)
    assert statistics.auc(CURVE, 4.0) == pytest.approx((2 * 1 + 2 * 0) / 4)
    spent, oc = np.array([0.0, 4.0, 8.0]), np.array([1.0, 0.1, 1e-30])
    assert statistics.area(spent, oc, 10.0, 1e-6) == pytest.approx((0.0 * 4 - 1.0 * 4 - 6.0 * 2) / 10)
    fine = statistics.log_at_costs(CURVE, np.linspace(0.0, 10.0, 100_000, endpoint=False))
    assert statistics.auc(CURVE) == pytest.approx(fine.mean(), abs=1e-4)


def test_floor_is_relative_to_an_infeasible_recommendation():
    trace = traced([0.0, 1.0], [1.0, 0.0])
    floor = 1e-8 * (1.1742743288663489 + 40.0)
    assert statistics.floor(trace) == pytest.approx(floor)
    assert statistics.final(trace) == pytest.approx(math.log10(floor))
    assert statistics.final(traced([0.0, 1.0], [1.0, 1e-30])) == statistics.final(trace)


def test_cost_to_reach():
    again = traced([0.0, 1.0, 2.0, 3.0], [5.0, 0.05, 2.0, 0.01])
    assert statistics.cost_to_reach(again, 0.1) == 1.0  # the first time, though it is lost again
    assert statistics.cost_to_reach(again, 0.01) == 3.0
    assert statistics.cost_to_reach(again, 0.01, budget=2.5) == math.inf
    assert statistics.cost_to_reach(again, 5.0) == 0.0


def test_bands_are_quartiles_over_seeds():
    traces = [traced([0.0, 1.0], [1.0, 10.0**-k]) for k in range(1, 6)]
    bands = statistics.bands(traces, [0.0, 1.0])
    assert bands.median == pytest.approx([1.0, 1e-3])
    assert bands.lower == pytest.approx([1.0, 1e-4])
    assert bands.upper == pytest.approx([1.0, 1e-2])
    by_seed = statistics.bands(dict(enumerate(traces)), [1.0])
    assert by_seed.median == pytest.approx([1e-3])


def test_pairs_are_the_seeds_that_both_arms_have():
    arms = [{seed: make("mystery", "cei", seed, Made(budget=budget)) for seed in seeds}
            for seeds, budget in (((0, 2, 5), 20.0), ((5, 1, 2), 16.0))]  # fmt: skip
    assert statistics.common_seeds(*arms) == (2, 5)
    first, second = statistics.paired(*arms)
    assert [trace.repetition.seed for trace in first] == [trace.repetition.seed for trace in second] == [2, 5]
    assert statistics.horizon(*arms) == statistics.horizon(first, second) == 16.0
    assert statistics.common_seeds() == ()


@pytest.mark.parametrize("side", ["less", "greater", "two-sided"])
@pytest.mark.parametrize("n", [5, 12, 30, 50])
def test_wilcoxon_without_ties_is_that_of_scipy(n, side):
    rng = np.random.default_rng(n)
    first, second = rng.normal(0.3, 1.0, n), rng.normal(size=n)
    expected = stats.wilcoxon(first, second, alternative=side, method="exact")
    found = statistics.wilcoxon(first, second, side)
    assert found == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("side", ["less", "greater", "two-sided"])
def test_wilcoxon_with_ties_is_the_permutation_test(side):
    difference = np.array([1.0, 1.0, -1.0, 2.0, 2.0, 3.0, -2.0, 4.0])
    signs = (np.arange(2**8)[:, None] >> np.arange(8)) & 1
    ranks = stats.rankdata(np.abs(difference))
    sums, own = signs @ ranks, ranks[difference > 0].sum()
    tails = {"less": np.mean(sums <= own), "greater": np.mean(sums >= own)}
    expected = tails.get(side, min(1.0, 2.0 * min(tails.values())))
    assert statistics.wilcoxon(difference, np.zeros(8), side) == pytest.approx(expected)


def test_wilcoxon_leaves_out_equal_pairs():
    assert statistics.wilcoxon([1.0, 2.0], [1.0, 2.0]) == 1.0
    assert statistics.wilcoxon([], [], "less") == 1.0
    with_equal = statistics.wilcoxon([0.0] * 5 + [7.0], [1.0, 2.0, 3.0, 4.0, 5.0, 7.0], "less")
    assert with_equal == pytest.approx(1 / 32)


def test_equal_is_equal_despite_rounding():
    first, second = np.array([0.1 + 0.2, 0.5, 0.5 + 1e-15]), np.array([0.3, 0.4, 0.4])
    assert first[0] != second[0]
    assert statistics.wilcoxon(first, second, "greater") == 0.25


def test_sign_test():
    assert statistics.sign_test([0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1], "less") == pytest.approx(1 / 32)
    assert statistics.sign_test([1, 0], [1, 0]) == 1.0


def test_brown_forsythe_is_an_analysis_of_variance_of_deviations():
    rng = np.random.default_rng(3)
    narrow, wide = rng.normal(0.0, 1.0, 20), rng.normal(5.0, 4.0, 25)
    expected = stats.f_oneway(*(np.abs(values - np.median(values)) for values in (narrow, wide)))
    found = statistics.brown_forsythe(narrow, wide)
    assert found == pytest.approx(expected.pvalue) and found < 0.001


def test_brown_forsythe_without_any_spread_finds_nothing():
    assert statistics.brown_forsythe([1.0, 1.0, 1.0], [2.0, 2.0]) == 1.0
    assert statistics.brown_forsythe([1.0], [2.0, 3.0]) == 1.0


def test_stuck_is_judged_by_the_recommendation_at_a_cost():
    """At the trap first, then at the optimum."""
    free = traced([0.0, 1.0], [0.06, 0.0], experiment="test_function_2-c2=5")
    moved = replace(free, recommended=np.array([TRAP, free.recommended[1]]))
    assert not statistics.is_stuck(free) and not statistics.is_stuck(moved)
    assert statistics.is_stuck(moved, budget=0.5) and statistics.stuck_count([free, moved], 0.5) == 1


def test_counts_and_shares():
    trace = make("test_function_2-c2=5", "dckg", 0, Made(sets=("f+c1", "c2", "c1"), budget=14.0))
    assert trace.spent.tolist() == [0.0, 2.0, 7.0, 8.0, 10.0]
    assert statistics.counts(trace) == {"f": 2, "c1": 3, "c2": 1, "c3": 0}
    assert statistics.shares(trace) == {"f": 2 / 6, "c1": 3 / 6, "c2": 1 / 6, "c3": 0.0}
    assert statistics.counts(trace, budget=7.0) == {"f": 1, "c1": 1, "c2": 1, "c3": 0}
    assert statistics.shares(trace, budget=0.0) == {"f": 0.0, "c1": 0.0, "c2": 0.0, "c3": 0.0}


def test_cpu_per_decision_is_a_median_without_the_initial_design():
    trace = replace(CURVE, ask_seconds=np.array([100.0, 1.0, 3.0]))
    assert statistics.cpu_per_decision(trace) == 2.0
    assert math.isnan(statistics.cpu_per_decision(replace(CURVE, ask_seconds=np.array([0.0]))))


def test_instalments_at_the_same_point_are_one_decision():
    made = make("test_function_2", "dckg", 0, Made(sets=("f", "c1", "c3", "c3", "c3"), budget=5.0))
    decided, point = made.decided.copy(), made.point.copy()
    decided[1] = [True, True, False, False]  # f and c1 decided for, c1 bought next at the same point
    decided[2] = [False, True, False, False]
    point[2] = point[3] = point[1]  # c3 there is a decision of its own
    trace = replace(made, decided=decided, point=point)
    assert statistics.decisions(trace).tolist() == [1, 3, 4, 5]
    moved = point.copy()
    moved[2] += 1e-3
    assert statistics.decisions(replace(trace, point=moved)).tolist() == [1, 2, 3, 4, 5]


def test_trace_that_ends_early_keeps_its_last_value():
    coupled = make("mystery-c=5", "cei", 0, Made(jitter=0.0))
    assert coupled.spent[-1] == 156.0 and coupled.repetition.budget == 160.0
    assert statistics.final(coupled) == pytest.approx(np.log10(coupled.oc[-1]))
