"""Traces from steps, and results by experiment and arm."""

import numpy as np
from synthetic_traces import Made, make, results_of

from taut_paper.experiments import EXPERIMENTS, SCALES, Arm, plan
from taut_paper.traces import Results, trace_of

STEPS = {
    "spent": [0.0, 1.0, 4.0],
    "functions": [[], ["c1"], ["f", "c2", "c3"]],
    "decided": [[], ["f", "c1"], ["f", "c2", "c3"]],
    "point": [[], [0.1, 0.2], [0.3, 0.4]],
    "recommended": [[0.5, 0.6], [0.7, 0.8], [0.9, 1.0]],
    "oc": [4, 1, 0],
    "ask_seconds": [0.0, 0.5, 0.5],
    "recommend_seconds": [0.1, 0.1, 0.1],
}


def test_steps_become_arrays() -> None:
    (run,) = plan(["test_function_2-c2=5"], SCALES["quick"], seeds=[0], methods=["dckg"], presets=["default"])
    trace = trace_of(run, STEPS, {"taut": "0"})
    assert trace.names == ("f", "c1", "c2", "c3") and trace.bench.problem.cost(("c2",)) == 5.0
    assert trace.evaluated.astype(int).tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 1]]
    assert trace.decided.astype(int).tolist() == [[0, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 1]]
    assert np.isnan(trace.point[0]).all() and trace.point[1:].tolist() == STEPS["point"][1:]
    assert trace.recommended.tolist() == STEPS["recommended"] and trace.oc.dtype == float


def test_results_are_found_by_experiment_and_arm() -> None:
    made = Made(budget=8.0, seeds=2)
    cells = [(("welded_beam", "cei"), made), (("mystery", "dckg"), made)]
    results = results_of([*cells, (("mystery", "dckg"), Made(budget=8.0, seeds=1, preset="paper"))])
    assert len(results) == 5 and results.experiments == ("mystery", "welded_beam")
    assert results.arms("mystery") == (Arm("dckg"), Arm("dckg", "paper"))
    assert list(results.traces("mystery", "dckg")) == [0, 1] and results.traces("mystery", "cei") == {}


def test_order_is_that_of_the_keys_whatever_comes_first() -> None:
    traces = [make(name, "dckg", seed, Made(budget=8.0)) for name in EXPERIMENTS for seed in (2, 0)]
    keys = [trace.repetition.key for trace in Results(traces)]
    assert keys == sorted(keys) == [trace.repetition.key for trace in Results(reversed(traces))]
