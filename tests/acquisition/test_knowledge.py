"""The Knowledge Gradient of a set of functions: against conditioning from scratch, differences, and its own laws."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, process
from reference.slow_kg import Outcomes, SlowKG, fine
from reference.upper_hull import expected_max
from regions import half
from scipy import stats

from taut.acquisition.feasibility import Bounds
from taut.acquisition.knowledge import LookAhead, feasibility_product
from taut.acquisition.lookahead import CandidatePosterior, InnerSet
from taut.acquisition.scenarios import quantile_nodes
from taut.acquisition.settings import SCENARIOS, ScenarioOptions
from taut.surrogate.gp import GP
from taut.surrogate.success import Successes

TWO_SIDED = Bounds(-1.5, 0.4)
SETS = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
ONE = Outcomes(np.zeros((1, 0)), np.ones(1))  # no constraint observed: one certain scenario


def points(seed: int, d: int, count: int = 14) -> np.ndarray:
    return np.random.default_rng(900 + seed).random((count, d))


def look(
    processes: tuple[GP, ...],
    bounds: Bounds = AT_MOST_ZERO,
    options: ScenarioOptions = SCENARIOS,
    seed: int = 3,
) -> LookAhead:
    d, K = processes[0].X.shape[1], len(processes) - 1
    M = float(processes[0].y.min()) - 1.0
    return LookAhead(InnerSet.of(processes, (bounds,) * K, M, points(0, d)), options, seed)


def telling(ahead: LookAhead, S: tuple[int, ...], seed: int) -> np.ndarray:
    """The two best of forty candidates and a random one, so that there is something to compare."""
    x = points(seed, ahead.inner.points.shape[1], 40)
    best = np.argsort(-ahead.value(S, ahead.candidates(x)))[:2]
    return x[[*best, 0]]


def slow(ahead: LookAhead) -> SlowKG:
    return SlowKG(ahead.inner.processes, ahead.inner.bounds, ahead.inner.M, ahead.inner.points)


def by_refitting(ahead: LookAhead, S: tuple[int, ...], x: np.ndarray, objective: Outcomes | None = None) -> float:
    """KG^S at x [d] from the same scenarios: vectors, or the event that all constraints of S hold if worth more."""
    value = slow(ahead).value(S, x, constraint_outcomes(ahead, S), objective)
    members = [k for k in S if k > 0]
    if len(members) < 2:
        return value
    event = slow(ahead).all_hold(members, x)
    return max(value, slow(ahead).value(S, x, event, objective))


def constraint_outcomes(ahead: LookAhead, S: tuple[int, ...]) -> Outcomes:
    scenarios = ahead.scenarios(tuple(k for k in S if k > 0))
    return Outcomes(scenarios.z, scenarios.weight, scenarios.residual)


@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, TWO_SIDED])
@pytest.mark.parametrize("K, S", [(1, (1,)), (2, (1,)), (2, (2,)), (2, (1, 2)), (3, (1, 3))])
@pytest.mark.parametrize("seed", [1, 2])
def test_constraints_by_refitting(K: int, S: tuple[int, ...], bounds: Bounds, seed: int) -> None:
    """The same scenarios in both: equal to rounding."""
    ahead = look(problem(seed, 2, K), bounds)
    x = telling(ahead, S, seed)
    expected = [by_refitting(ahead, S, row) for row in x]
    assert max(expected) > 1e-4
    assert ahead.value(S, ahead.candidates(x)) == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("nu", [3.0, 5.0, 30.0, np.inf])
@pytest.mark.parametrize("K, S", [(0, (0,)), (1, (0,)), (1, (0, 1)), (2, (0, 2)), (2, (0, 1, 2))])
def test_objective_by_refitting(K: int, S: tuple[int, ...], nu: float) -> None:
    """A fine grid of outcomes in the slow twin, a finely looked-up envelope in the fast one; K = 0 is plain KG."""
    ahead = look(problem(4, 2, K, nu=nu), TWO_SIDED if nu == 5.0 else AT_MOST_ZERO)
    x = telling(ahead, S, 5)
    expected = [by_refitting(ahead, S, row, fine(nu)) for row in x]
    at = ahead.candidates(x)
    size = max(expected)
    assert size > 1e-3
    assert ahead.value(S, at, refine=30) == pytest.approx(expected, rel=1e-3, abs=1e-5 * size)
    assert ahead.value(S, at) == pytest.approx(expected, rel=0.1, abs=1e-3 * size)


PAIRS = ScenarioOptions(vectors=128, resolution="fine")


@pytest.mark.parametrize("seed", [1, 2, 6])
def test_values_of_one_constraint_approach_the_integral_from_below(seed: int) -> None:
    """Each cell averages before the maximum is taken. In the far tail (seed 6, values near 1e-6) little is lost."""
    processes = problem(seed, 2, 1)
    x = telling(look(processes), (1,), seed)[:2]
    exact = np.array([slow(look(processes)).value((1,), row, fine(count=401)) for row in x])
    levels = [
        look(processes, options=ScenarioOptions(resolution=resolution)) for resolution in ("coarse", "usual", "fine")
    ]  # type: ignore[arg-type]
    coarse, usual, close = (ahead.value((1,), ahead.candidates(x)) for ahead in levels)
    for value in (coarse, usual, close):
        assert (value <= (1.05 if seed == 6 else 1.01) * exact).all()
    assert (coarse >= (0.0 if seed == 6 else 0.5) * exact).all() and (usual >= 0.5 * exact).all()
    assert (close >= (0.7 if seed == 6 else 0.9) * exact).all()


@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, TWO_SIDED])
@pytest.mark.parametrize("S", [(1, 3), (0, 1, 2)])
def test_a_pair_of_constraints_by_refitting(S: tuple[int, ...], bounds: Bounds) -> None:
    """All combinations of cells, each computed once; the same scenarios one by one in the slow twin."""
    ahead = look(problem(1, 2, 3), bounds, options=PAIRS)
    assert len(constraint_outcomes(ahead, S).weight) == 196
    x = telling(ahead, S, 1)
    objective = fine(count=801) if 0 in S else None
    cells = constraint_outcomes(ahead, S)
    expected = [slow(ahead).value(S, row, cells, objective) for row in x]
    assert max(expected) > 1e-4
    close = (1e-7, 1e-9) if objective is None else (1e-3, 1e-5 * max(expected))
    found = ahead.value(S, ahead.candidates(x), refine=30)  # the event that all hold is not rare here
    assert found == pytest.approx(expected, rel=close[0], abs=close[1])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_pair_of_constraints_approaches_the_integral_from_below(seed: int) -> None:
    """Against 24 x 24 outcomes of Gauss and Hermite's rule."""
    processes = problem(seed, 2, 2)
    ahead = look(processes, options=PAIRS)
    x = telling(ahead, (1, 2), seed)[:1]
    z, w = np.polynomial.hermite_e.hermegauss(24)
    first, second = (part.ravel() for part in np.meshgrid(z, z))
    grid = Outcomes(np.stack([first, second], axis=1), np.outer(w, w).ravel() / w.sum() ** 2)
    exact = slow(ahead).value((1, 2), x[0], grid)
    value = float(ahead.value((1, 2), ahead.candidates(x))[0])
    assert 0.8 * exact < value < 1.06 * exact


