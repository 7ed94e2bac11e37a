"""Scenarios of a look-ahead: normal or Student-t nodes with weights that keep the tails, and vectors of them.

Cells with edges e = +-{0.4, 1.2, 2.0, 2.8, 3.6, 4.5} in normal units are represented by their means and by what is left
of the variance inside them: given the cell, a feasibility is Phi((b - mu - s z)/sqrt(v - s^2 + s^2 residual)). Without
it the outcome of a cell would be all or nothing, and a search would find the places where a node just clears a
threshold. Vectors of several scores are shrunk for the same reason: Z = sqrt(1 - residual) z + sqrt(residual) (rest) is
exact for normal scores. Either way something is averaged before the maximum is taken: values are approached from below.

Equiprobable quantiles (the paper's seven) never leave |z| <= 1.47; once every unexplored place needs more than that to
win, its value is computed as zero and a run polishes its recommendation for ever. The tail cells cost nothing and see
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

import numpy as np
from scipy import special

from taut.base.arrays import Array, Ints
from taut.base.normal import partial_expectation, student_quantile
from taut.base.quasirandom import sobol

CELL_EDGES = np.array([0.4, 1.2, 2.0, 2.8, 3.6, 4.5])
# Normal scores of the points at which the envelope of the objective's lines is looked up.
ENVELOPE_SCORES = np.array([0.0, 0.45, 0.95, 1.5, 2.15, 2.9, 3.8, 4.8])
# Fewer cells and look-up points for ranking candidates and climbing, with the same tails; more cells for the last word.
# With an edge at 0, where news begin to pay, eight keep four fifths of a value, and seldom less than seven tenths;
# seven with a cell there keep seven tenths, and at times a third.
COARSE_EDGES = np.array([0.0, 0.7, 1.8, 3.6])
COARSE_SCORES = np.array([0.0, 0.95, 2.15, 3.8])
PAIR_EDGES = np.array([0.0, 0.35, 0.7, 1.2, 1.8, 2.6, 3.6])  # of two constraints at once: all combinations are needed
FINE_EDGES = np.concatenate([0.1 + 0.2 * np.arange(16), [3.4, 3.7, 4.1, 4.5]])

Resolution = Literal["coarse", "usual", "fine"]
EDGES: dict[Resolution, Array] = {"coarse": COARSE_EDGES, "usual": CELL_EDGES, "fine": FINE_EDGES}


@dataclass(frozen=True)
class Scenarios:
    """z: [C, m] normal scores of m constraints, a column each; weight: [C], summing to 1; residual: [C, m], see above.

    cells: where they are combinations, the scenarios of one constraint, and which of them each one has [C, m].
    """

    z: Array
    weight: Array
    residual: Array
    cells: tuple[Scenarios, Ints] | None = None


@dataclass(frozen=True)
class ScenarioOptions:
    """How outcomes are represented.

    tails: weighted tail nodes (library) or equiprobable quantiles (paper) for a single constraint;
    vectors: Sobol vectors for several constraints; exact: integrate the objective exactly along its envelope,
    otherwise over the same quantiles; detail: how many cells, and look-up points of the envelope.
    """

    tails: bool = True
    quantiles: int = 7
    vectors: int = 8
    exact: bool = True
    resolution: Resolution = "usual"


def tail_nodes(nu: float = np.inf, cells: Array = CELL_EDGES) -> tuple[Array, Array]:
    """(nodes, weights) of the cells for T ~ t_nu: z_i = [H(q_i) - H(q_i+1)]/w_i, q = T_nu^-1(Phi(e))."""
    edges = _edges(cells)
    # Differences taken in the left tail, where they do not cancel, then mirrored.
    half = np.diff(special.ndtr(np.concatenate([[-np.inf], edges[: len(cells)]])))
    centre = [] if cells[0] == 0.0 else [1.0 - 2.0 * half.sum()]
    weights = np.concatenate([half, centre, half[::-1]])
    q = np.concatenate([[-np.inf], student_quantile(edges, nu), [np.inf]])
    H = partial_expectation(q, nu)
    nodes = (H[:-1] - H[1:]) / weights
    nodes = 0.5 * (nodes - nodes[::-1])
    return nodes, weights


def _edges(cells: Array) -> Array:
    """All finite edges between cells: those given, which may begin with 0, and their mirror images."""
    return np.concatenate([-cells[cells > 0.0][::-1], cells])


def quantile_nodes(count: int) -> tuple[Array, Array]:
    """Mid-point quantiles p_i = (i - 1/2)/count with equal weights (the paper's)."""
    p = (np.arange(count) + 0.5) / count
    return cast(Array, special.ndtri(p)), np.full(count, 1.0 / count)


def cell_residual(nodes: Array, weights: Array, cells: Array) -> Array:
    """Variance of a normal score inside each cell: 1 + (a phi(a) - b phi(b))/w - z^2 between edges a and b."""
    edges = _edges(cells)
    moment = np.concatenate([[0.0], edges * np.exp(-0.5 * edges * edges) / np.sqrt(2.0 * np.pi), [0.0]])
    left: Array = np.maximum(1.0 + (moment[:-1] - moment[1:]) / weights - nodes * nodes, 0.0)
    return left


def constraint_scenarios(count: int, rule: ScenarioOptions, seed: int) -> Scenarios:
    """Joint scenarios of `count` constraints: none, weighted nodes for one, scrambled Sobol vectors for several."""
    if count < 2:
        return _few(count, rule)
    u = sobol(rule.vectors, count, np.random.default_rng([seed, count]))
    residual = 0.5 / np.sqrt(rule.vectors) if rule.exact else 0.0
    size = rule.vectors
    z = np.sqrt(1.0 - residual) * special.ndtri(u)
    return Scenarios(z, np.full(size, 1.0 / size), np.full((size, count), residual))


@cache
def _few(count: int, rule: ScenarioOptions) -> Scenarios:
    """Scenarios of no constraint, or of one; the same in every decision."""
    if count == 0:
        return Scenarios(np.zeros((1, 0)), np.ones(1), np.zeros((1, 0)))
    if rule.tails:
        return _cells(EDGES[rule.resolution])
    z, weight = quantile_nodes(rule.quantiles)
    return Scenarios(z[:, None], weight, np.zeros((len(z), 1)))


def _cells(edges: Array) -> Scenarios:
    """One constraint: the cells between these edges."""
    z, weight = tail_nodes(cells=edges)
    return Scenarios(z[:, None], weight, cell_residual(z, weight, edges)[:, None])


@cache
def pair_scenarios(rule: ScenarioOptions) -> Scenarios | None:
    """Two constraints: all combinations of their cells; None where a rule has too few vectors for that.

    No more than twice as many as the vectors they stand for, of which 128 can err by a fifth where a value comes from
    the tails.
    """
    if not (rule.tails and rule.exact):
        return None
    for edges in (PAIR_EDGES, COARSE_EDGES):
        one = _cells(edges)
        count = len(one.weight)
        if count * count <= 2 * rule.vectors:
            which = np.stack(np.divmod(np.arange(count * count), count), axis=1)
            weight = one.weight[which].prod(axis=1)
            return Scenarios(one.z[which, 0], weight, one.residual[which, 0], (one, which))
    return None


def envelope_points(nu: float, refine: int = 1, coarse: bool = False) -> Array:
    """Increasing values of T at which the envelope is looked up; [2 m + 1]. `refine` splits every gap."""
    half = COARSE_SCORES if coarse else ENVELOPE_SCORES
    scores = np.concatenate([-half[:0:-1], half])
    if refine > 1:
        grid = np.arange(refine * (len(scores) - 1) + 1) / refine
        scores = np.interp(grid, np.arange(len(scores)), scores)
    return student_quantile(scores, nu)
