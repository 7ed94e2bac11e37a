"""What the models of a decision take for certain and what not, for people: roughness, calibration, and why."""

from __future__ import annotations

import numpy as np

from taut.data.digits import last_digits
from taut.data.results import ModelReport
from taut.policy.context import Context
from taut.surrogate.ratio import limits


def reports(context: Context) -> dict[str, ModelReport]:
    """By function."""
    problem = context.request.problem
    found = {name: _report(context, context.names.index(name)) for name in problem.simulated}
    return found | {name: ModelReport(1.0, 0.0, "known") for name in problem.functions if name not in found}


def _report(context: Context, k: int) -> ModelReport:
    view, y = context.dataset.functions[k], context.dataset.y[k]
    if not len(y):
        return ModelReport(reason="no value yet")
    gp = context.surrogate.honest(k)
    share = gp.hyper.rough if view.noise is None else gp.hyper.rho
    # On a changed scale: where it matters, at the limit or the best value.
    at = np.array([context.surrogate.bend.pivot if view.objective else limits(view)[-1]])
    size = float(np.sqrt(gp.amplitude * share) / context.surrogate.slope(k, at)[0]) / view.unit
    notes = [
        note.removeprefix(f"{view.name}: ") for note in context.surrogate.notes if note.startswith(f"{view.name}: ")
    ]
    return ModelReport(context.surrogate.widths[k], size, "; ".join([_reason(context, k), *notes]))


def _reason(context: Context, k: int) -> str:
    view, settings = context.dataset.functions[k], context.settings.model
    if view.noise is not None:
        return "noise, learned" if view.noise == "learned" else "noise, as given"
    values = view.printed(context.dataset.y[k])
    steps = last_digits(values) if settings.rough else np.zeros(len(values))
    if steps.any():
        return f"printed in steps of {np.median(steps):.2g}"
    if context.surrogate.processes[k].hyper.rough <= settings.rho:
        doubted = context.surrogate.honest(k).hyper.rough > settings.rough_from
        return "taken as exact; so much its values leave open" if doubted else "taken as exact"
    return "as rough as its values leave possible"
