"""The context of a decision: its order, its belief with and without work under way."""

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from states import chosen, context, everywhere, known, state, under_way

import taut
from taut.acquisition.feasibility import probability
from taut.base.quasirandom import sobol
from taut.policy.belief import belief
from taut.policy.context import Context, without_pending
from taut.surrogate.warp import warp

FAST = {"search_raw": 96, "search_starts": 6}
Goal = Literal["maximize", "minimize"]
X = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]


def problem(goal: Goal = "maximize", groups: tuple[taut.Group, ...] = ()) -> taut.Problem:
    return taut.Problem(X, taut.Objective("f", goal=goal), [taut.Constraint("c", at_most=0.0)], groups)


def bowl(q: dict[str, float]) -> float:
    return -((q["x"] - 0.7) ** 2 + (q["y"] - 0.6) ** 2)


def line(q: dict[str, float]) -> float:
    return q["x"] + q["y"] - 1.0


def points(count: int, seed: int = 0) -> np.ndarray:
    return sobol(count, 2, np.random.default_rng(seed))


def test_constraints_come_by_name_after_the_objective() -> None:
    declared = taut.Problem(X, taut.Objective("f"), [taut.Constraint(name, at_most=0.0) for name in ("z", "a", "m")])
    made = context(state(declared, [(name, {"x": 0.5, "y": 0.5}, i) for i, name in enumerate("fzam")]))
    assert made.names == ("f", "a", "m", "z")
    assert [float(y[0]) for y in made.dataset.y] == [0.0, 2.0, 3.0, 1.0]


def test_the_order_of_asking_changes_nothing() -> None:
    request = under_way(known("mystery", 12), "c", [0.2, 0.8])
    straight, roundabout = context(request), context(request)
    _ = roundabout.fantasies, roundabout.quick_optimum, roundabout.observed_points
    for name in ("raw", "starts"):
        assert np.array_equal(getattr(straight, name), getattr(roundabout, name))
    assert np.array_equal(straight.optimum.x, roundabout.optimum.x)
    assert np.array_equal(straight.quick_optimum, roundabout.quick_optimum)


def test_searches_start_at_the_last_recommendation_what_is_known_and_all_over_the_cube() -> None:
    request = replace(known("mystery", 12), memory={"best": [0.125, 0.25]})
    made = context(request, chosen(search_raw=64))
    assert made.starts[0].tolist() == [0.125, 0.25]
    assert {tuple(row) for row in made.starts[1:13]} == {tuple(row) for row in request.dataset.X[0]}
    assert np.array_equal(made.starts[13:], made.raw) and made.raw.shape == (64, 2)
    assert made.raw_samples.x is made.starts


@pytest.mark.parametrize("goal, M", [("maximize", -7.0), ("minimize", 7.0)])
def test_the_penalty_is_in_the_users_sign(goal: Goal, M: float) -> None:
    made = context(everywhere(problem(goal), {"f": bowl, "c": line}, points(6)), chosen(penalty=-7.0))
    assert made.utility.M == M


def test_without_a_given_penalty_an_infeasible_design_is_no_better_than_any_value() -> None:
    request = everywhere(problem(), {"f": bowl, "c": line}, points(6))
    assert context(request).utility.M <= request.dataset.y[0].min()


def test_a_larger_loss_makes_more_cautious() -> None:
    """A loss of 1000 for an infeasible design, as a large cost when minimising, against a loss of 1."""
    best = {}
    signs: dict[Goal, float] = {"maximize": 1.0, "minimize": -1.0}
    for goal, sign in signs.items():
        request = everywhere(problem(goal), {"f": lambda q, s=sign: s * bowl(q), "c": line}, points(8))
        for loss in (1.0, 1000.0):
            made = context(request, chosen(penalty=-sign * loss, rough=False, **FAST), precise=True)
            best[goal, loss] = belief(made, made.optimum.x)
    assert best["minimize", 1.0].point == pytest.approx(best["maximize", 1.0].point, abs=1e-6)
    assert best["minimize", 1000.0].feasibility > best["minimize", 1.0].feasibility


