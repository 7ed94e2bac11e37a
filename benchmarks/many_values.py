"""What models of very many values lose when they are built on fewer (docs/method.md, "Very many values").

    python benchmarks/many_values.py posteriors [--values 2000 --kept 400 --noise 0.1 --seeds 0-4]
    python benchmarks/many_values.py decisions [--values 2000 --kept 1000 --seeds 0-9 --data uniform]

posteriors: with the same hyperparameters, the mean and standard deviation of approximations against those of the model
of all values, near a point and over the cube. decisions: the value per cost that the model of all values gives to the
choice of dckg with a selection, relative to the choice with all values. CPU seconds of one thread.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from speed.synthetic import Wave, synthetic

import taut
from taut.base.arrays import Array, Ints
from taut.data.dataset import Dataset, Request, views
from taut.policy.context import Context
from taut.policy.kg import DecoupledKG
from taut.policy.options import settings
from taut.policy.search.candidates import points
from taut.policy.search.finalists import Finalists, FirstLook
from taut.policy.settings import Settings
from taut.surrogate.fit import fit
from taut.surrogate.gp import GP, condition
from taut.surrogate.kernels import matern52
from taut.surrogate.selection import farthest, nearness
from taut.surrogate.settings import ModelSettings

Predict = Callable[[Array], tuple[Array, Array]]
NEIGHBOURS, JITTER = 50, 1e-10

# --- Posteriors


def part(full: GP, rows: Ints) -> Predict:
    """The process given some of the values."""
    some = condition(full.X[rows], full.y[rows], full.hyper, full.offset, full.scale)
    return lambda x: (some.posterior(x).mean[0], some.posterior(x).var)


def induced(full: GP, rows: Ints, fitc: bool) -> Predict:
    """Inducing points at some of the data; noise rho (DTC, as in VFE), with what they leave open of a value (FITC)."""
    X, hyper = full.X, full.hyper
    Z, z = X[rows], (full.y[:, 0] - full.offset) / full.scale - hyper.m
    L = cholesky(matern52(Z, Z, hyper.l) + JITTER * np.eye(len(Z)), lower=True)
    V = solve_triangular(L, matern52(Z, X, hyper.l), lower=True)
    noise = np.maximum(hyper.rho + fitc * np.maximum(1.0 - np.sum(V * V, axis=0), 0.0), 1e-12)
    LB = cholesky(np.eye(len(Z)) + (V / noise) @ V.T, lower=True)
    c = solve_triangular(LB, V @ (z / noise), lower=True)

    def predict(x: Array) -> tuple[Array, Array]:
        W = solve_triangular(L, matern52(Z, x, hyper.l), lower=True)
        U = solve_triangular(LB, W, lower=True)
        var = np.maximum(1.0 - np.sum(W * W, axis=0) + np.sum(U * U, axis=0), 1e-14)
        return full.offset + full.scale * (hyper.m + U.T @ c), full.amplitude * var

    return predict


def neighbours(full: GP) -> Predict:
    """For each point the process given its nearest values: no covariances between points."""

    def predict(x: Array) -> tuple[Array, Array]:
        found = []
        for point in x:
            distance = np.sum(((full.X - point) / full.hyper.l) ** 2, axis=1)
            mean, var = part(full, np.argsort(distance)[:NEIGHBOURS])(point[None, :])
            found.append((float(mean[0]), float(var[0])))
        mean, var = np.array(found).T
        return mean, var

    return predict


def selected(full: GP, focus: Array, count: int) -> Ints:
    """A spread part and the nearest to a focus, in the shares of the default settings."""
    spread = farthest(full.X, int(ModelSettings().spread_share * count))
    order = nearness(full.X / full.hyper.l, focus[None, :] / full.hyper.l, np.ones(1), len(full.X))
    return np.concatenate([spread, order[~np.isin(order, spread)][: count - len(spread)]])


def posteriors(given: argparse.Namespace) -> list[str]:
    """One line for each approximation and place."""
    found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for seed in given.seeds:
        rng = np.random.default_rng([seed, given.values])
        X, focus = rng.random((given.values, 2)), 0.15 + 0.7 * rng.random(2)
        at = {"near": np.clip(focus + 0.03 * rng.normal(size=(400, 2)), 0.0, 1.0), "cube": rng.random((400, 2))}
        for function in (synthetic(2, 3, seed).functions[name] for name in ("f", "c1")):
            assert isinstance(function, Wave)
            y, first = function.at(X) + given.noise * rng.normal(size=len(X)), farthest(X, 400)
            gp = fit(X[first], y[first], given.noise or None, ModelSettings(), None).gp
            full = condition(X, y[:, None], gp.hyper, gp.offset, gp.scale)
            rows = farthest(X, given.kept)
            made: dict[str, Callable[[], Predict]] = {
                "selection": lambda full=full, focus=focus: part(full, selected(full, focus, given.kept)),  # type: ignore[misc]
                "spread only": lambda full=full, rows=rows: part(full, rows),  # type: ignore[misc]
                "DTC": lambda full=full, rows=rows: induced(full, rows, fitc=False),  # type: ignore[misc]
                "FITC": lambda full=full, rows=rows: induced(full, rows, fitc=True),  # type: ignore[misc]
                "neighbours": lambda full=full: neighbours(full),  # type: ignore[misc]
            }
            for label, make in made.items():
                for where, x in at.items():
                    found.setdefault((label, where), []).append(_against(full, make, x))
    lines = []
    for (label, where), entries in found.items():
        error, ratio, below, seconds = np.median(np.array(entries), axis=0)
        lines.append(f"| {label} | {where} | {error:.2g} | {ratio:.2g} | {below:.2g} | {seconds:.3f} |")
    return ["| model | where | error / sd | sd / sd | more certain | CPU s |", "|---|---|---:|---:|---:|---:|", *lines]


def _against(full: GP, make: Callable[[], Predict], x: Array) -> tuple[float, ...]:
    """Root mean square error of the mean in sds of the full model, median ratio of sds, share below it, seconds."""
    exact = full.posterior(x)
    begun = time.process_time()
    mean, var = make()(x)
    seconds = time.process_time() - begun
    error = np.sqrt(np.mean((mean - exact.mean[0]) ** 2) / np.mean(exact.var))
    ratio = np.sqrt(var / exact.var)
    return float(error), float(np.median(ratio)), float(np.mean(ratio < 0.9)), seconds


# --- Decisions


def request(seed: int, given: argparse.Namespace) -> Request:
    """All functions of a synthetic problem at the same uniform points, or each at its own (apart)."""
    tested = synthetic(given.parameters, 3, seed)
    rng = np.random.default_rng([seed, given.values])
    waves = [wave for wave in tested.functions.values() if isinstance(wave, Wave)]
    if given.data == "wiggly":
        waves = [replace(wave, w=3.0 * wave.w) for wave in waves]
    X = [rng.random((given.values, given.parameters))] * len(waves)
    if given.data == "apart":
        X = [rng.random((given.values, given.parameters)) for _ in waves]
    y = [wave.at(x) + given.noise * rng.normal(size=len(x)) for wave, x in zip(waves, X, strict=True)]
    problem = tested.problem
    if given.noise:
        constraints = [replace(each, noise="learned") for each in problem.constraints]
        problem = taut.Problem(problem.parameters, replace(problem.objective, noise="learned"), constraints)
    none = tuple(np.empty((0, given.parameters)) for _ in waves)
    data = Dataset(views(problem), given.parameters, tuple(X), tuple(y), none, none)
    return Request(problem, data, np.inf, {})


def decisions(given: argparse.Namespace) -> list[str]:
    """One line for each data set."""
    lines = ["| seed | share, selection | share, spread only | gain / scale | CPU s, all | CPU s, selection |"]
    lines.append("|---:|---:|---:|---:|---:|---:|")
    for seed in given.seeds:
        asked = request(seed, given)
        whole = settings(None, {"instalments": False, "most_values": 10**9})
        chosen = settings(None, {"instalments": False, "most_values": given.kept})
        spread = replace(chosen, model=replace(chosen.model, spread_share=1.0))
        made, seconds = zip(*(_choice(asked, each, seed) for each in (whole, chosen, spread)), strict=True)
        rates, scale = _rates(asked, whole, made, seed)
        shares = [rate / rates[0] if rates[0] > 0.0 else np.inf for rate in rates]
        cells = f"{shares[1]:.3f} | {shares[2]:.3f} | {rates[0] / scale:.2g} | {seconds[0]:.1f} | {seconds[1]:.1f}"
        lines.append(f"| {seed} | {cells} |")
    return lines


def _choice(asked: Request, chosen: Settings, seed: int) -> tuple[tuple[Array, tuple[str, ...]], float]:
    begun = time.process_time()
    made = DecoupledKG(chosen).suggest(replace(asked, cache={}), np.random.default_rng([seed, 0]))
    return (made.point, made.functions), time.process_time() - begun


def _rates(
    asked: Request, whole: Settings, made: Sequence[tuple[Array, tuple[str, ...]]], seed: int
) -> tuple[list[float], float]:
    """Value per cost of all choices by the model of all values, on one inner set made for all; and its scale."""
    fine = replace(whole, inner=replace(whole.inner, size=512))
    context = Context.of(replace(asked, cache={}), fine, np.random.default_rng([seed, 0]))
    look = FirstLook(context, points(context))
    sets = [(x, tuple(sorted(context.names.index(name) for name in functions))) for x, functions in made]
    candidates = [context.menu.candidate(x, S) for x, S in sets]
    final = Finalists.of(context, look.ahead, np.ones_like(look.winners), candidates)
    return [each.value_per_cost for each in final.candidates], context.posteriors[0].scale


def numbers(text: str) -> list[int]:
    """3 or 0-9."""
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def main(argv: Sequence[str] | None = None) -> list[str]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("posteriors", "decisions"))
    parser.add_argument("--values", type=int, default=2000)
    parser.add_argument("--kept", type=int, default=400)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--seeds", type=numbers, default=list(range(5)))
    parser.add_argument("--parameters", type=int, default=2)
    parser.add_argument("--data", choices=("uniform", "apart", "wiggly"), default="uniform")
    given = parser.parse_args(argv)
    return (posteriors if given.part == "posteriors" else decisions)(given)


if __name__ == "__main__":
    print("\n".join(main()))
