"""What every method promises, driven by one suite: a new method joins by its name in taut.policy.METHODS."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import taut
from taut.data.dataset import Belief, Proposal, Request
from taut.data.results import Judgement
from taut.policy import METHODS, make
from taut.policy.method import Method

# Small searches: the contract does not depend on how hard a method looks.
FAST = {"inner": 32, "raw": 16, "starts": 2, "search_raw": 64, "search_starts": 4, "paths": 2}
Functions = dict[str, Callable[[dict[str, float]], float]]
BOWL: Functions = {
    "f": lambda p: -((p["x1"] - 0.3) ** 2) - (p["x2"] - 0.6) ** 2,
    "c1": lambda p: p["x1"] + p["x2"] - 0.7,
    "c2": lambda p: -5.0 - p["x1"],
}


def bowl(
    costs: tuple[float, ...] = (1.0, 1.0, 1.0), groups: tuple[taut.Group, ...] = (), **declared: object
) -> taut.Problem:
    """A quadratic with a binding and an irrelevant constraint on the unit square."""
    return taut.Problem(
        parameters=[taut.Real("x1", 0.0, 1.0), taut.Real("x2", 0.0, 1.0)],
        objective=taut.Objective("f", cost=costs[0], **declared),  # type: ignore[arg-type]
        constraints=[
            taut.Constraint("c1", at_most=0.0, cost=costs[1]),
            taut.Constraint("c2", at_most=0.0, cost=costs[2]),
        ],
        groups=groups,
    )


class Own:
    """A method of a user's own, without a base class or a price: random points, and cEI+ at every other one."""

    def __init__(self) -> None:
        self._methods = [make(name, options=FAST) for name in ("cei+", "random")]

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        turn = request.memory.get("turn", 0)
        made = self._methods[turn % 2].suggest(request, rng)
        return replace(made, memory={**made.memory, "turn": turn + 1})

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        return self._methods[0].recommend(request, rng)

    def relevance(self, request: Request, rng: np.random.Generator) -> list[Judgement]:
        return self._methods[0].relevance(request, rng)


def fast(problem: taut.Problem, method: str | Own, initial: int = 4, seed: int = 1) -> taut.Study:
    return taut.Study(problem, method=method, seed=seed, initial=initial, options=FAST)


def step(study: taut.Study, functions: Functions = BOWL, priced: bool = False, **limits: float) -> taut.Suggestion:
    """One ask and its answers, with the checks that hold for every suggestion."""
    suggestion = study.ask(**limits)
    assert suggestion.functions and set(suggestion.functions) <= set(study.problem.functions)
    assert len(set(suggestion.functions)) == len(suggestion.functions)
    for parameter in study.problem.parameters:
        assert parameter.low <= suggestion.point[parameter.name] <= parameter.high
    assert suggestion.note
    assert priced or suggestion.cost == study.problem.cost(suggestion.functions)
    values = {name: functions[name](suggestion.point) for name in suggestion.functions}
    study.tell(
        suggestion, values, seconds={name: 10.0 ** suggestion.point["x1"] for name in values} if priced else None
    )
    return suggestion


def play(study: taut.Study, steps: int, functions: Functions = BOWL) -> taut.Study:
    for _ in range(steps):
        step(study, functions)
    return study


@pytest.fixture(params=[*sorted(METHODS), "own"])
def method(request: pytest.FixtureRequest) -> str | Own:
    return Own() if request.param == "own" else str(request.param)


def sane(study: taut.Study) -> taut.Recommendation:
    best = study.recommend()
    numbers = [*best.objective, best.feasibility, *(number for row in best.constraints.values() for number in row)]
    assert all(math.isfinite(number) for number in numbers)
    assert 0.0 <= best.feasibility <= 1.0
    return best


def test_a_short_run_stays_in_bounds_and_recommends(method: str | Own) -> None:
    study = play(fast(bowl(), method), 7)
    best = sane(study)
    assert best.objective[0] > -0.5
    assert {row.constraint for row in study.relevance()} == {"c1", "c2"}


