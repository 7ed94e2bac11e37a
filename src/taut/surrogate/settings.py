"""What the models assume and how much effort a fit may take: every number here may change a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from taut.base.knob import NEVER_TUNED, SPEED, STUCK_RUNS, TRUST, knob

Prior = Literal["robust", "gamma"]

_SCALES = "whole runs on Goldstein-Price, Rosenbrock, Beale and six-hump camel with one constraint, 3 seeds"
_RATIOS = "products, stresses and ratios: likelihood of being feasible at places that were not seen"
LOOKS = "guard benchmark, cases and seeds for choosing"
_TRENDS = "density of unseen values of 40 functions of test problems, from 6 to 84 values, spread and crowded"
_REGIONS = "random regions that fail, and failures at random: likelihood of what was not seen"


@dataclass(frozen=True)
class SuccessSettings:
    """Where a function can be computed (success.py). Lengths are of the unit cube, g in units of its randomness."""

    length_median: float = knob(0.5, "median length-scale of g in two dimensions", _REGIONS)
    length_sd: float = knob(0.5, "standard deviation of the log of a length-scale", _REGIONS)
    sd_median: float = knob(8.0, "median of the signal's standard deviation", _REGIONS)
    sd_sd: float = knob(1.5, "standard deviation of its log", _REGIONS)
    sd_box: tuple[float, float] = knob((0.2, 30.0), "bounds of it", NEVER_TUNED)
    mean: float = knob(1.0, "expected mean of g", _REGIONS)
    mean_sd: float = knob(1.0, "standard deviation of the mean of g", _REGIONS)
    reach: float = knob(0.15, "length-scales over which a success takes away the doubt next to it", _REGIONS)
    sharp: float = knob(4.0, "standard deviation of the signal at which it takes away half of it", _REGIONS)
    spot: float = knob(
        1e-3, "of the cube: a place that failed, and so much around it, would fail again even if by chance", NEVER_TUNED
    )
    sure: float = knob(
        0.98,
        "probability of a success from which on it counts as certain where designs are compared",
        "whole runs with failures in a third of the box",
    )
    caution: float = knob(
        2.0,
        "power of the probability of a success in the value of an evaluation: searches find where it is too high",
        "whole runs with failures in a third of the box",
    )
    widest: float = knob(2.5, "standard deviations of the prior to which the search is bound", NEVER_TUNED)
    evaluations: int = knob(30, "evidences computed in a search", SPEED)
    value_tolerance: float = knob(1e-4, "relative change of the evidence that ends it,", SPEED)
    slope_tolerance: float = knob(1e-2, "or its slope", SPEED)
    every_until: int = knob(8, "successes, or failures, up to which every new one leads to a fit", SPEED)
    growth: float = knob(1.25, "growth of their number after which there is a fit again", SPEED)
    most: int = knob(128, "successes and failures that the model is built on at most", SPEED)
    # Expectation propagation.
    sweeps: int = knob(60, "sweeps at most", NEVER_TUNED)
    damping: float = knob(0.8, "share of a change that is made", NEVER_TUNED)
    converged: float = knob(1e-5, "largest change of a site that ends it", NEVER_TUNED)


@dataclass(frozen=True)
class ModelSettings:
    """Of one Gaussian process per function. Lengths are of the unit cube; variances and noise are standardised."""

    prior: Prior = knob(
        "robust",
        "treatment of the hyperparameters: robust (mean and signal variance integrated out), or gamma (plugged in)",
        STUCK_RUNS + "; gamma is what the paper's code most likely ran",
    )
    rho: float = knob(
        1e-12,
        "noise of a deterministic function, relative to its signal variance (robust) or to its data's (gamma)",
        source="study of runs that got stuck: the final error falls with its root down to 1e-10; 1e-12 extrapolates",
    )
    exact_rho: float = knob(
        1e-14,
        "the same of one that is most likely not rough, once it is fitted (robust prior with roughness only)",
        source="the final error falls with its root: Mystery, Branin and Test Function 2, 3 seeds, down to 1e-14",
    )
    warp: bool = knob(True, "functions may be modelled on a logarithmic scale if their data favour it", NEVER_TUNED)
    # Priors.
    length_median: float = knob(0.35, "median length-scale of the robust prior in two dimensions", STUCK_RUNS)
    length_sd: float = knob(0.5, "standard deviation of the log of a length-scale in the robust prior", STUCK_RUNS)
    length_gamma: tuple[float, float] = knob(
        (3.0, 6.0), "shape and rate of a length-scale's Gamma prior", source="former default of BoTorch"
    )
    amplitude_gamma: tuple[float, float] = knob(
        (2.0, 0.15), "shape and rate of the signal variance's Gamma prior", source="former default of BoTorch"
    )
    noise_median: float = knob(1e-2, "median of a learned noise, and where its search starts", NEVER_TUNED)
    noise_log_sd: float = knob(2.0, "standard deviation of the log of a learned noise: weak", NEVER_TUNED)
    minimum_freedom: float = knob(
        3.0, "least degrees of freedom: with fewer values, pseudo-observations of variance 1", NEVER_TUNED
    )
    constant_amplitude: float = knob(
        1e-3, "signal variance left to a function that has only returned one value", NEVER_TUNED
    )
    # Boxes of the search.
    length_box: tuple[float, float] = knob((0.01, 20.0), "bounds of a length-scale", source="published method")
    amplitude_box: tuple[float, float] = knob((1e-3, 1e3), "bounds of the signal variance", source="published method")
    noise_box: tuple[float, float] = knob((1e-4, 10.0), "bounds of a learned noise", NEVER_TUNED)
    # Trend: a linear or quadratic part (trend.py); variances are in units of the signal variance.
    trend: bool = knob(True, "a function may have a trend (robust prior, noise not given)", NEVER_TUNED)
    trend_box: tuple[float, float] = knob(
        (1e-2, 1e8), "bounds of its variances: no function is taken for a polynomial beyond 1e-4 of it", NEVER_TUNED
    )
    trend_starts: tuple[float, ...] = knob((1.0, 1e4), "variances from which a search with a trend starts", _TRENDS)
    trend_values: int = knob(3, "values beyond the coefficients of a polynomial from which there may be one", _TRENDS)
    trend_rest: tuple[float, float] = knob(
        (0.9, 0.05), "spread left by a linear and by a quadratic polynomial, of that of the values, at most", _TRENDS
    )
    exact_rest: float = knob(
        1e-10, "spread left by a polynomial, of that of the values, at which it is exact (exact.py)", NEVER_TUNED
    )
    exact_digits: float = knob(
        1e-10, "spread of values, in their size, below which they have no digits for that", NEVER_TUNED
    )
    exact_doubt: float = knob(1e-6, "standard deviation of the doubt that it is one elsewhere too", NEVER_TUNED)
    exact_condition: float = knob(
        1e-6, "least ratio of singular values at which its coefficients are known", NEVER_TUNED
    )
    trend_margin: float = knob(4.0, "nats of evidence by which a trend must be better,", _TRENDS)
    trend_margin_each: float = knob(
        4.0, "and a quadratic one by so much more for each value beyond its coefficients", _TRENDS
    )
    # Noise.
    least_noise: float = knob(1e-10, "least variance of a noise that is given", NEVER_TUNED)
    # Roughness of a deterministic function (roughness.py).
    rough: bool = knob(
        True, "a deterministic function may have a rough part, whose size is estimated (robust prior only)", TRUST
    )
    rough_prior: float = knob(0.1, "weight w of the prior density rho^-w of the log of the most likely ratio", TRUST)
    rough_open: float = knob(0.0, "the same of the expected one, which is what data leave open", TRUST)
    rough_box: float = knob(
        0.01,
        "largest ratio of a rough part to the signal variance that is estimated",
        "aerofoil of five parameters: with few values everything may be taken for roughness; a tenth of the signal",
    )
    rough_start: float = knob(1e-6, "ratio from which a full search starts", NEVER_TUNED)
    rough_grid: tuple[float, ...] = knob(
        tuple(10.0**-i for i in range(13, 1, -1)), "ratios over which the expected one is taken", TRUST
    )
    rough_rivals: tuple[float, ...] = knob(
        (1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2), "ratios at which a search looks for a better explanation", TRUST
    )
    rough_worth: float = knob(0.5, "nats that such a start may be behind to be searched from", TRUST)
    rough_other: float = knob(0.5, "difference in the log of the ratio that makes it another explanation", TRUST)
    rough_values: int = knob(4, "values from which the expected ratio says anything", TRUST)
    rough_from: float = knob(1e-11, "ratio up to which a function counts as smooth: what is left is rounding", TRUST)
    # Doubt about the model far from data (doubt.py).
    doubt_spread: float = knob(0.9, "correlation below which values are far from each other", TRUST)
    doubt_values: int = knob(6, "such values from which they say anything", TRUST)
    doubt_few: float = knob(
        15.0, "values per parameter of which as many again would halve the doubt that few of them leave", TRUST
    )
    doubt_most: float = knob(100.0, "largest factor on the variance", NEVER_TUNED)
    # The sceptical process (sceptic.py).
    sceptic_spread: float = knob(0.95, "correlation below which values are spread for the sceptical process", LOOKS)
    sceptic_values: int = knob(4, "such values from which there is one", NEVER_TUNED)
    sceptic_most: int = knob(128, "values that it is built on at most, those farthest from each other", SPEED)
    sceptic_shrink: float = knob(0.6, "factor on its length-scales: one standard deviation of the prior", LOOKS)
    # Error bars that grow with recorded errors (calibration.py).
    widen: bool = knob(True, "error bars grow where predictions have been wrong", TRUST)
    widen_prior: float = knob(8.0, "errors of the right size that are believed in beforehand", TRUST)
    widen_forget: float = knob(0.95, "weight of an error beside the one after it", TRUST)
    widen_most: float = knob(6.0, "standard deviations at which an error counts in full", TRUST)
    # Change of scale of a constraint.
    warp_heavy: float = knob(8.0, "largest value over the median from which a scale is considered", NEVER_TUNED)
    warp_values: int = knob(4, "values that are not 0 from which a scale is considered", NEVER_TUNED)
    warp_margin: float = knob(2.0, "nats of evidence by which a change of scale must be better", NEVER_TUNED)
    warp_until: int = knob(12, "values up to which a change of scale is decided, at least", NEVER_TUNED)
    warp_until_each: int = knob(5, "and so many per parameter", NEVER_TUNED)
    ratio_sizes: tuple[float, ...] = knob(
        (1.0, 0.1, 0.01),
        "shares of its limit from which on a constraint of one sign may be modelled on a logarithmic scale (ratio.py)",
        _RATIOS,
    )
    extreme_values: int = knob(
        16,
        "values from which logarithms of the distance to an end of them are considered: fewer crowd by chance",
        _RATIOS,
    )
    extreme_margin: float = knob(
        3.0,
        "nats by which a logarithm of the distance to an end of the values must predict those near the limit better,",
        _RATIOS,
    )
    extreme_margin_each: float = knob(0.1, "and so much more for each of them", _RATIOS)
    ratio_growth: float = knob(1.25, "growth of the data after which these scales are decided again", SPEED)
    # Change of scale of the objective (scale.py).
    bend_heavy: float = knob(
        4.0, "largest gap to the best value over the median from which a scale is considered", NEVER_TUNED
    )
    bend_values: int = knob(6, "values from which it is considered", NEVER_TUNED)
    bend_margin: float = knob(3.0, "nats by which its predictions of the better half must be better,", _SCALES)
    bend_margin_each: float = knob(1.25, "and so much more for each of those values", _SCALES)
    bend_until: int = knob(12, "values up to which it is decided at every new one", SPEED)
    bend_growth: float = knob(1.1, "growth of the data after which it is decided again", SPEED)
    # Schedule.
    start_length: float = knob(0.5, "length-scale from which a search with the gamma prior starts", "published method")
    start_shifts: tuple[float, ...] = knob(
        (0.0, -1.0, 0.7), "starts of a full search, added to the logs of the default one", NEVER_TUNED
    )
    full_until: int = knob(12, "values up to which every fit searches from all starts", NEVER_TUNED)
    full_growth: float = knob(1.5, "growth of the data after which a fit searches from all starts again", NEVER_TUNED)
    every_value_until: int = knob(64, "values up to which every new one leads to a fit", SPEED)
    refit_share: int = knob(32, "after that, a fit when the data have grown by one part in so many", SPEED)
    refit_evaluations: int = knob(20, "likelihoods computed from earlier parameters", SPEED)
    touch_up_evaluations: int = knob(5, "the same beyond every_value_until: they hardly move any more", SPEED)
    sample_from: int = knob(400, "values from which a full search is made on a sample of them", SPEED)
    sample_size: int = knob(256, "values of the sample", SPEED)
    sample_polish: int = knob(10, "likelihoods of all values computed after that", SPEED)
    # One local search: nearly noise-free data make the last digits of a likelihood rough.
    iterations: int = knob(60, "steps of a local search at most", NEVER_TUNED)
    evaluations: int = knob(1000, "likelihoods of a local search at most", NEVER_TUNED)
    line_search: int = knob(8, "likelihoods of a line search at most", NEVER_TUNED)
    value_tolerance: float = knob(1e-6, "relative change of the likelihood that ends a local search", NEVER_TUNED)
    slope_tolerance: float = knob(1e-3, "slope of the likelihood that ends a local search", NEVER_TUNED)
    # Data.
    most_values: int = knob(
        1000,
        "different points of a function up to which its model is built on all values, and beyond which on so many",
        "speed of decisions, and their value for the model of all values",
    )
    spread_share: float = knob(0.3, "of them spread over the cube,", "value of decisions, with 250 values")
    companion_share: float = knob(0.25, "of those the nearest other value of one of them,", NEVER_TUNED)
    recent_share: float = knob(0.06, "the last ones, and up to as many more,", NEVER_TUNED)
    same_point: float = knob(
        1e-9, "max-norm up to which two values of a deterministic function are one observation", NEVER_TUNED
    )
