"""Scenarios of a look-ahead: normal nodes with weights that keep the tails, and vectors of them.

Cells with edges e = +-{0.4, 1.2, 2.0, 2.8, 3.6, 4.5} in normal units are represented by their means and by what is left
of the variance inside them: given the cell, a feasibility is Phi((b - mu - s z)/sqrt(v - s^2 + s^2 residual)). Without
it the outcome of a cell would be all or nothing, and a search would find the points where a node just clears a
threshold. Vectors of several scores are shrunk for the same reason: Z = sqrt(1 - residual) z + sqrt(residual) (rest) is
exact for normal scores. Either way something is averaged before the maximum is taken: values are approached from below.

Equiprobable quantiles (the paper's seven) never leave |z| <= 1.47; once every unexplored point needs more than that to
win, its value is computed as zero and a run polishes its recommendation for ever. The tail cells cost nothing and see
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

import numpy as np
from scipy import special

from taut.acquisition.settings import ScenarioOptions
from taut.base.arrays import Array, Ints
from taut.base.normal import log_density, student_quantile
from taut.base.quasirandom import sobol


@dataclass(frozen=True)
class Scenarios:
    """z: [C, m] normal scores of m constraints, a column each; weight: [C], summing to 1; residual: [C, m], see above.

    cells: where they are combinations, the scenarios of one constraint, and which of them each one has [C, m].
    """

    z: Array
    weight: Array
    residual: Array
    cells: tuple[Scenarios, Ints] | None = None


def cell_nodes(cells: Sequence[float]) -> tuple[Array, Array]:
    """(nodes, weights) of the cells of a normal score between edges e: z_i = [phi(e_i) - phi(e_i+1)]/w_i."""
    edges = _edges(cells)
    # Differences taken in the left tail, where they do not cancel, then mirrored.
    half = np.diff(special.ndtr(np.concatenate([[-np.inf], edges[: len(cells)]])))
    centre = [] if cells[0] == 0.0 else [1.0 - 2.0 * half.sum()]
    weights = np.concatenate([half, centre, half[::-1]])
    density = np.exp(log_density(np.concatenate([[-np.inf], edges, [np.inf]])))
    nodes = (density[:-1] - density[1:]) / weights
    nodes = 0.5 * (nodes - nodes[::-1])
    return nodes, weights


def _edges(cells: Sequence[float]) -> Array:
    """All finite edges between cells: those given, which may begin with 0, and their mirror images."""
    right = np.array(cells)
    return np.concatenate([-right[right > 0.0][::-1], right])


def quantile_nodes(count: int) -> tuple[Array, Array]:
    """Mid-point quantiles p_i = (i - 1/2)/count with equal weights (the paper's)."""
    p = (np.arange(count) + 0.5) / count
    return cast(Array, special.ndtri(p)), np.full(count, 1.0 / count)


def cell_residual(nodes: Array, weights: Array, cells: Sequence[float]) -> Array:
    """Variance of a normal score inside each cell: 1 + (a phi(a) - b phi(b))/w - z^2 between edges a and b."""
    edges = _edges(cells)
    moment = np.concatenate([[0.0], edges * np.exp(-0.5 * edges * edges) / np.sqrt(2.0 * np.pi), [0.0]])
    left: Array = np.maximum(1.0 + (moment[:-1] - moment[1:]) / weights - nodes * nodes, 0.0)
    return left


def constraint_scenarios(count: int, options: ScenarioOptions, seed: int) -> Scenarios:
    """Joint scenarios of `count` constraints: none, weighted nodes for one, scrambled Sobol vectors for several."""
    if count < 2:
        return _few(count, options)
    size = options.vectors
    u = sobol(size, count, np.random.default_rng([seed, count]))
    residual = options.vector_residual / np.sqrt(size) if options.exact else 0.0
    z = np.sqrt(1.0 - residual) * special.ndtri(u)
    return Scenarios(z, np.full(size, 1.0 / size), np.full((size, count), residual))


@cache
def _few(count: int, options: ScenarioOptions) -> Scenarios:
    """Scenarios of no constraint, or of one; the same in every decision."""
    if count == 0:
        return Scenarios(np.zeros((1, 0)), np.ones(1), np.zeros((1, 0)))
    if options.tails:
        return _cells(options.cells)
    z, weight = quantile_nodes(options.quantiles)
    return Scenarios(z[:, None], weight, np.zeros((len(z), 1)))


def _cells(edges: Sequence[float]) -> Scenarios:
    """One constraint: the cells between these edges."""
    z, weight = cell_nodes(edges)
    return Scenarios(z[:, None], weight, cell_residual(z, weight, edges)[:, None])


@cache
def pair_scenarios(options: ScenarioOptions) -> Scenarios | None:
    """Two constraints: all combinations of their cells; None where there are too few vectors for that.

    No more than twice as many as the vectors they stand for, of which 128 can err by a fifth where a value comes from
    the tails.
    """
    if not (options.tails and options.exact):
        return None
    for edges in (options.pair_cells, options.coarse_cells):
        one = _cells(edges)
        count = len(one.weight)
        if count * count <= options.pair_limit * options.vectors:
            which = np.stack(np.divmod(np.arange(count * count), count), axis=1)
            weight = one.weight[which].prod(axis=1)
            return Scenarios(one.z[which, 0], weight, one.residual[which, 0], (one, which))
    return None


def envelope_points(nu: float, scores: Sequence[float], refine: int) -> Array:
    """Increasing values of T ~ t_nu at which the envelope is looked up; [2 m + 1]. `refine` splits every gap.

    scores: normal ones of the right half, beginning with 0.
    """
    half = np.array(scores)
    whole = np.concatenate([-half[:0:-1], half])
    if refine > 1:
        grid = np.arange(refine * (len(whole) - 1) + 1) / refine
        whole = np.interp(grid, np.arange(len(whole)), whole)
    return student_quantile(whole, nu)
