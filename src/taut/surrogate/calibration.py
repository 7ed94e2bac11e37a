"""Error bars that grow where predictions have been wrong: what was said before each value came, against the value.

    w^2 = max(1, (c + sum_i q^i min(z_i w_i, most)^2) / (c + sum_i q^i)),   i = 0 for the latest value

z_i: standardised error of a prediction made before its value came (data/honesty.py), whose error bars had been widened
by w_i. The prior variance of the function is multiplied by w^2: means stay, error bars and doubts about feasibility
grow until errors are as large as they say. One surprise is forgiven soon, a model that does not fit stays in doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from taut.data.results import Error
from taut.surrogate.gp import GP
from taut.surrogate.settings import ModelSettings


def widening(errors: Sequence[Error], settings: ModelSettings) -> float:
    """w of one function, from its errors in the order in which the values came."""
    if not errors or not settings.widen:
        return 1.0
    z = np.array([error.z * error.widened for error in reversed(errors)])
    square = np.minimum(np.abs(z), settings.widen_most) ** 2
    weight = settings.widen_forget ** np.arange(len(z))
    prior = settings.widen_prior
    return float(np.sqrt(max(1.0, (prior + weight @ square) / (prior + weight.sum()))))


def widened(gp: GP, w: float) -> GP:
    """The same process with error bars w times as wide, those of its noise and roughness included; its mean stays."""
    return gp if w == 1.0 else replace(gp, hyper=replace(gp.hyper, a=gp.hyper.a * w**2))
