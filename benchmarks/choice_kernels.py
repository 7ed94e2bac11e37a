"""How should a model see a choice? Four kernels, fitted alike, on functions of a choice and two real parameters.

    python benchmarks/choice_kernels.py [SEEDS]

| kernel | correlation of (x, a) and (y, b); D is the distance between two options, h = 1 where a and b differ |
| --- | --- |
| inside D | Matern of sqrt(r(x, y)^2 + (h D/l)^2): options are corners of a simplex among the other columns (taut) |
| product | Matern(r(x, y)) Matern(h D/l) |
| Hamming | Matern(r(x, y)) exp(-h D/l) |
| sum and product | (Matern(r(x, y)) + k(h) + Matern(r(x, y)) k(h))/3 with k(h) = exp(-h D/l) |

Mean and signal variance are integrated out, length-scales maximise the likelihood times the prior of the library, every
kernel has one length-scale a parameter. Printed: mean log density of 200 values that were not seen (in nats, larger is
better) and the error of the means, in standard deviations of the function; over functions, sizes of the data and seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.stats import t as student

OPTIONS, REALS, RHO, FREEDOM = 4, 2, 1e-8, 3.0
SIZES, UNSEEN = (10, 20, 40), 200
MEDIAN, SD = 0.35 * np.sqrt((REALS + 1) / 2.0), 0.5
Function = Callable[[np.ndarray, np.ndarray], np.ndarray]
Kernel = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def matern(r: np.ndarray) -> np.ndarray:
    s = np.sqrt(5.0) * r
    return (1.0 + s + s * s / 3.0) * np.exp(-s)


def inside(D: float) -> Kernel:
    return lambda square, h, size: matern(np.sqrt(square + h * (D / size) ** 2))


def product(D: float) -> Kernel:
    return lambda square, h, size: matern(np.sqrt(square)) * matern(h * D / size)


def hamming(D: float) -> Kernel:
    return lambda square, h, size: matern(np.sqrt(square)) * np.exp(-h * D / size)


def both(D: float) -> Kernel:
    def kernel(square: np.ndarray, h: np.ndarray, size: np.ndarray) -> np.ndarray:
        one, other = matern(np.sqrt(square)), np.exp(-h * D / size)
        return (one + other + one * other) / 3.0

    return kernel


KERNELS: dict[str, Kernel] = {
    **{f"inside {D:g}": inside(D) for D in (0.25, 0.35, 0.5, 0.7, 1.0)},
    **{f"product {D:g}": product(D) for D in (0.25, 0.5)},
    **{f"Hamming {D:g}": hamming(D) for D in (0.25, 0.5)},
    **{f"sum and product {D:g}": both(D) for D in (0.25, 0.5)},
}


def waves(rng: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
    W, b, a = 2.2 * rng.normal(size=(8, REALS)), rng.uniform(0, 6.3, 8), rng.normal(size=8) / 2.8
    return lambda x: np.cos(x @ W.T + b) @ a


def functions(seed: int) -> dict[str, Function]:
    """What options may do to a function."""
    rng = np.random.default_rng(seed)
    common, own, shift = waves(rng), [waves(rng) for _ in range(OPTIONS)], rng.normal(size=OPTIONS)
    scale = rng.uniform(0.3, 2.0, OPTIONS)

    def each(x: np.ndarray, a: np.ndarray) -> np.ndarray:
        return np.array([own[k](u[None, :])[0] for u, k in zip(x, a, strict=True)])

    return {
        "an offset": lambda x, a: common(x) + shift[a],
        "a factor": lambda x, a: scale[a] * (common(x) + 0.5),
        "offset and a third of its own": lambda x, a: common(x) + shift[a] + 0.35 * each(x, a),
        "nothing in common": each,
        "no influence": lambda x, a: common(x),
    }


class Data:
    def __init__(self, x: np.ndarray, a: np.ndarray) -> None:
        self.x, self.a = x, a

    def correlation(self, other: Data, kernel: Kernel, log_l: np.ndarray) -> np.ndarray:
        size = np.exp(log_l)
        square = ((self.x[:, None, :] - other.x) ** 2 / size[:REALS] ** 2).sum(axis=2)
        return kernel(square, (self.a[:, None] != other.a).astype(float), size[REALS])


def fitted(data: Data, y: np.ndarray, kernel: Kernel) -> np.ndarray:
    """Log length-scales: of the real parameters, then of the choice."""

    def cost(log_l: np.ndarray) -> float:
        found = posterior(data, y, kernel, log_l)
        return 1e9 if found is None else found[3] + 0.5 * float((((log_l - np.log(MEDIAN)) / SD) ** 2).sum())

    starts = [np.full(REALS + 1, np.log(MEDIAN) + shift) for shift in (0.0, 0.7)]
    return min((minimize(cost, start, method="L-BFGS-B") for start in starts), key=lambda found: float(found.fun)).x


def posterior(data: Data, y: np.ndarray, kernel: Kernel, log_l: np.ndarray) -> Any:
    """Factor, mean, variance and -log likelihood."""
    R = data.correlation(data, kernel, log_l) + RHO * np.eye(len(y))
    try:
        factor = cho_factor(R, lower=True)
    except np.linalg.LinAlgError:
        return None
    one = np.ones(len(y))
    u = cho_solve(factor, one)
    m = float(u @ y / u.sum())
    S = max(float((y - m) @ cho_solve(factor, y - m)), 1e-12)
    nu = max(len(y) - 1.0, FREEDOM)
    nll = np.log(np.diag(factor[0])).sum() + 0.5 * np.log(u.sum()) + 0.5 * nu * np.log(S)
    return factor, m, S / nu, float(nll)


def scores(data: Data, y: np.ndarray, unseen: Data, truth: np.ndarray, kernel: Kernel) -> tuple[float, float]:
    """Mean log density of the truth [200], and the root of the mean squared error."""
    log_l = fitted(data, y, kernel)
    factor, m, variance, _ = posterior(data, y, kernel, log_l)
    C = unseen.correlation(data, kernel, log_l)
    mean = m + C @ cho_solve(factor, y - m)
    var = variance * np.maximum(1.0 - np.einsum("ij,ji->i", C, cho_solve(factor, C.T)), 1e-10)
    density = student.logpdf((truth - mean) / np.sqrt(var), len(y) - 1.0) - 0.5 * np.log(var)
    return float(density.mean()), float(np.sqrt(((truth - mean) ** 2).mean()))


def main(seeds: int) -> None:
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for seed in range(seeds):
        rng = np.random.default_rng([seed, 1])
        for name, function in functions(seed).items():
            unseen = Data(rng.random((UNSEEN, REALS)), rng.integers(0, OPTIONS, UNSEEN))
            truth = function(unseen.x, unseen.a)
            middle, spread = truth.mean(), truth.std()
            for n in SIZES:
                data = Data(rng.random((n, REALS)), rng.permutation(np.arange(n) % OPTIONS))
                y = (function(data.x, data.a) - middle) / spread
                for label, kernel in KERNELS.items():
                    made = scores(data, y, unseen, (truth - middle) / spread, kernel)
                    found.setdefault(label, {}).setdefault(name, []).append(made)
    names = list(next(iter(found.values())))
    print("| kernel | " + " | ".join(names) + " | all |\n|" + "---|" * (len(names) + 2))
    for label, by_name in found.items():
        cells = [np.mean(by_name[name], axis=0) for name in names]
        cells.append(np.mean(cells, axis=0))
        print(
            f"| {label} | " + " | ".join(f"{density:.2f}, {error:.3f}" for density, error in cells) + " |", flush=True
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