def test_a_point_at_the_threshold_is_not_worth_more_than_its_neighbours() -> None:
    """Without the residual of a cell, candidates at which a node just clears the threshold would stand out."""
    processes = problem(1, 2, 1)
    x = np.linspace(telling(look(processes), (1,), 1)[0] - 0.1, telling(look(processes), (1,), 1)[0] + 0.1, 201)
    exact = np.array([slow(look(processes)).value((1,), row, fine(count=201)) for row in x[::10]])
    ahead = look(processes, options=ScenarioOptions(resolution="coarse"))
    ratio = ahead.value((1,), ahead.candidates(x))[::10] / exact
    assert ratio.max() / ratio.min() < 1.35


def test_paper_scenarios() -> None:
    """Seven quantiles for the objective and for a single constraint, seven times five for both."""
    ahead = look(problem(7, 2, 2), options=ScenarioOptions(tails=False, exact=False, vectors=5))
    x = points(8, 2, 2)
    z, w = quantile_nodes(7)
    seven = Outcomes(z[:, None], w)
    at = ahead.candidates(x)
    for S, constraints in (
        ((0,), ONE),
        ((2,), seven),
        ((0, 1), seven),
        ((0, 1, 2), constraint_outcomes(ahead, (1, 2))),
    ):
        expected = [slow(ahead).value(S, row, constraints, seven) for row in x]
        assert ahead.value(S, at) == pytest.approx(expected, rel=1e-7, abs=1e-9)
    assert len(constraint_outcomes(ahead, (1, 2)).weight) == 5


