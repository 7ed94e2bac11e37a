"""The generator by hand. Needs gest-api: make hosts."""

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gest_api")

from gest_api import Generator  # noqa: E402
from gest_api.vocs import VOCS  # noqa: E402

import taut  # noqa: E402
from taut.hosts.gest import TautGenerator  # noqa: E402
from taut.hosts.requests import REQUEST, SECONDS, GestError  # noqa: E402

FUNCTIONS = {"f": lambda p: (p["x"] - p["k"]) ** 2 + p["y"], "c": lambda p: 1.0 - p["x"] * p["y"]}


def generator(**given: Any) -> TautGenerator:
    vocs = VOCS(
        variables={"x": [-2.0, 2.0], "y": [0.0, 3.0]},
        objectives={"f": "MINIMIZE"},
        constraints={"c": ["LESS_THAN", 0.0]},
        constants={"k": 1.0},
    )
    return TautGenerator(vocs, **{"costs": {"c": 4.0}, "seed": 3, "initial": 4} | given)


def simulated(made: TautGenerator, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    run = made.simulator(FUNCTIONS)
    return [row | run(row) for row in rows]


def test_a_generator_suggests_one_program_a_row() -> None:
    made = generator()
    rows = made.suggest(3)
    assert isinstance(made, Generator) and made.returns_id and len(rows) == 3
    assert set(rows[0]) == {"x", "y", "k", REQUEST, "_id"} and [row[REQUEST] for row in rows] == [0, 1, 0]
    assert (rows[0]["x"], rows[0]["y"]) == (rows[1]["x"], rows[1]["y"]) != (rows[2]["x"], rows[2]["y"])
    assert len(made.suggest()) == 1 and len(made.suggest(None)) == 2  # the rest of a suggestion, a whole one
    assert made.suggest(0) == []


def test_it_decides_as_a_study_does() -> None:
    """The same suggestions, in the same order."""
    made = generator()
    twin = taut.Study(made.study.problem, seed=3, initial=4)
    for _ in range(7):
        mine, theirs = made.suggest(None), twin.ask()
        assert [(row["x"], row["y"]) for row in mine] == [tuple(theirs.point.values())] * len(theirs.functions)
        made.ingest(simulated(made, mine))
        twin.tell(theirs, {name: FUNCTIONS[name](theirs.point | {"k": 1.0}) for name in theirs.functions})
    assert made.study.counts == twin.counts and made.study.spent == twin.spent


def test_several_under_way_and_out_of_order() -> None:
    made = generator()
    rows = made.suggest(8)
    made.ingest(simulated(made, rows[5:]))
    made.ingest(simulated(made, rows[:5]))
    assert made.study.counts == {"f": 4, "c": 4}
    assert all(row.seconds is not None for row in made.study.observations)
    assert made.recommend().point


def test_constants_of_any_kind_travel_with_each_row() -> None:
    constants = {"k": 1.0, "mesh": "fine", "table": [1.0, 2.0]}
    vocs = VOCS(variables={"x": [0.0, 1.0], "one": {7}}, objectives={"f": "MINIMIZE"}, constants=constants)
    made = TautGenerator(vocs, method="random")
    seen: list[Any] = []
    run = made.simulator({"f": lambda point: seen.append(point) or 1.0})
    rows = made.suggest(2)
    for row in rows:
        assert {name: row[name] for name in (*constants, "one")} == constants | {"one": 7}
        made.ingest([{name: np.asarray(value)[()] for name, value in row.items()} | run(row)])
    assert made.study.counts == {"f": 2} and all(point["table"] == [1.0, 2.0] for point in seen)


def test_observables_never_read_as_zero() -> None:
    """Hosts hand out zeros for what a simulator leaves out; the dict of a group may have one."""
    vocs = VOCS(
        variables={"x": [0.0, 1.0]},
        objectives={"f": "MINIMIZE"},
        constraints={"c": ["LESS_THAN", 0.0], "d": ["LESS_THAN", 0.0]},
        observables=["c", "mach", "note"],
    )
    made = TautGenerator(vocs, method="random", groups=[taut.Group("cfd", ("c", "d"), 3.0)])
    run = made.simulator({"f": lambda point: 1.0, "cfd": lambda point: {"c": -1.0, "d": -2.0, "mach": 0.8}})
    first, second = made.suggest(2)
    assert math.isnan(run(first)["mach"]) and math.isnan(run(first)["note"])
    found = run(second)
    assert (found["c"], found["mach"]) == (-1.0, 0.8) and math.isnan(found["note"])
    made.ingest([first | run(first), second | found])
    assert made.study.counts == {"f": 1, "c": 1, "d": 1}


def test_names_of_a_control_system() -> None:
    """The host and the functions know them as they are; the study has its own."""
    vocs = VOCS(
        variables={"SOLN:IN10:BACT": [0.0, 1.0], "SOLN_IN10_BACT": [0.0, 1.0], "1x": {1, 2}},
        objectives={"emit:x": "MINIMIZE"},
        constraints={"loss [%]": ["LESS_THAN", 0.5], "size": ["LESS_THAN", 2.0]},
        constants={"emit_x": 3.0},
    )
    groups = [taut.Group("screen", ("loss [%]", "size"), 2.0)]
    made = TautGenerator(vocs, costs={"emit:x": 5.0}, groups=groups, initial=3)
    assert made.study.problem.functions == ("emit_x_2", "loss____", "size")
    assert [each.name for each in made.study.problem.parameters] == ["SOLN_IN10_BACT_2", "SOLN_IN10_BACT", "_1x"]
    assert made.study.problem.objective.cost == 5.0
    seen: list[dict[str, Any]] = []

    def emittance(point: dict[str, Any]) -> float:
        seen.append(point)
        return point["SOLN:IN10:BACT"] + point["1x"]

    run = made.simulator({"emit:x": emittance, "screen": lambda point: {"loss [%]": 0.2, "size": 1.0}})
    for row in made.suggest(6):
        assert set(row) == {*vocs.variables, "emit_x", REQUEST, "_id"}
        found = run(row)
        assert set(found) == {"emit:x", "loss [%]", "size", SECONDS}
        made.ingest([row | found])
    assert made.study.counts == {"emit_x_2": 3, "loss____": 3, "size": 3} and all("1x" in point for point in seen)


def test_failures_are_nan() -> None:
    made = generator()
    (row,) = made.suggest(1)
    made.ingest([row | {"f": math.nan, "c": math.nan, SECONDS: 1.0}])
    assert made.study.observations[0].value is None


class TestRefused:
    def test_a_missing_output(self) -> None:
        made = generator()
        (row,) = made.suggest(1)
        with pytest.raises(ValueError, match="'f': expected a number or nan, got nothing"):
            made.ingest([row | {"c": math.nan, SECONDS: 1.0}])
        assert made.study.observations == ()

    def test_zeros_of_a_host(self) -> None:
        made = generator()
        row = made.suggest(2)[1]
        with pytest.raises(ValueError, match="fill in as 0"):
            made.ingest([row | {"f": 0.0, "c": 0.0, SECONDS: 0.0}])
        with pytest.raises(ValueError, match="'f': expected nan, because it was not asked for"):
            made.ingest([row | {"f": 0.0, "c": -1.0, SECONDS: 1.0}])
        assert made.study.observations == ()

    def test_unknown_ids_and_changed_points(self) -> None:
        made = generator()
        (row,) = simulated(made, made.suggest(1))
        wrong_ids = ({"_id": id} for id in (999, 2.5, math.inf, "abc", True))
        for changed in (*wrong_ids, {"x": row["x"] + 1e-3}, {REQUEST: 1}):
            with pytest.raises(GestError):
                made.ingest([row | changed])
        assert made.study.observations == ()
        made.ingest([row])
        made.ingest([row])  # once more, the same: harmless
        with pytest.raises(ValueError, match="f"):
            made.ingest([row | {"f": 123.0}])

    @pytest.mark.parametrize("value", [2.0, math.nan, "1", None])
    def test_other_constants_are_another_problem(self, value: Any) -> None:
        made = generator()
        (row,) = simulated(made, made.suggest(1))
        for changed in (row | {"k": value}, {"x": 0.5, "y": 1.0, "k": value, "f": 1.25, "c": math.nan}):
            with pytest.raises(ValueError, match="'k': expected 1.0, got"):
                made.ingest([changed])
        assert made.study.observations == ()
        del row["k"]  # as in Optimas, which keeps constants to itself
        made.ingest([row])
        assert made.study.counts["f"] == 1

    def test_more_than_the_budget_pays_for(self) -> None:
        made = generator(budget=4.0, method="random")
        made.ingest(simulated(made, made.suggest(8)))
        with pytest.raises(ValueError, match="expected 50 points"):
            made.suggest(50)

    @pytest.mark.parametrize("number", [-1, 2.5, math.nan, math.inf, "two", True])
    def test_a_number_of_points_that_is_none(self, number: Any) -> None:
        with pytest.raises(GestError, match="num_points: expected a whole number of 0 or more"):
            generator().suggest(number)

    @pytest.mark.parametrize("results", [[3], {"x": 1.0}])
    def test_results_that_are_no_list_of_rows(self, results: Any) -> None:
        with pytest.raises(GestError, match="ingest: expected a list of dicts"):
            generator().ingest(results)

    def test_texts_are_no_failures(self) -> None:
        made = generator()
        (row,) = made.suggest(1)
        with pytest.raises(GestError, match="'f': expected a number or nan, got '12.5'"):
            made.ingest([row | {"f": "12.5", "c": math.nan, SECONDS: 1.0}])
        assert made.study.observations == ()

    def test_costs_of_nothing_known(self) -> None:
        with pytest.raises(GestError, match="'z' is unknown"):
            generator(costs={"z": 1.0})


def test_rows_without_an_id_are_found_by_their_point() -> None:
    made = generator()
    rows = simulated(made, made.suggest(4))
    for row in rows:
        row["_id"] = None
    made.ingest(rows)
    assert made.study.counts == {"f": 2, "c": 2}


def test_points_in_a_small_unit_are_told_apart() -> None:
    """Seconds of a laser pulse: all of them are within 1e-12 of each other."""
    vocs = VOCS(variables={"t": [1e-15, 4e-14], "offset": [-1e-14, 1e-14]}, objectives={"f": "MINIMIZE"})
    made = TautGenerator(vocs, method="random", seed=1)
    rows = made.suggest(3)
    for row in reversed(rows):
        made.ingest([{name: row[name] for name in ("t", "offset", REQUEST)} | {"f": row["t"] * 1e15, SECONDS: 1.0}])
    assert [row.value for row in made.study.observations] == [row.point["t"] * 1e15 for row in made.study.observations]
    (row,) = made.suggest(1)
    with pytest.raises(GestError, match="hand every variable back"):
        made.ingest([row | {"t": row["t"] * 1.5, "f": 1.0, SECONDS: 1.0}])


def test_values_measured_elsewhere() -> None:
    made = generator()
    made.ingest([{"x": 0.5, "y": 1.0, "k": 1.0, "f": 1.25, "c": math.nan}])
    made.ingest([{"x": 0.5, "y": 1.5, "k": 1.0, "f": 0.0, "c": 0.25, REQUEST: 1, "_id": None}])
    assert [(row.function, row.value) for row in made.study.observations] == [("f", 1.25), ("c", 0.25)]
    assert made.study.counts == {"f": 0, "c": 0}
    for lacking in ({"f": 1.25}, {"f": 1.25, REQUEST: 1}):
        with pytest.raises(GestError, match="'c': expected a number or nan, got nothing; give every output"):
            made.ingest([{"x": 0.5, "y": 1.0, "k": 1.0} | lacking])
    with pytest.raises(GestError, match="'f': expected a number or nan, got 'low'"):
        made.ingest([{"x": 0.5, "y": 1.0, "k": 1.0, "f": "low", "c": math.nan}])
    assert len(made.study.observations) == 2


def test_what_a_simulator_computed_for_an_earlier_study_counts_as_measured_elsewhere() -> None:
    """And what nobody computed is refused there as well: a host's zeros are no values."""
    made = generator()
    where = {"x": 0.5, "k": 1.0, "f": math.nan, REQUEST: 1}
    made.ingest([where | {"y": 1.0, "c": 0.5, SECONDS: 1.0}, where | {"y": 2.0, "c": math.nan, SECONDS: 1.0}])
    assert [(row.function, row.value) for row in made.study.observations] == [("c", 0.5), ("c", None)]
    with pytest.raises(GestError, match="fill in as 0"):
        made.ingest([where | {"y": 3.0, "f": 0.0, "c": 0.0, SECONDS: 0.0}])
    assert len(made.study.observations) == 2


def test_a_kept_study_goes_on_with_what_was_open(tmp_path: Path) -> None:
    first = generator(storage=tmp_path / "s.db")
    rows = first.suggest(3)
    first.ingest(simulated(first, rows[:1]))
    again = generator(storage=tmp_path / "s.db")
    assert again.suggest(2) == [rows[1], rows[2]]
    again.ingest(simulated(again, rows[1:]))
    assert again.study.counts == {"f": 2, "c": 1}


def test_measured_costs_are_those_of_the_simulator() -> None:
    made = generator(costs="measured")
    made.ingest(simulated(made, made.suggest(8)))
    assert made.study.problem.measured and made.study.history.books.initial > 0.0


def test_hosts_that_copy_it_go_on_with_the_same_study() -> None:
    made = generator()
    assert copy.deepcopy(made) is made
    made.finalize()
