"""The incumbent of expected improvement: the best value that is known to be feasible, or believed to be."""

from __future__ import annotations

import numpy as np

from taut.acquisition.settings import IMPROVEMENT, ImprovementSettings
from taut.acquisition.utility import RawSamples
from taut.data.dataset import Dataset


def incumbent(samples: RawSamples, dataset: Dataset, settings: ImprovementSettings = IMPROVEMENT) -> float | None:
    """tau: best feasible value observed if all functions were measured noise-free at the same points; else modelled."""
    X, y = dataset.X, dataset.y
    deterministic = all(view.noise is None and view.known is None for view in dataset.functions)
    if deterministic and all(x.shape == X[0].shape and np.array_equal(x, X[0]) for x in X[1:]):
        ok = np.ones(len(y[0]), dtype=bool)
        for values, view in zip(y[1:], dataset.functions[1:], strict=True):
            ok &= (values <= view.upper) & (values >= view.lower)
        return float(y[0][ok].max()) if ok.any() else None
    probable = samples.observed & (samples.log_feasibility >= np.log(settings.probable))
    return float(samples.mean[probable].max()) if probable.any() else None
