"""What is found in a model, and what recorders see of it. Needs OpenMDAO: make hosts."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

om = pytest.importorskip("openmdao.api")

from hosts.beam import beam  # noqa: E402

import taut  # noqa: E402
from taut.hosts.openmdao import TautDriver  # noqa: E402


class Ribbed(om.ExplicitComponent):
    """A whole number and an array of thicknesses; two objectives to choose from."""

    def setup(self) -> None:
        self.add_discrete_input("ribs", 3)
        self.add_input("t", np.array([0.5, 0.5, 0.5]), units="cm")
        self.add_output("strength", 0.0)
        self.add_output("g", np.zeros(2))
        self.add_discrete_output("label", "")

    def compute(self, inputs: Any, outputs: Any, discrete_inputs: Any, discrete_outputs: Any) -> None:
        t, ribs = inputs["t"], discrete_inputs["ribs"]
        assert isinstance(ribs, (int, np.integer)) and t[1] == 0.5
        outputs["strength"] = -((ribs - 4) ** 2) - (t[0] - 0.3) ** 2 - (t[2] - 0.8) ** 2
        outputs["g"] = [t[0] + t[2], ribs]
        discrete_outputs["label"] = f"{ribs} ribs"


def ribbed(**options: Any) -> Any:
    prob = om.Problem()
    prob.model.add_subsystem("r", Ribbed(), promotes=["*"])
    prob.model.add_design_var("ribs", lower=1, upper=7)
    prob.model.add_design_var("t", lower=[1.0, 5.0, 1.0], upper=[10.0, 5.0, 10.0], units="mm")
    prob.model.add_objective("strength", scaler=-1.0)
    prob.model.add_constraint("g", lower=[0.5, 2.0], upper=[1.5, 6.0])
    prob.driver = TautDriver(**{"budget": 30.0, "costs": {"r": 1.0}} | options)
    prob.setup()
    return prob


def test_whole_numbers_arrays_units_two_sides_and_a_negative_scaler() -> None:
    prob = ribbed()
    prob.run_driver()
    problem = prob.driver.study.problem
    assert problem.parameters == (taut.Integer("ribs", 1, 7), taut.Real("t.0", 1.0, 10.0), taut.Real("t.2", 1.0, 10.0))
    assert problem.objective.goal == "maximize" and problem.constraints[0].at_least == 0.5
    assert prob.get_val("strength")[0] > -0.01 and prob.get_val("ribs") == 4 and prob.get_val("label") == "4 ribs"
    assert prob.get_val("t", units="mm")[1] == pytest.approx(5.0)


def test_more_entries_than_wanted_are_one_constraint() -> None:
    prob = ribbed(entries=1, budget=5.0)
    prob.run_driver()
    assert prob.driver.study.problem.functions == ("strength", "g.worst")


def test_recorder_has_no_values_of_other_points(tmp_path: Path) -> None:
    prob = beam(budget=12.0)
    recorder = om.SqliteRecorder(str(tmp_path / "cases.sql"), record_viewer_data=False)
    prob.driver.add_recorder(recorder)
    prob.driver.recording_options["includes"] = ["*"]
    prob.run_driver()
    prob.cleanup()
    reader = om.CaseReader(str(tmp_path / "cases.sql"))
    cases = [reader.get_case(name) for name in reader.list_cases("driver", out_stream=None)]
    assert len(cases) == prob.driver.iter_count and not np.isnan(cases[-1].get_val("hertz")).any()
    for case in cases:
        width, height = case.get_val("width")[0], case.get_val("height")[0]
        for name, value in (("kg", 7.85e-3 * width * height), ("hertz", 0.818 * height)):
            assert math.isnan(case.get_val(name)[0]) or case.get_val(name)[0] == pytest.approx(value)
    assert any(math.isnan(case.get_val("hertz")[0]) for case in cases)


class Rounds(om.ExplicitComponent):
    """A whole number from a real one."""

    def setup(self) -> None:
        self.add_input("x", 1.0)
        self.add_discrete_output("n", 0)

    def compute(self, inputs: Any, outputs: Any, discrete_inputs: Any, discrete_outputs: Any) -> None:
        discrete_outputs["n"] = round(float(inputs["x"][0]))


class Squares(om.ExplicitComponent):
    def setup(self) -> None:
        self.add_discrete_input("n", 0)
        self.add_output("y", 0.0)

    def compute(self, inputs: Any, outputs: Any, discrete_inputs: Any, discrete_outputs: Any) -> None:
        outputs["y"] = (discrete_inputs["n"] - 3) ** 2


def test_a_dependence_through_a_discrete_variable_counts() -> None:
    prob = om.Problem()
    prob.model.add_subsystem("rounds", Rounds(), promotes=["*"])
    prob.model.add_subsystem("squares", Squares(), promotes=["*"])
    prob.model.add_design_var("x", lower=0.0, upper=6.0)
    prob.model.add_objective("y")
    prob.driver = TautDriver(budget=4.0, costs={"rounds": 1.0}, initial=4)
    prob.setup()
    prob.run_driver()
    assert prob.get_val("y")[0] == 0.0 and prob.get_val("n") == 3
    study = prob.driver.study
    assert all(row.value == (round(row.point["x"]) - 3) ** 2 for row in study.observations)


class Counts(om.ExplicitComponent):
    """Whole numbers as one, and as an array; each is to come as it was declared."""

    def initialize(self) -> None:
        self.options.declare("one")
        self.options.declare("many")

    def setup(self) -> None:
        self.add_discrete_input("one", self.options["one"])
        self.add_discrete_input("many", self.options["many"])
        self.add_output("y", 0.0)

    def compute(self, inputs: Any, outputs: Any, discrete_inputs: Any, discrete_outputs: Any) -> None:
        one, many = discrete_inputs["one"], discrete_inputs["many"]
        assert np.ndim(one) == 0 and many.shape == (2, 2) and many.dtype.kind == "i"
        outputs["y"] = len(range(one)) + many[0, 0] - many[1, 1]


def counts(one: Any = 3, **given: Any) -> Any:
    prob = om.Problem()
    prob.model.add_subsystem("c", Counts(one=one, many=np.array([[1, 2], [3, 4]])), promotes=["*"])
    prob.model.add_design_var("one", lower=1, upper=7)
    prob.model.add_design_var("many", **{"lower": [0, 2, 3, 0], "upper": [9, 2, 3, 9]} | given)
    prob.model.add_objective("y")
    prob.driver = TautDriver(budget=25.0, costs={"c": 1.0})
    prob.setup()
    return prob


@pytest.mark.parametrize("one", [3, np.int64(3)])
def test_whole_numbers_come_as_they_were_declared(one: Any) -> None:
    prob = counts(one)
    prob.run_driver()
    names = [parameter.name for parameter in prob.driver.study.problem.parameters]
    assert names == ["one", "many.0", "many.3"] and prob.driver.study.observations[0].point == {
        "one": 3,
        "many.0": 1,
        "many.3": 4,
    }
    assert prob.get_val("y")[0] == 1 + 0 - 9 and prob.get_val("many").tolist() == [[0, 2], [3, 9]]


def test_discrete_variables_that_are_no_whole_numbers_are_refused() -> None:
    with pytest.raises(taut.ProblemError, match="'one': expected an int, or an array of them, got 3.5"):
        counts(3.5).run_driver()
    with pytest.raises(taut.ProblemError, match="'many': expected a whole discrete input.*leave indices out"):
        counts(indices=[0], lower=0, upper=9).run_driver()
