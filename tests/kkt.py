"""What the limits of a test problem really cost: multipliers at its solution, from its formulas alone."""

import numpy as np
from scipy.optimize import nnls

from taut.base.arrays import Array
from taut.bench import BenchProblem


def true_prices(bench: BenchProblem, step: float = 1e-6) -> dict[str, float]:
    """d f*/d limit of every constraint: grad f = sum_k lambda_k grad c_k + (ends of the ranges), lambda >= 0."""
    low, width = np.array([(p.low, p.high - p.low) for p in bench.problem.parameters]).T
    x = (np.array(list(bench.solution.values())) - low) / width

    def gradient(name: str) -> Array:
        function, eye = bench.functions[name], np.eye(len(x))
        points = [
            [dict(zip(bench.solution, low + width * (x + s * e), strict=True)) for s in (step, -step)] for e in eye
        ]
        return np.array([(function(up) - function(down)) / (2.0 * step) for up, down in points])

    ends = [-e for e in np.eye(len(x))[x < 1e-7]] + [e for e in np.eye(len(x))[x > 1.0 - 1e-7]]
    A = np.array([*(gradient(name) for name in bench.binding), *ends])
    size = np.linalg.norm(A, axis=1)
    lam, rest = nnls((A / size[:, None]).T, gradient("f"))
    assert rest < 1e-5 * np.linalg.norm(gradient("f")), "the solution is no KKT point"
    found = dict(zip(bench.binding, (lam / size).tolist(), strict=False))
    return {name: found.get(name, 0.0) for name in bench.problem.functions[1:]}