@pytest.mark.parametrize("options", [ScenarioOptions(), ScenarioOptions(tails=False, exact=False, vectors=5)])
def test_no_value_is_negative(options: ScenarioOptions) -> None:
    for seed in range(4):
        ahead = look(problem(20 + seed, 2, 2, nu=4.0), options=options)
        x = np.vstack([points(seed, 2, 30), ahead.inner.points, ahead.inner.processes[1].X])
        at = ahead.candidates(x)
        for S in SETS:
            assert least_raw_total(ahead, S, at) > -1e-12 * ahead.inner.processes[0].scale
            assert (ahead.value(S, at) >= 0.0).all()


def least_raw_total(ahead: LookAhead, S: tuple[int, ...], at: CandidatePosterior) -> float:
    """The smallest value before what rounding leaves below zero is cut off."""
    envelopes = [ahead.envelope(S, at, 0, scenarios) for scenarios in ahead.scenario_sets(S, at, 0)]
    return min(float(each.contribution.sum(axis=(1, 2)).min()) for each in envelopes)


def test_a_constraint_that_always_holds_is_no_constraint() -> None:
    f = problem(15, 2, 0, nu=5.0)[0]
    X = np.random.default_rng(16).random((5, 2))
    certain = process(X, -1000.0 + X[:, 0])
    free, bound = look((f,)), look((f, certain))
    x = points(17, 2, 6)
    expected = free.value((0,), free.candidates(x))
    for S in ((0,), (0, 1)):
        assert bound.value(S, bound.candidates(x)) == pytest.approx(expected, rel=1e-10)
    assert np.array_equal(bound.value((1,), bound.candidates(x)), np.zeros(6))


def test_the_order_of_the_constraints_does_not_matter() -> None:
    f, first, second = problem(18, 2, 2)
    x = points(19, 2, 5)
    forward, backward = look((f, first, second)), look((f, second, first))
    for S, swapped in (((0,), (0,)), ((1,), (2,)), ((0, 2), (0, 1))):
        there = backward.value(swapped, backward.candidates(x))
        assert forward.value(S, forward.candidates(x)) == pytest.approx(there, rel=1e-12)


def test_the_order_within_a_set_does_not_matter() -> None:
    ahead = look(problem(18, 2, 2))
    at = ahead.candidates(points(19, 2, 5))
    for S in ((0, 1), (0, 1, 2), (1, 2)):
        assert ahead.value(S[::-1], at) == pytest.approx(ahead.value(S, at), rel=1e-12)


def test_the_event_that_all_hold_is_not_missed() -> None:
    """Six constraints that all fail with 0.7 at the one better point: eight vectors see none of it, the event does."""
    here, far = np.array([[0.0]]), np.array([[1.0]])
    f = process(here, np.array([0.0]), length=0.01, a=1e-6, rho=1e-12, m=0.0)  # about 0.7 far away, 0 here
    c = process(here, np.array([-50.0]), length=0.01, a=1.0 / 2.5**2, rho=1e-12, m=-0.2 / 2.5)  # N(0.5, 1) far away
    K = 6
    inner = InnerSet.of((f, *(c,) * K), (AT_MOST_ZERO,) * K, -5.0, np.vstack([here, far]))
    ahead = LookAhead(inner, ScenarioOptions(), 0)
    at = ahead.candidates(far)
    everything = tuple(range(1, K + 1))
    p = stats.norm.cdf(-0.5)
    assert ahead.value(everything, at)[0] == pytest.approx(p**K * 0.7, rel=1e-3)
    assert ahead.value((1,), at)[0] == pytest.approx(0.0, abs=1e-12)


def test_functions_keep_their_outcomes_in_every_set() -> None:
    """Common random numbers: constraint 3 sees the same outcomes next to 1 as next to 2."""
    ahead = look(problem(1, 2, 3))
    both, other, everything = (ahead.scenarios(S).z for S in ((1, 3), (2, 3), (1, 2, 3)))
    assert np.array_equal(both[:, 1], other[:, 1]) and np.array_equal(everything[:, 2], both[:, 1])
    assert np.array_equal(everything[:, 0], both[:, 0])