def test_bounds_are_on_the_scale_of_the_process() -> None:
    """Values over orders of magnitude are modelled on a logarithmic scale, and so is their bound."""
    made = context(everywhere(problem(), {"f": bowl, "c": lambda q: math.exp(12.0 * line(q)) - 1.0}, points(10)))
    s = made.surrogate.warps[1]
    assert s > 0.0 and made.bounds[0].upper == float(warp(np.zeros(1), s)[0]) and made.bounds[0].lower == -np.inf
    plain = context(made.request, chosen(warp=False))
    assert plain.surrogate.warps[1] == 0.0 and plain.bounds[0].upper == 0.0


def test_work_under_way_leaves_the_mean_and_takes_the_doubt() -> None:
    x = np.array([[0.3, 0.8]])
    without, pending = context(known("mystery", 12)), context(under_way(known("mystery", 12), "c", x[0]))
    before, after = (made.posteriors[1].posterior(x) for made in (without, pending))
    assert after.mean == pytest.approx(before.mean, abs=1e-6 * without.posteriors[1].scale)
    assert after.var[0] < 1e-3 * before.var[0]
    assert pending.posteriors[0].posterior(x).var == pytest.approx(without.posteriors[0].posterior(x).var)


def test_outcomes_under_way_are_drawn_several_times() -> None:
    request = known("mystery", 12)
    pending = context(under_way(request, "c", [0.3, 0.8]), chosen(draws=5))
    assert [gp.posterior(np.full((1, 2), 0.5)).mean.shape[0] for gp in pending.fantasies] == [5, 5]
    assert [gp.posterior(np.full((1, 2), 0.5)).mean.shape[0] for gp in context(request).fantasies] == [1, 1]


def test_what_is_recommended_rests_on_what_is_known() -> None:
    request = known("mystery", 12)
    cleared = without_pending(under_way(request, "c", [0.3, 0.8]))
    assert [len(part) for part in cleared.dataset.pending] == [0, 0] and cleared.dataset.X is request.dataset.X


def test_the_quick_optimum_is_no_worse_than_any_start_and_close_to_the_optimum() -> None:
    for name, count in (("mystery", 30), ("test_function_2", 24)):
        made = context(known(name, count))
        quick = made.utility.log_value(made.quick_optimum[None, :])[0]
        assert made.raw_samples.log_value.max() <= quick + 1e-9
        assert quick <= made.optimum.log_value + 1e-6 and quick > made.optimum.log_value - 0.5


def test_a_precise_optimum_is_no_worse() -> None:
    request = known("test_function_2", 24)
    quick, precise = context(request), context(request, precise=True)
    assert precise.optimum.log_value >= quick.optimum.log_value - 1e-9


def test_the_shape_at_the_optimum_is_its_metric() -> None:
    made = context(known("test_function_2", 24))
    assert made.shape(made.optimum.x) == pytest.approx(made.optimum.metric)


@pytest.mark.parametrize("delta", [1e-7, 0.05, 0.5])
def test_uncertain_are_the_objective_and_constraints_below_their_probability(delta: float) -> None:
    made = context(known("test_function_2", 24), chosen(delta=delta))
    for x in points(20, 3):
        p = [
            float(probability(b, there.mean[0], np.sqrt(there.var))[0])
            for b, gp in zip(made.bounds, made.posteriors[1:], strict=True)
            for there in [gp.posterior(x[None, :])]
        ]
        assert made.feasibilities(x) == pytest.approx(p)
        assert made.uncertain(x) == (0, *(k + 1 for k in range(3) if p[k] < 1.0 - delta))


