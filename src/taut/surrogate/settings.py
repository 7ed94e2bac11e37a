"""What the models assume and how much effort a fit may take: every number here may change a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from taut.base.knob import knob

Prior = Literal["robust", "gamma"]

_STUCK = "study of runs that got stuck: Mystery, Branin and Test Function 2, up to 20 seeds"
_SPEED = "speed benchmark, with its bars of decision quality met"
_NEVER = "judgement, never tuned"


@dataclass(frozen=True)
class ModelSettings:
    """Of one Gaussian process per function. Lengths are of the unit cube; variances and noise are standardised."""

    prior: Prior = knob(
        "robust",
        "treatment of the hyperparameters: robust (mean and signal variance integrated out), or gamma (plugged in)",
        source=_STUCK + "; gamma is what the paper's code most likely ran",
    )
    rho: float = knob(
        1e-12,
        "noise of a deterministic function, relative to its signal variance (robust) or to its data's (gamma)",
        source="the same study: the final error falls with its root down to 1e-10; 1e-12 is an extrapolation",
    )
    warp: bool = knob(True, "a constraint may be modelled on a logarithmic scale if its data favour it", source=_NEVER)
    # Priors.
    length_median: float = knob(0.35, "median length-scale of the robust prior in two dimensions", source=_STUCK)
    length_sd: float = knob(0.5, "standard deviation of the log of a length-scale in the robust prior", source=_STUCK)
    length_gamma: tuple[float, float] = knob(
        (3.0, 6.0), "shape and rate of a length-scale's Gamma prior", source="former default of BoTorch"
    )
    amplitude_gamma: tuple[float, float] = knob(
        (2.0, 0.15), "shape and rate of the signal variance's Gamma prior", source="former default of BoTorch"
    )
    noise_median: float = knob(1e-2, "median of a learned noise, and where its search starts", source=_NEVER)
    noise_log_sd: float = knob(2.0, "standard deviation of the log of a learned noise: weak", source=_NEVER)
    minimum_freedom: float = knob(
        3.0, "least degrees of freedom: with fewer values, pseudo-observations of variance 1", source=_NEVER
    )
    constant_amplitude: float = knob(
        1e-3, "signal variance left to a function that has only returned one value", source=_NEVER
    )
    # Boxes of the search.
    length_box: tuple[float, float] = knob((0.01, 20.0), "bounds of a length-scale", source="published method")
    amplitude_box: tuple[float, float] = knob((1e-3, 1e3), "bounds of the signal variance", source="published method")
    noise_box: tuple[float, float] = knob((1e-4, 10.0), "bounds of a learned noise", source=_NEVER)
    # Noise.
    least_noise: float = knob(1e-10, "least variance of a noise that is given", source=_NEVER)
    noise_ratios: tuple[float, ...] = knob(
        (1e-10, 1e-8, 1e-6, 1e-4), "larger ratios a deterministic function with solver noise may get", source=_NEVER
    )
    noise_margin: float = knob(5.0, "nats of likelihood by which a larger ratio must be better", source=_NEVER)
    # Change of scale of a constraint.
    warp_heavy: float = knob(8.0, "largest value over the median from which a scale is considered", source=_NEVER)
    warp_values: int = knob(4, "values that are not 0 from which a scale is considered", source=_NEVER)
    warp_margin: float = knob(2.0, "nats of evidence by which a change of scale must be better", source=_NEVER)
    warp_until: int = knob(12, "values up to which a change of scale is decided, at least", source=_NEVER)
    warp_until_each: int = knob(5, "and so many per parameter", source=_NEVER)
    # Schedule.
    start_length: float = knob(0.5, "length-scale from which a search with the gamma prior starts", "published method")
    start_shifts: tuple[float, ...] = knob(
        (0.0, -1.0, 0.7), "starts of a full search, added to the logs of the default one", source=_NEVER
    )
    full_until: int = knob(12, "values up to which every fit searches from all starts", source=_NEVER)
    full_growth: float = knob(1.5, "growth of the data after which a fit searches from all starts again", source=_NEVER)
    every_value_until: int = knob(64, "values up to which every new one leads to a fit", source=_SPEED)
    refit_share: int = knob(32, "after that, a fit when the data have grown by one part in so many", source=_SPEED)
    refit_evaluations: int = knob(20, "likelihoods computed from earlier parameters", source=_SPEED)
    touch_up_evaluations: int = knob(5, "the same beyond every_value_until: they hardly move any more", source=_SPEED)
    sample_from: int = knob(400, "values from which a full search is made on a sample of them", source=_SPEED)
    sample_size: int = knob(256, "values of the sample", source=_SPEED)
    sample_polish: int = knob(10, "likelihoods of all values computed after that", source=_SPEED)
    # One local search: nearly noise-free data make the last digits of a likelihood rough.
    iterations: int = knob(60, "steps of a local search at most", source=_NEVER)
    evaluations: int = knob(1000, "likelihoods of a local search at most", source=_NEVER)
    line_search: int = knob(8, "likelihoods of a line search at most", source=_NEVER)
    value_tolerance: float = knob(1e-6, "relative change of the likelihood that ends a local search", source=_NEVER)
    slope_tolerance: float = knob(1e-3, "slope of the likelihood that ends a local search", source=_NEVER)
    # Data.
    same_point: float = knob(
        1e-9, "max-norm up to which two values of a deterministic function are one observation", source=_NEVER
    )
