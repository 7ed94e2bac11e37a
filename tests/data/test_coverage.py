"""How predictions fared, in a few numbers."""

import numpy as np
import toy

from taut.data.coverage import checked, latest, share_within
from taut.data.dataset import Dataset
from taut.data.results import Error, FunctionCheck, ModelReport
from taut.data.rows import Observation

POINT = {"x1": 1.0, "x2": 1.0}


def errors(*scores: float) -> tuple[Error, ...]:
    return tuple(Error(number, (0.5, 0.5), z, np.inf) for number, z in enumerate(scores, 7))


def test_shares() -> None:
    found = errors(0.5, -1.0, 1.5, -2.5)
    assert [share_within(found, width) for width in (1.0, 2.0, 3.0)] == [0.5, 0.75, 1.0]


def test_the_last_ones_of_all_functions() -> None:
    both = {"f": errors(1.0, 2.0, 3.0), "c": errors(4.0)}
    assert [error.z for error in latest(both, 2)] == [2.0, 3.0]
    assert len(latest(both, 99)) == 4 and latest({}, 5) == []


def test_the_record_of_a_function() -> None:
    rows = [Observation("c", POINT, 1.0), Observation("c", POINT, None), Observation("f", POINT, 2.0)]
    data = Dataset.from_rows(toy.problem(), [], rows)
    report = ModelReport(1.5, 0.01, "printed so")
    found = checked("c", errors(0.5, -4.0), data, report)
    assert found == FunctionCheck("c", 1, 1, 2, (0.5, 0.5, 0.5), 4.0, 8, 1.5, 0.01, "printed so")
    nothing = checked("g", (), data, ModelReport())
    assert nothing == FunctionCheck("g", 0, 0, 0, None, None, None, 1.0, None, "")
