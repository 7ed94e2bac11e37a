"""What is counted of runs beside how well they end."""

import json
from dataclasses import replace

import numpy as np
import pytest
from synthetic_traces import TRAP, Made, make

from taut_paper import conduct
from taut_paper.conduct import Conduct, Said
from taut_paper.experiments import Repetition
from taut_paper.repetition import initial_points, repeat
from taut_paper.traces import trace_of
from taut_paper.versions import versions


def test_promises_are_counted_by_class() -> None:
    """By hand: promises 0.2 (kept), 0.9 (broken), 0.95 (kept, not above the edge), 0.999 and 1 (kept, broken)."""
    probability, feasible = np.array([0.2, 0.9, 0.95, 0.999, 1.0]), np.array([True, False, True, True, False])
    nothing = np.zeros(5)
    said = Said.of(probability, feasible, nothing, nothing, nothing)
    assert said.promised == ((1, 0.2, 1), (0, 0.0, 0), (2, 1.85, 1), (0, 0.0, 0), (2, 1.999, 1))
    doubt, sure = conduct.cells([Conduct(said=said)])[4:6]
    assert (doubt, sure) == ("0.683 / 0.667 (3)", "1.000 / 0.500 (2)")


def test_errors_count_where_the_answer_is_feasible_and_rounding_is_none() -> None:
    feasible = np.array([True, True, True, True, False, True])
    error, sd = np.array([0.1, 0.25, -0.35, 1e-10, 9.0, np.nan]), np.array([0.1, 0.1, 0.1, 0.0, 0.1, 0.1])
    assert Said.of(np.ones(6), feasible, error, sd, np.ones(6)).errors == (4, 2, 1)


def test_near_repeats_are_of_the_same_function() -> None:
    x = [np.array([0.5, 0.5]), np.array([0.5, 0.5 + 0.9e-6]), np.array([0.5, 0.5 + 1e-5])]
    assert conduct.near_repeats({"f": x, "c": x[1:]}) == 1
    assert conduct.near_repeats({"f": [x[0]] * 3, "c": []}) == 2


def test_what_is_kept_of_a_run_is_read_again() -> None:
    said = Said(((1, 0.2, 1),) * 5, (4, 2, 1))
    for run in (Conduct(), Conduct(True, False, True, said, 3, 40, 1.5, 20)):
        assert Conduct.read(json.loads(json.dumps(run.kept()))) == run


def test_one_line_for_many_runs() -> None:
    said = Said(((0, 0.0, 0),) * 3 + ((0, 0.0, 0), (10, 9.99, 9)), (10, 1, 0))
    runs = [
        Conduct(True, True, True, said, 1, 50, 0.2, 10),
        Conduct(False, False, True, said, 0, 50, 0.4, 10),
        Conduct(),
    ]
    assert conduct.cells(runs) == [
        *("3", "1 of 2", "1 of 2", "1 of 2", "-", "0.999 / 0.900 (20)", "10.0 %", "1.0 %", "30"),
    ]
    assert conduct.cells([Conduct()]) == ["1", *["-"] * 8] and len(conduct.HEAD) == 9


def test_of_a_trace() -> None:
    trace = make("test_function_2", "dckg", 0, Made(sets=("f",), trapped=1, budget=10.0, near=0.0))
    found = conduct.of_trace(trace)
    assert found.stuck and found.infeasible is False and found.sure is None and found.said is None
    assert (found.repeats, found.evaluations, found.decisions) == (0, 10, 10)
    told = np.tile([0.999, float(trace.bench.functions["f"](dict(zip(trace.bench.solution, TRAP, strict=True)))), 1e-3],
                   (11, 1))  # fmt: skip
    again = np.vstack([trace.point[0], *[trace.point[1]] * 10])
    found = conduct.of_trace(replace(trace, said=told, point=again))
    assert found.sure and found.said is not None and found.said.promised[4] == (11, pytest.approx(10.989), 11)
    assert found.said.errors == (11, 0, 0) and found.repeats == 9
    at_first = np.vstack([trace.point[0], *[initial_points(trace.repetition)[2]] * 10])
    assert conduct.of_trace(replace(trace, point=at_first)).repeats == 10


def test_a_real_run_says_what_it_believes() -> None:
    run = Repetition("mystery", "mystery", (), "cei", "default", 1, 6.0, 6)
    steps = repeat(run)
    columns = {name: [getattr(step, name) for step in steps] for name in steps[0].__dataclass_fields__}
    trace = trace_of(run, columns, versions())
    assert trace.said is not None and trace.said.shape == (len(steps), 3)
    assert (trace.said[:, 0] <= 1.0).all() and (trace.said[:, 2] >= 0.0).all()
    found = conduct.of_trace(trace)
    assert found.said is not None and sum(each[0] for each in found.said.promised) == len(steps)
    assert len(versions()["source"]) == 10