def test_an_uncertain_constraint_brings_its_group() -> None:
    grouped = problem(groups=(taut.Group("both", ("f", "c"), cost=1.0),))
    made = context(everywhere(grouped, {"f": bowl, "c": lambda q: -50.0 - q["x"]}, points(6)))
    assert made.feasibilities(np.full(2, 0.5))[0] > 1.0 - 1e-7 and made.uncertain(np.full(2, 0.5)) == (0, 1)


def test_few_values_are_all_used_and_nothing_is_said() -> None:
    made = context(known("mystery", 40), chosen(most_values=40))
    assert not made.selection.partial and made.notes == made.surrogate.notes
    assert [len(gp.X) for gp in made.posteriors] == [40, 40] and len(made.observed_points) == 40


def test_what_is_left_out_of_the_models_is_said() -> None:
    made = context(known("mystery", 60), chosen(most_values=40))
    assert [len(gp.X) for gp in made.posteriors] == [40, 40] and len(made.dataset.y[0]) == 60
    assert made.notes[0] == "models use 40 of 60 values of f, c"
    assert "models use 40 of 60 values of f, c" in belief(made, made.optimum.x).note


def test_only_functions_with_very_many_values_are_reduced() -> None:
    request = known("mystery", 60)
    data = request.dataset
    fewer = replace(request, dataset=replace(data, X=(data.X[0], data.X[1][:20]), y=(data.y[0], data.y[1][:20])))
    made = context(fewer, chosen(most_values=40))
    assert [len(gp.X) for gp in made.posteriors] == [40, 20]
    assert made.notes[0] == "models use 40 of 60 values of f"


def test_a_selection_is_a_function_of_the_data_and_not_of_the_cache() -> None:
    request = replace(known("mystery", 60), cache={})
    settings = chosen(most_values=40)
    first = context(request, settings)
    _ = first.optimum
    warm, cold = context(request, settings), context(replace(request, cache={}), settings)
    assert np.array_equal(warm.optimum.x, cold.optimum.x)
    for one, two in zip(warm.selection.parts, cold.selection.parts, strict=True):
        assert one is not None and two is not None and np.array_equal(one.rows, two.rows)
    for one_gp, two_gp in zip(warm.posteriors, cold.posteriors, strict=True):
        assert np.array_equal(one_gp.alpha, two_gp.alpha)


def test_a_selection_does_not_depend_on_the_random_numbers_of_a_question() -> None:
    """Else each question about the same data would build models of its own."""
    request = replace(known("mystery", 60), cache={})
    made = [Context.of(request, chosen(most_values=40), np.random.default_rng(seed)) for seed in (1, 2)]
    assert made[0].seed != made[1].seed
    apart = replace(made[1], request=replace(request, cache={}))
    for one, two in zip(made[0].selection.parts, apart.selection.parts, strict=True):
        assert one is not None and two is not None and np.array_equal(one.rows, two.rows)
    assert made[1].selection is made[0].selection


def test_what_is_known_of_a_selection_is_forgotten_with_the_data_and_the_limits() -> None:
    request = replace(known("mystery", 60), cache={})
    data, settings = request.dataset, chosen(most_values=40)
    before = context(request, settings).selection
    moved = replace(data, y=(data.y[0], data.y[1] + 0.5))
    other = replace(data, functions=(data.functions[0], replace(data.functions[1], upper=0.25)))
    for changed in (moved, other):
        assert context(replace(request, dataset=changed), settings).selection is not before


@pytest.mark.parametrize("most", [40, 50])
def test_the_best_evaluated_points_come_first(most: int) -> None:
    rng = np.random.default_rng(4)
    at = [(name, dict(zip("xy", rng.random(2).tolist(), strict=True))) for name in "fc" for _ in range(50)]
    made = context(
        state(problem(), [(name, p, bowl(p) if name == "f" else line(p)) for name, p in at]), chosen(most_values=most)
    )
    assert made.selection.partial == (most == 40)
    known = made.observed_points
    expected = known[np.argsort(-made.utility.log_value(known), kind="stable")[:5]]
    assert made.best_observed(5) == pytest.approx(expected)
