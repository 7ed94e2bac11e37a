"""Constrained expected improvement in log space.

    log cEI(x) = log sigma_0 + log_h((mu_0 - tau)/sigma_0) + sum_k log PF_k

tau is the incumbent. Data is decoupled, so there may be no point where everything was measured; then tau is the best
posterior mean among evaluated points that are probably feasible. Without any such point only sum_k log PF_k is
maximised, with 1e-6 of the standardised mean to break flat ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.acquisition.settings import IMPROVEMENT, ImprovementSettings
from taut.acquisition.utility import RawSamples, Utility
from taut.base.arrays import Array
from taut.base.normal import log_gain, log_h, log_h_with_gradient
from taut.surrogate.known import KnownProcess


@dataclass(frozen=True)
class Improvement:
    """utility: the belief; tau: the incumbent, or None if nothing is known to be feasible."""

    utility: Utility
    tau: float | None
    settings: ImprovementSettings = IMPROVEMENT

    def value_with_gradient(self, x: Array) -> tuple[Array, Array]:
        """log cEI [q] and its gradient [q, d]; log PF with a tie-break where there is no incumbent."""
        gp = self.utility.processes[0]
        value, gradient = self.utility.log_feasibility_with_gradient(x)
        here = gp.posterior_with_gradient(x)
        mean, var = here.mean[0], here.var
        if self.tau is None:
            per = self.settings.tie_break / gp.scale
            return value + per * (mean - gp.offset), gradient + here.gradient(np.full((1, len(x)), per), None)
        if isinstance(gp, KnownProcess):
            height, slope = log_gain(mean - self.tau, self.settings.known_gain * gp.scale)
            return value + height, gradient + here.gradient(slope[None, :], None)
        sd = np.sqrt(var)
        z = (mean - self.tau) / sd
        height, slope = log_h_with_gradient(z)
        gradient += here.gradient((slope / sd)[None, :], (1.0 - slope * z) / (2.0 * var))
        return value + np.log(sd) + height, gradient

    def log_value(self, samples: RawSamples) -> Array:
        """log cEI at the points of raw samples; [q]."""
        gp = self.utility.processes[0]
        if self.tau is None:
            return samples.log_feasibility + (self.settings.tie_break / gp.scale) * (samples.mean - gp.offset)
        if isinstance(gp, KnownProcess):
            return samples.log_feasibility + log_gain(samples.mean - self.tau, self.settings.known_gain * gp.scale)[0]
        return samples.log_feasibility + np.log(samples.sd) + log_h((samples.mean - self.tau) / samples.sd)