def chicken_and_egg(options: ScenarioOptions) -> LookAhead:
    """x_r = 0 certain with value 0; at 1 f ~ N(-1, 2^2) and c ~ N(0.5, 1), independent of 0; M = -5."""
    here = np.array([[0.0]])
    f = process(here, np.array([0.0]), length=0.01, a=4.0 / 2.5**2, rho=1e-12, m=-1.7 / 2.5)
    c = process(here, np.array([-50.0]), length=0.01, a=1.0 / 2.5**2, rho=1e-12, m=-0.2 / 2.5)
    return LookAhead(InnerSet.of((f, c), (AT_MOST_ZERO,), -5.0, np.array([[0.0], [1.0]])), options, 0)


def test_complementarity() -> None:
    """f alone 5.0e-11, c alone 0, both 0.12206: two functions worth nothing alone are worth much together."""
    ahead = chicken_and_egg(ScenarioOptions(tails=False, quantiles=4001))
    at = ahead.candidates(np.array([[1.0]]))
    assert at.mean[0][0, 0] == pytest.approx(-1.0)
    assert (at.var[0][0], at.var[1][0]) == pytest.approx((4.0, 1.0))
    assert ahead.value((1,), at)[0] == pytest.approx(0.0, abs=1e-12)
    assert ahead.value((0, 1), at, refine=30)[0] == pytest.approx(0.12206, rel=1e-3)
    assert ahead.value((0,), at)[0] <= 5.1e-11
    W = feasibility_product(at, 0, ahead.scenario_sets((0,), at, 0)[0], (0,))[0, 0]
    a, b = at.excess(0)[0] * W, at.sigma_tilde(0).s[0] * W
    assert expected_max(a, b) - 5.0 == pytest.approx(5.0e-11, rel=0.02, abs=2e-15)


def test_complementarity_survives_the_thirteen_nodes() -> None:
    at_least = {"usual": 0.7, "fine": 0.9}
    for resolution, share in at_least.items():
        ahead = chicken_and_egg(ScenarioOptions(resolution=resolution))  # type: ignore[arg-type]
        value = ahead.value((0, 1), ahead.candidates(np.array([[1.0]])))[0]
        assert share * 0.12206 <= value <= 1.001 * 0.12206


@pytest.mark.parametrize("nu", [3.0, 6.0, np.inf])
@pytest.mark.parametrize("S", [(0,), (0, 1)])
def test_looked_up_envelope_is_close_to_the_exact_one_and_never_above(S: tuple[int, ...], nu: float) -> None:
    for seed in (21, 22, 23):
        processes = problem(seed, 2, 1, nu=nu)
        ahead = LookAhead(InnerSet.of(processes, (AT_MOST_ZERO,), -5.0, points(seed, 2, 200)), ScenarioOptions(), 3)
        at = ahead.candidates(points(seed + 1, 2, 8))
        scenarios = ahead.scenario_sets(S, at, 0)[0]
        W = feasibility_product(at, 0, scenarios, S)
        a, b = at.excess(0)[:, None, :] * W, at.sigma_tilde(0).s[:, None, :] * W
        exact = np.array(
            [
                sum(
                    w * (expected_max(a[q, c], b[q, c], nu) - a[q, c, ahead.inner.base[0]])
                    for c, w in enumerate(scenarios.w[0])
                )
                for q in range(8)
            ]
        )
        size = exact.max()
        big = exact > 1e-2 * size
        for refine, most, all_of_them in ((1, 0.03, 0.25), (3, 1e-3, 0.01)):
            found = ahead.value(S, at, refine)
            assert (found <= exact + 1e-9 * size).all()
            loss = 1.0 - found[big] / exact[big]
            assert np.quantile(loss, 0.75) < most and loss.max() < all_of_them


def test_a_larger_inner_set_is_worth_no_less() -> None:
    """As long as the recommendation stays the same point."""
    ahead = look(problem(24, 2, 1))
    at = points(25, 2, 10)
    extra = points(26, 2, 60)
    gain = (ahead.inner.posteriors[0].mean[0] - ahead.inner.M) * np.exp(ahead.inner.log_pf[0][0])
    more = ahead.extended(extra, ahead.options)
    extended = (more.inner.posteriors[0].mean[0] - more.inner.M) * np.exp(more.inner.log_pf[0][0])
    kept = np.append(np.ones(len(gain), dtype=bool), extended[len(gain) :] <= gain.max())
    larger = ahead.extended(more.inner.points[kept][len(gain) :], ahead.options)
    assert larger.inner.base[0] == ahead.inner.base[0] and kept.sum() > len(gain) + 20
    assert (larger.value((1,), larger.candidates(at)) >= ahead.value((1,), ahead.candidates(at)) - 1e-12).all()


