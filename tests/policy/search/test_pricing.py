"""Costs that depend on the point, as searches need them."""

from dataclasses import replace

import numpy as np
import pytest
from bumps import Bump, Bumps
from states import context, known

import taut
from taut.base.ascend import AscentOptions
from taut.data.dataset import Dataset
from taut.data.durations import Curve
from taut.data.prices import Prices
from taut.policy.context import Context
from taut.policy.menu import Menu
from taut.policy.search.pricing import (
    cheaper_here,
    cost_of_needed,
    cost_unit,
    costs,
    log_price,
    prepared_places,
    where_payable,
)  # fmt: skip
from taut.policy.search.sets import Ranking, Scales, SetSearch

RNG = np.random.default_rng(0)
PAID = np.array([[0.25, 0.75], [0.5, 0.5]])


def priced(setup: bool = True, remaining: float = np.inf) -> Menu:
    """f, c1, c2, c3; f gets dearer along x1, and c1 and c2 share a mesh that costs 5 and is paid at two places."""
    made = taut.bench.problem("test_function_2").problem
    mesh = [taut.Setup("mesh", ("c1", "c2"), "measured")] if setup else []
    functions = [replace(each, cost="measured") for each in made.constraints]
    problem = taut.Problem(made.parameters, replace(made.objective, cost="measured"), functions, setups=mesh)
    curves = {name: Curve.flat(0.0, 2) for name in problem.functions} | {"mesh": Curve.flat(np.log(5.0), 2)}
    curves["f"] = Curve(0.0, np.array([4.0, 0.0]), np.array([0.0, 1.0]))
    prices = Prices(problem, curves, {"mesh": PAID} if setup else {})
    return Menu(problem, problem.functions, Dataset.from_rows(problem, [], []), remaining, 1e-6, prices=prices)


def plain() -> Menu:
    problem = taut.bench.problem("test_function_2", {"f": 2.0, "c1": 3.0}).problem
    return Menu(problem, problem.functions, Dataset.from_rows(problem, [], []), 10.0, 1e-6)


def test_one_number_where_costs_are_the_same_everywhere() -> None:
    x = RNG.random((4, 2))
    assert costs(plain(), (0, 1), x) == 5.0
    assert log_price(plain(), [(0,)]) is None
    assert not cheaper_here(plain(), (0, 1), x).any()
    needed = np.array([[True, False], [True, True], [False, False], [True, True]])
    bundles = [(0,), (1,), (2,), (3,)]
    assert cost_of_needed(plain(), bundles, needed, x[:2]).tolist() == [6.0, 4.0]


def test_where_a_setup_is_paid_the_sets_that_need_it_are_cheaper() -> None:
    menu, x = priced(), np.vstack([PAID, PAID + 1e-6])
    assert costs(menu, (1, 2), x) == pytest.approx([2.0, 2.0, 7.0, 7.0])
    assert cheaper_here(menu, (1,), x).tolist() == [True, True, False, False]
    assert not cheaper_here(menu, (0, 3), x).any() and not cheaper_here(priced(False), (1,), x).any()
    assert menu.cost((1,), PAID[0]) == pytest.approx(1.0) and menu.cost((1,)) == pytest.approx(1.0)
    assert menu.candidate(x[2], (1, 2)).cost == pytest.approx(7.0)


def test_what_is_needed_together_pays_its_setup_once() -> None:
    menu, x = priced(), np.vstack([RNG.random((5, 2)), PAID])
    bundles = [(0,), (1,), (2,), (3,)]
    needed = RNG.random((4, 7)) < 0.6
    one_by_one = [menu.cost([k for k in range(4) if needed[k, i]], x[i]) for i in range(7)]
    assert cost_of_needed(menu, bundles, needed, x) == pytest.approx(one_by_one)


def test_what_can_be_paid_depends_on_the_place() -> None:
    menu = priced(remaining=1.0)
    values = where_payable(menu, (0,), np.array([[0.4, 0.5], [0.6, 0.5]]), np.array([2.0, 3.0]))
    assert values.tolist() == [2.0, 0.0]
    assert menu.affordable((0,)) and menu.affordable((0,), np.array([0.4, 0.5]))
    assert not menu.affordable((0,), np.array([0.6, 0.5])) and not menu.affordable((0, 3), np.array([0.4, 0.5]))


