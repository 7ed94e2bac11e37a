"""cEI and cEI+: at which maximum of expected improvement they evaluate, and which functions."""

from dataclasses import replace

import numpy as np
import pytest
from states import chosen, context, everywhere, known, state, under_way

import taut
from taut.base.quasirandom import sobol
from taut.data.dataset import Proposal, Request
from taut.policy import ei, make
from taut.policy.search.ei_maxima import Maxima

FAST = {"inner": 48, "search_raw": 96, "search_starts": 6}
X, Y = np.array([0.25, 0.75]), np.array([0.5, 0.375])


def problem(*groups: taut.Group) -> taut.Problem:
    """An objective and constraints 1 to 3, of which 3 always holds."""
    return taut.Problem(
        [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)],
        taut.Objective("f", goal="maximize"),
        [taut.Constraint(f"c{k}", at_most=0.0) for k in (1, 2, 3)],
        groups=groups,
    )


FUNCTIONS = {
    "f": lambda q: q["x"] + q["y"],
    "c1": lambda q: np.sin(7.0 * q["x"]) - 0.2,
    "c2": lambda q: np.cos(6.0 * q["y"]) - 0.3,
    "c3": lambda q: -50.0 - q["x"],
}


def seen(problem: taut.Problem, *names: str) -> Request:
    """Six points, and some functions at X."""
    request = everywhere(problem, FUNCTIONS, sobol(6, 2, np.random.default_rng(3)))
    data = request.dataset
    at = dict(zip("xy", X, strict=True))
    for k in (problem.functions.index(name) for name in names):
        X_k, y_k = list(data.X), list(data.y)
        X_k[k] = np.vstack([data.X[k], X])
        y_k[k] = np.append(data.y[k], FUNCTIONS[problem.functions[k]](at))
        data = replace(data, X=tuple(X_k), y=tuple(y_k))
    return replace(request, dataset=data)


@pytest.fixture
def two_maxima(monkeypatch: pytest.MonkeyPatch) -> None:
    """Expected improvement is largest at X, and has another maximum at Y."""
    found = Maxima(np.array([X, Y]), np.array([-1.0, -2.0]), True)
    monkeypatch.setattr(ei, "ei_maxima", lambda *rest: found)


def decided(method: str, request: Request) -> Proposal:
    return make(method, options={**FAST, "rough": False, "trend": False}).suggest(request, np.random.default_rng(0))


@pytest.mark.usefixtures("two_maxima")
@pytest.mark.parametrize("names", [(), ("f", "c2"), ("f", "c1"), ("c1", "c2"), ("f", "c1", "c2"), ("c3",)])
def test_one_function_that_is_uncertain_and_not_known_at_the_best_maximum(names: tuple[str, ...]) -> None:
    """With nothing else left there, a constraint that is certain is no reason to look: the next maximum is better."""
    open_ = {"f", "c1", "c2"} - set(names)
    made = decided("cei+", seen(problem(), *names))
    assert np.array_equal(made.point, X if open_ else Y)
    assert len(made.functions) == 1 and set(made.functions) <= (open_ or {"f", "c1", "c2"})
    assert "at the maximum of constrained expected improvement" in made.note


@pytest.mark.usefixtures("two_maxima")
def test_a_group_counts_if_one_of_its_members_does() -> None:
    grouped = problem(taut.Group("both", ("c1", "c3"), cost=1.0))
    found = decided("cei+", seen(grouped, "f", "c2"))
    assert np.array_equal(found.point, X) and found.functions == ("c1", "c3")
    assert np.array_equal(decided("cei+", seen(grouped, *FUNCTIONS)).point, Y)


@pytest.mark.usefixtures("two_maxima")
def test_what_it_costs_decides_between_functions() -> None:
    def priced(**costs: float) -> taut.Problem:
        declared = problem()
        each = [replace(c, cost=costs.get(c.name, 1.0)) for c in declared.constraints]
        objective = replace(declared.objective, cost=costs.get("f", 1.0))
        return taut.Problem(declared.parameters, objective, each)

    first = decided("cei+", seen(priced())).functions[0]
    second = decided("cei+", seen(priced(**{first: 1e9}))).functions[0]
    assert second != first and second in ("f", "c1", "c2")


@pytest.mark.usefixtures("two_maxima")
def test_without_value_the_most_uncertain_function_there_is_taken() -> None:
    request = seen(problem())
    made = make("cei+", options=FAST)
    blind = replace(made, settings=chosen(knobs={"sets": {"nothing": np.inf}}, **FAST))  # type: ignore[type-var]
    found = blind.suggest(request, np.random.default_rng(0))
    assert np.array_equal(found.point, X) and "none has value, the most uncertain" in found.note
    belief = context(request).posteriors
    width = [float(gp.posterior(X[None, :]).var[0]) / gp.scale**2 for gp in belief[:3]]
    assert found.functions == (("f", "c1", "c2")[int(np.argmax(width))],)


@pytest.mark.usefixtures("two_maxima")
@pytest.mark.parametrize("names, where", [((), X), (("f", "c1", "c2"), X), (("f", "c1", "c2", "c3"), Y)])
def test_the_coupled_method_evaluates_everything_where_anything_is_new(
    names: tuple[str, ...], where: np.ndarray
) -> None:
    made = decided("cei", seen(problem(), *names))
    assert np.array_equal(made.point, where) and set(made.functions) == set(FUNCTIONS)


@pytest.mark.parametrize("method, count", [("cei", 4), ("cei+", 1)])
def test_where_every_maximum_is_known_the_most_uncertain_place_is_asked(
    method: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    known_one = Maxima(X[None, :], np.zeros(1), True)
    monkeypatch.setattr(ei, "ei_maxima", lambda *rest: known_one)
    made = decided(method, seen(problem(), *FUNCTIONS))
    assert "most uncertain place" in made.note and not np.array_equal(made.point, X)
    assert len(made.functions) == count


def test_without_an_incumbent_feasibility_is_what_is_improved() -> None:
    doomed = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"), [taut.Constraint("c", at_most=0.0)])
    rows = [(name, {"x": x}, 3.0 + x) for name in "fc" for x in (0.1, 0.5, 0.9)]
    for method in ("cei", "cei+"):
        assert "nothing feasible is known yet" in decided(method, state(doomed, rows)).note


def test_parallel_work_is_spread() -> None:
    request, made = known("mystery", 8), []
    for _ in range(5):
        made.append(decided("cei", request).point)
        for name in request.problem.functions:
            request = under_way(request, name, made[-1])
    apart = np.abs(np.array(made)[:, None] - np.array(made)[None]).max(axis=2) + np.eye(5)
    assert apart.min() > 0.005


def test_constraints_that_always_hold_are_never_bought_however_much_is_known() -> None:
    """Around the optimum everything is known: the maxima of expected improvement are places with known values."""
    bench = taut.bench.problem("mystery_redundant8")
    study = taut.Study(bench.problem, method="cei+", seed=0, initial=6)
    for _ in range(6):
        suggestion = study.ask()
        study.tell(suggestion, {name: bench.functions[name](suggestion.point) for name in suggestion.functions})
    rng = np.random.default_rng(0)
    for _ in range(12):  # dense data near the optimum, with f and c1 known and the others not
        point = {name: value + rng.normal(0.0, 0.02) for name, value in bench.solution.items()}
        study.add(point, {name: bench.functions[name](point) for name in ("f", "c1")})
    for _ in range(4):
        suggestion = study.ask()
        assert set(suggestion.functions) <= {"f", "c1"}
        study.tell(suggestion, {name: bench.functions[name](suggestion.point) for name in suggestion.functions})
