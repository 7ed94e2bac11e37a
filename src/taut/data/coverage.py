"""How the predictions of a study have fared, in a few numbers: how many values came within 1, 2 and 3 sd of them.

Of a normal prediction that is right 68, 95 and 99.7 % do; a Student-t with few degrees of freedom has wider tails.
"""

from collections.abc import Iterable, Mapping, Sequence

from taut.data.dataset import Dataset
from taut.data.results import Error, FunctionCheck, ModelReport

WIDTHS = (1.0, 2.0, 3.0)
"""In standard deviations."""


def share_within(errors: Sequence[Error], width: float) -> float:
    """Of at least one error."""
    return sum(abs(error.z) <= width for error in errors) / len(errors)


def latest(errors: Mapping[str, Iterable[Error]], most: int) -> list[Error]:
    """The errors of all functions, of the last suggestions; at most so many."""
    return sorted((error for found in errors.values() for error in found), key=lambda error: error.number)[-most:]


def checked(name: str, errors: Sequence[Error], dataset: Dataset, report: ModelReport) -> FunctionCheck:
    """The record of one function; dataset: all that is known, in declared order."""
    k = next(k for k, view in enumerate(dataset.functions) if view.name == name)
    worst = max(errors, key=lambda error: abs(error.z), default=None)
    return FunctionCheck(
        function=name,
        values=len(dataset.y[k]),
        failures=len(dataset.failed[k]),
        predictions=len(errors),
        within=tuple(share_within(errors, width) for width in WIDTHS) if errors else None,
        worst=None if worst is None else abs(worst.z),
        worst_suggestion=None if worst is None else worst.number,
        calibration=report.calibration,
        roughness=report.roughness,
        reason=report.reason,
    )