def test_gradients_of_log_prices_by_set() -> None:
    menu, sets = priced(), [(0,), (0, 1), (3,)]
    price = log_price(menu, sets)
    assert price is not None
    x, which, h = RNG.random((6, 2)), np.array([0, 1, 2, 0, 1, 2]), 1e-6
    value, gradient = price(x, which)
    assert value == pytest.approx([np.log(menu.cost(sets[i], row)) for i, row in zip(which, x, strict=True)])
    for i, unit in enumerate(np.eye(2)):
        slope = (price(x + h * unit, which)[0] - price(x - h * unit, which)[0]) / (2.0 * h)
        assert gradient[:, i] == pytest.approx(slope, abs=1e-6)


def made() -> tuple[Context, SetSearch, Bumps]:
    """A search of two bumps of f, equally high, one in the cheap and one in the dear half; and of one of c1."""
    twins = Bumps([[Bump(np.array([x, 0.5]), 1.0, 0.1) for x in (0.2, 0.8)], [Bump(np.array([0.3, 0.7]), 1.0, 0.2)]])
    before = context(known("test_function_2", 10))
    state = replace(before, offer=replace(before.offer, problem=priced().problem, prices=priced().prices))
    climb = replace(state.settings.climb, cross_seed=True)
    return state, SetSearch(twins, state.menu, climb, Scales.of(before)), twins


def test_a_search_climbs_value_per_cost() -> None:
    state, search, twins = made()
    grid = (np.stack(np.meshgrid(*[np.arange(8)] * 2), axis=-1).reshape(-1, 2) + 0.5) / 8.0
    ranking = Ranking(grid, {(0,): twins.value(twins.at(grid), (0,))}, {(0,): costs(state.menu, (0,), grid)})
    best = search.climb(ranking, AscentOptions(tolerance=1e-10, calls=60))[0][0]
    dense = RNG.random((20_000, 2))
    rate = twins.value(twins.at(dense), (0,)) / costs(state.menu, (0,), dense)
    assert best.value_per_cost >= rate.max() * (1.0 - 1e-6) and best.x[0] < 0.2
    assert best.value == pytest.approx(float(twins.value(twins.at(best.x[None, :]), (0,))[0]), rel=1e-9)
    assert best.cost == pytest.approx(state.menu.cost((0,), best.x))
    assert ranking.best((0,)) == pytest.approx(float((ranking.values[(0,)] / ranking.costs[(0,)]).max()))


def test_paid_places_compete_where_they_are() -> None:
    state, search, twins = made()
    places = prepared_places(state)
    assert sorted(places.tolist()) == PAID.tolist()
    raw = np.vstack([places, RNG.random((6, 2))])
    ranking = Ranking(raw, {(1,): twins.value(twins.at(raw), (1,))}, {(1,): costs(state.menu, (1,), raw)})
    found = search.paid(ranking)
    assert [each.x.tolist() for each in found] == PAID.tolist()  # the better one first
    assert all(each.cost == pytest.approx(1.0) for each in found)
    assert len(prepared_places(context(known("test_function_2", 10)))) == 0


def test_the_unit_of_costs_is_the_cheapest_bundle() -> None:
    for times in (1.0, 1000.0):
        dear = known("test_function_2", 8, costs=(("f", 5.0 * times), *((f"c{k}", times) for k in (1, 2, 3))))
        assert cost_unit(context(dear)) == times


def test_nothing_that_is_decided_depends_on_the_unit_of_costs() -> None:
    """A power of two, so that rounding is the same; long enough for decisions that finish, and for looks."""
    found = []
    for unit in (1.0, 1024.0):
        bench = taut.bench.problem("mystery", costs={"f": unit, "c": unit})
        study = taut.Study(bench.problem, seed=2)
        study.run(bench.functions, 24.0 * unit, verify=False)
        found.append([(row.functions, row.point) for row in study.suggestions])
    assert found[0] == found[1]