def test_more_functions_are_worth_no_less() -> None:
    """Monotone in S up to the coarseness of the scenarios: f and c together against each alone."""
    ahead = look(problem(27, 2, 1), options=ScenarioOptions(tails=False, quantiles=101))
    at = ahead.candidates(points(28, 2, 20))
    both = ahead.value((0, 1), at)
    for S in ((0,), (1,)):
        assert (both >= ahead.value(S, at) * 0.98 - 1e-6).all()


def test_observing_a_known_point_is_worth_nothing() -> None:
    ahead = look(problem(29, 2, 1))
    for k in (0, 1):
        known = ahead.candidates(ahead.inner.processes[k].X)
        fresh = ahead.candidates(points(30, 2, 20))
        assert ahead.value((k,), known).max() < 0.02 * ahead.value((k,), fresh).max()


def test_a_noisy_observation_is_worth_less() -> None:
    f, c = problem(31, 2, 1)
    noisy = process(f.X, f.y, length=f.hyper.l, rho=1.0)
    x = points(32, 2, 20)
    sharp, blurred = look((f, c)), look((noisy, c))
    s = sharp.candidates(x).sigma_tilde(0).s, blurred.candidates(x).sigma_tilde(0).s
    assert np.abs(s[1][:, -1]).max() < np.abs(s[0][:, -1]).max()
    expected = [slow(blurred).value((0,), row, ONE, fine()) for row in x[:2]]
    assert blurred.value((0,), blurred.candidates(x[:2]), refine=30) == pytest.approx(expected, rel=1e-3, abs=1e-7)


def test_an_evaluation_that_may_fail_against_a_sum_over_outcomes() -> None:
    """Without constraints: q^2 E[max_i (mu_i - M + s_i T) q_i - (mu_r - M + s_r T) q_r], at the candidate itself q_i
    after a success, by a fine grid of T.
    """
    (gp,), A, x = problem(31, 2, 0), points(31, 2, 30), points(32, 2, 6)
    successes = Successes((half(2),), (0,), 2.0)
    inner = InnerSet.of((gp,), (), -9.0, A, successes)
    ahead = LookAhead(inner, ScenarioOptions(), 3)
    found = ahead.value((0,), ahead.candidates(x), refine=8)
    T = np.linspace(-9.0, 9.0, 4001)
    weight = np.exp(-0.5 * T**2) / np.exp(-0.5 * T**2).sum()
    for candidate, value in zip(x, found, strict=True):
        both = gp.posterior(np.vstack([A, candidate]))
        own = gp.posterior(candidate[None, :])
        s = gp.covariance(both, own)[:, 0] / np.sqrt(own.var[0] + gp.noise)
        q = np.exp(np.append(successes.log(A), successes.logs_after(candidate[None, :])[0]))
        lines = ((both.mean[0] + 9.0)[:, None] + s[:, None] * T) * q[:, None]
        base = int(np.argmax(((both.mean[0] + 9.0) * q)[:-1]))
        news = np.exp(2.0 * successes.log(candidate[None, :])[0])
        assert value == pytest.approx(news * (lines.max(axis=0) - lines[base]) @ weight, rel=2e-3, abs=1e-9)


def test_where_everything_is_nearly_certain_to_be_computed_nothing_changes() -> None:
    processes, A, x = problem(33, 2, 1), 0.3 * points(33, 2, 30), 0.3 * points(34, 2, 6)
    far = half(2, count=60, edge=0.9)
    assert (far.log(np.vstack([A, x])) == 0.0).all()
    plain, careful = (
        LookAhead(InnerSet.of(processes, (AT_MOST_ZERO,), -9.0, A, each), ScenarioOptions(), 3)
        for each in (None, Successes((far,), (0, 0), 2.0))
    )
    for S in ((0,), (1,), (0, 1)):
        expected = plain.value(S, plain.candidates(x))
        assert careful.value(S, careful.candidates(x)) == pytest.approx(expected, rel=1e-12)