def test_same_seed_and_history_give_the_same_suggestion(method: str | Own) -> None:
    first, second = play(fast(bowl(), method), 6), play(fast(bowl(), method), 6)
    assert first.suggestions == second.suggestions
    for suggestion in first.suggestions[-2:]:
        assert first.replay(suggestion.number) == suggestion
    assert play(fast(bowl(), method, seed=2), 5).suggestions[-1].point != first.suggestions[4].point


def test_no_constraints(method: str | Own) -> None:
    problem = taut.Problem([taut.Real("x", -1.0, 2.0)], taut.Objective("f", goal="minimize"))
    study = play(fast(problem, method), 10, {"f": lambda p: (p["x"] - 0.5) ** 2})
    assert abs(sane(study).point["x"] - 0.5) < 0.5
    assert study.relevance() == []


def test_ten_constraints(method: str | Own) -> None:
    names = [f"c{k}" for k in range(10)]
    problem = taut.Problem(
        [taut.Real(f"x{i}", 0.0, 1.0) for i in range(3)],
        taut.Objective("f"),
        [taut.Constraint(name, at_most=0.5 + 0.1 * k) for k, name in enumerate(names)],
    )
    functions = {name: lambda p, k=k: p["x0"] * (1 + k % 3) - p["x1"] * (k % 2) for k, name in enumerate(names)}
    sane(play(fast(problem, method, initial=3), 5, {"f": lambda p: sum(p.values()), **functions}))


@pytest.mark.parametrize("known", [0, 1, 2])
def test_hardly_any_data(method: str | Own, known: int) -> None:
    """Decoupled data starts with functions nobody has measured yet."""
    study = fast(bowl(), method, initial=0)
    for i in range(known):
        study.add({"x1": 0.2 + 0.5 * i, "x2": 0.4}, {"f": 1.0 * i})
    play(study, 2)
    sane(study)


def test_failed_functions_are_not_asked_again_at_the_same_place(method: str | Own) -> None:
    study = play(fast(bowl(), method), 4)
    for _ in range(4):
        suggestion = study.ask()
        failed, *rest = suggestion.functions
        study.tell(suggestion, {failed: None, **{name: BOWL[name](suggestion.point) for name in rest}})
    places = [tuple(row.point.values()) for row in study.observations if row.value is None]
    assert len(set(places)) == len(places) == 4
    sane(study)


@dataclass(frozen=True)
class Case:
    """Functions f and c of u and v that give a model nothing to work with, and what must come out all the same."""

    f: Callable[[float, float], float]
    c: Callable[[float, float], float]
    limits: dict[str, float] = field(default_factory=lambda: {"at_most": 0.0})
    objective: float | None = None
    feasibility: tuple[float, float] = (0.0, 1.0)


