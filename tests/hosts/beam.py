"""A cantilever in OpenMDAO whose components count their runs.

    geometry -> mass (objective), stress [3], and price, which nobody asks for; steel is a constant; frequency reads the
    height alone; buckling has a whole number of ribs and fails where the wall is thin.

No component declares partial derivatives.
"""

from collections import Counter
from typing import Any

import numpy as np
import openmdao.api as om

from taut.hosts.openmdao import TautDriver

COSTS = {"geometry": 1.0, "mass": 0.1, "stress": 5.0, "frequency": 20.0}


class Counted(om.ExplicitComponent):
    """compute is a function of inputs and outputs."""

    def initialize(self) -> None:
        self.options.declare("runs")
        self.options.declare("call")
        self.options.declare("reads")
        self.options.declare("gives")

    def setup(self) -> None:
        for name in self.options["reads"]:
            self.add_input(name)
        for name, size in self.options["gives"].items():
            self.add_output(name, np.zeros(size))

    def compute(self, inputs: Any, outputs: Any) -> None:
        self.options["runs"][self.pathname] += 1
        self.options["call"](inputs, outputs)


def geometry(i: Any, o: Any) -> None:
    o["area"], o["I"] = i["width"] * i["height"], i["width"] * i["height"] ** 3 / 12.0


def stress(i: Any, o: Any) -> None:
    if i["height"] < 25.0:
        raise om.AnalysisError("too slender for this solver")
    o["stress"] = i["load"] * np.array([1.0, 0.5, 0.1]) * i["height"] / 2.0 / i["I"]


def beam(driver: Any = None, runs: Counter[str] | None = None, **options: Any) -> om.Problem:
    """Lightest with a stress of at most 150 at three places and a frequency of at least 40."""
    counted = Counter() if runs is None else runs
    prob = om.Problem()

    def add(name: str, call: Any, reads: list[str], **gives: int) -> None:
        component = Counted(runs=counted, call=call, reads=reads, gives=gives)
        prob.model.add_subsystem(name, component, promotes=["*"])

    add("steel", lambda i, o: o.__setitem__("load", 2e6 * i["factor"]), ["factor"], load=1)
    add("geometry", geometry, ["width", "height"], area=1, I=1)
    add("mass", lambda i, o: o.__setitem__("kg", 7.85e-3 * i["area"]), ["area"], kg=1)
    add("stress", stress, ["I", "height", "load"], stress=3)
    add("frequency", lambda i, o: o.__setitem__("hertz", 0.818 * i["height"]), ["height"], hertz=1)
    add("price", lambda i, o: o.__setitem__("euro", 3.0 * i["kg"]), ["kg"], euro=1)
    model = prob.model
    model.set_input_defaults("factor", 1.0)
    model.set_input_defaults("width", 30.0)
    model.set_input_defaults("height", 50.0)
    model.add_design_var("width", lower=10.0, upper=60.0, ref=60.0)
    model.add_design_var("height", lower=20.0, upper=80.0)
    model.add_objective("kg", ref=10.0)
    model.add_constraint("stress", upper=150.0, ref=100.0)
    model.add_constraint("hertz", lower=40.0)
    prob.driver = TautDriver(**{"budget": 40.0, "costs": COSTS} | options) if driver is None else driver
    prob.setup()
    return prob