DEGENERATE = {
    "constant objective": Case(lambda u, v: 7.0, lambda u, v: u - 0.5, objective=7.0),
    "everything constant": Case(lambda u, v: 0.0, lambda u, v: 0.0, objective=0.0),
    "constant and met": Case(lambda u, v: 2.0, lambda u, v: -0.5, objective=2.0, feasibility=(0.9, 1.0)),
    "always violated": Case(lambda u, v: u, lambda u, v: 100.0, feasibility=(0.0, 0.1)),
    "violated, with a slope": Case(lambda u, v: u, lambda u, v: 3.0 + u, feasibility=(0.0, 0.5)),
    "violated on both sides": Case(
        lambda u, v: v, lambda u, v: 1e6, {"at_least": -0.5, "at_most": 0.5}, feasibility=(0.0, 0.1)
    ),
    "always met": Case(lambda u, v: u * v, lambda u, v: -100.0, feasibility=(0.9, 1.0)),
    "orders of magnitude": Case(lambda u, v: 1e12 * u, lambda u, v: math.exp(20.0 * v) - 5.0),
    "tiny and huge": Case(
        lambda u, v: -1e-7 * ((u - 0.3) ** 2 + (v - 0.6) ** 2), lambda u, v: 1e9 * math.expm1(8.0 * (u + v - 0.7))
    ),
    "rounding only": Case(lambda u, v: 1e8 + 1e-7 * u, lambda u, v: 1e-13 * (v - 0.5)),
    "a jump": Case(lambda u, v: float(u > 0.5), lambda u, v: float(v > 0.3) - 0.5, {"at_least": 0.0}),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_asking_goes_on_where_a_model_has_nothing_to_work_with(method: str | Own, case: str) -> None:
    """Without warnings, without a deterministic value asked for twice, and with a sane answer."""
    each = DEGENERATE[case]
    problem = taut.Problem(
        [taut.Real("u", 0.0, 1.0), taut.Real("v", 0.0, 1.0)],
        taut.Objective("f", goal="maximize"),
        [taut.Constraint("c", **each.limits)],
    )
    functions: Functions = {"f": lambda p: each.f(p["u"], p["v"]), "c": lambda p: each.c(p["u"], p["v"])}
    study = play(fast(problem, method), 6, functions)
    rows = [(row.function, *row.point.values()) for row in study.observations]
    assert len(set(rows)) == len(rows) >= 10
    best = sane(study)
    assert all(0.0 <= value <= 1.0 for value in best.point.values())
    assert each.objective is None or best.objective[0] == pytest.approx(each.objective, abs=1e-6)
    assert each.feasibility[0] <= best.feasibility <= each.feasibility[1]


@pytest.mark.parametrize("value", [0.0, -3.0])
def test_a_constant_objective_without_constraints(method: str | Own, value: float) -> None:
    problem = taut.Problem([taut.Real("u", 0.0, 1.0)], taut.Objective("f", goal="minimize"))
    best = sane(play(fast(problem, method, initial=2), 4, {"f": lambda p: value}))
    assert best.objective[0] == pytest.approx(value, abs=1e-6)


def test_groups_are_bought_whole(method: str | Own) -> None:
    group = taut.Group("both", ("f", "c2"), cost=1.5)
    study = fast(bowl(groups=(group,)), method)
    for _ in range(7):
        suggestion = step(study)
        assert ("f" in suggestion.functions) == ("c2" in suggestion.functions)


def test_a_budget_that_affords_only_some_functions(method: str | Own) -> None:
    study = play(fast(bowl(costs=(1.0, 4.0, 9.0)), method), 4)
    coupled = method in ("ckg", "cei", "pesc-coupled")
    if coupled:
        with pytest.raises(taut.TautError, match="affordable"):
            study.ask(remaining=5.0)
        return
    for remaining in (5.0, 1.0):
        assert step(study, remaining=remaining).cost <= remaining


def test_pending_suggestions_are_known(method: str | Own) -> None:
    study = play(fast(bowl(), method), 5)
    open_ones = [study.ask() for _ in range(3)]
    places = {(name, tuple(s.point.values())) for s in open_ones for name in s.functions}
    assert len(places) == sum(len(s.functions) for s in open_ones)
    for suggestion in reversed(open_ones):
        study.tell(suggestion, {name: BOWL[name](suggestion.point) for name in suggestion.functions})
    sane(study)


@pytest.mark.parametrize("noise", ["learned", 0.05])
def test_noisy_objective(method: str | Own, noise: float | str) -> None:
    rng = np.random.default_rng(0)
    study = fast(bowl(noise=noise), method, initial=6)
    sane(play(study, 7, {**BOWL, "f": lambda p: BOWL["f"](p) + 0.05 * float(rng.standard_normal())}))


def test_two_sided_and_lower_bounds(method: str | Own) -> None:
    problem = taut.Problem(
        [taut.Real("x", 1e-3, 1e3, log=True)],
        taut.Objective("f", goal="minimize"),
        [taut.Constraint("band", at_least=1.0, at_most=3.0), taut.Constraint("low", at_least=-1.0)],
    )
    functions = {"f": lambda p: math.log(p["x"]), "band": lambda p: math.log(p["x"]), "low": lambda p: p["x"]}
    best = sane(play(fast(problem, method, initial=6), 9, functions))
    assert best.constraints["low"][2] > 0.4
    if method != "random":
        assert 0.0 < math.log(best.point["x"]) < 4.0


def test_repeated_and_contradictory_values(method: str | Own) -> None:
    """Two values of a deterministic function at one place are averaged, not a crash."""
    study = play(fast(bowl(), method), 4)
    point = study.suggestions[0].point
    study.add(point, {"f": BOWL["f"](point)})
    study.add(point, {"f": BOWL["f"](point) + 1e-3})
    play(study, 1)
    sane(study)


def test_a_method_is_any_object_that_suggests_recommends_and_judges() -> None:
    assert not issubclass(Own, Method)
    study = fast(bowl(), Own())
    assert study.method == "Own"
    study.run(BOWL, budget=2.0)
    assert study.spent >= 1.0  # without a price of its own, a step may cost as little as the cheapest bundle
    for part in ("suggest", "recommend", "relevance"):
        lame = type(
            "Lame", (), {name: getattr(Own, name) for name in ("suggest", "recommend", "relevance") if name != part}
        )
        with pytest.raises(taut.StudyError, match="suggest, recommend and relevance"):
            fast(bowl(), lame())


@pytest.mark.parametrize("method", ["dckg", "cei+", "ucb-d", "pesc"])  # one of each kind
def test_many_values_are_reduced_announced_and_replayable(method: str) -> None:
    study = taut.Study(bowl(), method=method, seed=1, initial=0, options={**FAST, "most_values": 30})
    rng = np.random.default_rng(0)
    for x1, x2 in rng.random((45, 2)).tolist():
        study.add({"x1": x1, "x2": x2}, {name: function({"x1": x1, "x2": x2}) for name, function in BOWL.items()})
    study.add({"x1": 0.9, "x2": 0.1}, {"f": None})
    first, second = step(study), step(study)
    assert "models use 30 of 45 values of f, c1, c2" in first.note
    assert "models use" in second.note and study.replay(2) == second and study.replay(1) == first
    best = study.recommend()
    assert "models use 30 of" in best.note and best.feasibility > 0.5
    assert [row.verdict for row in study.relevance()][1] == "irrelevant"


def test_measured_costs(method: str | Own) -> None:
    """Seconds are learned: costs are expected where they depend on the point, and what is spent is what it took."""
    study = fast(bowl(("measured",) * 3), method)  # type: ignore[arg-type]
    for _ in range(7):
        step(study, priced=True, budget=60.0, verify=True)
    sane(study)
    last, later = study.suggestions[-1], study.suggestions[4:]
    assert study.spent == pytest.approx(sum(len(row.functions) * 10.0 ** row.point["x1"] for row in later))
    assert last.cost == pytest.approx(len(last.functions) * 10.0 ** last.point["x1"], rel=0.2)
    assert study.replay(last.number) == last
    assert sum(row.cost for row in study.relevance()) <= study.spent
    with pytest.raises(taut.StudyError, match="nothing affordable"):
        study.ask(remaining=0.01)


def test_a_setup(method: str | Own) -> None:
    """Paid once per point: what a suggestion costs follows from those before it, and so does what is spent."""
    made = bowl()
    problem = taut.Problem(
        made.parameters, made.objective, made.constraints, setups=[taut.Setup("mesh", ("f", "c1"), 10.0)]
    )
    study = fast(problem, method)
    prepared: list[dict[str, float]] = []
    for _ in range(9):
        row = step(study, priced=True, budget=100.0)
        needs = bool({"f", "c1"} & set(row.functions))
        assert row.cost == len(row.functions) + 10.0 * (needs and row.point not in prepared)
        prepared += [row.point] * needs
    assert study.spent == sum(row.cost for row in study.suggestions[4:])
    assert study.replay(9) == study.suggestions[-1]
    sane(study)
