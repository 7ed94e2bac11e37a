"""Which parts of an OpenMDAO model are run, counted. Needs OpenMDAO: make hosts."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

om = pytest.importorskip("openmdao.api")

from hosts.beam import beam  # noqa: E402

from taut.hosts.components import Runner, hidden, parts  # noqa: E402


def ready(**options: Any) -> tuple[Any, Counter[str], Runner]:
    runs: Counter[str] = Counter()
    prob = beam(runs=runs)
    prob.final_setup()
    model = prob.model
    return prob, runs, Runner(parts(model), model.run_solve_nonlinear, **options)


def test_parts_are_the_components_that_compute() -> None:
    prob, _, runner = ready()
    assert [part.path for part in runner.parts] == ["steel", "geometry", "mass", "stress", "frequency", "price"]


def test_only_what_is_asked_for_is_run_once() -> None:
    prob, runs, runner = ready()
    runner.run(frozenset({"geometry", "mass"}), (1,))
    assert runs == {"geometry": 1, "mass": 1} and set(runner.times) == {"geometry", "mass"}
    assert prob.get_val("kg")[0] == pytest.approx(7.85e-3 * 1500.0)
    runner.run(frozenset({"geometry", "stress", "steel"}), (1,))  # the geometry is there
    assert runs == {"geometry": 1, "mass": 1, "stress": 1, "steel": 1} and set(runner.times) == {"stress", "steel"}
    runner.run(frozenset({"geometry"}), (2,))
    assert runs["geometry"] == 2


def test_what_is_kept_is_found_again_at_another_time() -> None:
    prob, runs, runner = ready(keep=frozenset({"geometry"}))
    runner.run(frozenset({"geometry"}), (50.0,))
    prob.set_val("height", 60.0)
    runner.run(frozenset({"geometry"}), (60.0,))
    prob.set_val("height", 50.0)
    runner.run(frozenset({"geometry", "mass"}), (50.0,))
    assert runs == {"geometry": 2, "mass": 1}
    assert prob.get_val("area")[0] == 1500.0 and prob.get_val("kg")[0] == pytest.approx(7.85e-3 * 1500.0)


def test_what_is_not_kept_is_run_again() -> None:
    _, runs, runner = ready()
    for at in (1, 2, 1):
        runner.run(frozenset({"geometry"}), (at,))
    assert runs["geometry"] == 3


def test_a_failure_spoils_its_own_part_only() -> None:
    prob, runs, runner = ready(keep=frozenset({"geometry", "stress"}))
    prob.set_val("height", 21.0)
    for _ in range(2):
        with pytest.raises(om.AnalysisError):
            runner.run(frozenset({"geometry", "stress"}), (21.0,))
    assert runs == {"geometry": 1, "stress": 1} and runner.times == {} and "stress" not in runner.valid


def test_what_failed_is_not_run_again_for_other_responses_of_the_point() -> None:
    """Nor is anything else that they need, and elsewhere it is run."""
    prob, runs, runner = ready(keep=frozenset({"geometry"}))
    compute = prob.model.geometry.options["call"]

    def unmeshed(inputs: Any, outputs: Any) -> None:
        raise om.AnalysisError("no mesh")

    prob.model.geometry.options["call"] = unmeshed
    for wanted in ({"steel", "geometry", "stress"}, {"geometry", "mass"}, {"frequency", "geometry"}):
        with pytest.raises(om.AnalysisError, match="no mesh"):
            runner.run(frozenset(wanted), (1.0,))
    assert runs == {"steel": 1, "geometry": 1}
    prob.model.geometry.options["call"] = compute
    runner.run(frozenset({"frequency"}), (1.0,))
    runner.run(frozenset({"geometry", "mass"}), (2.0,))
    with pytest.raises(om.AnalysisError, match="no mesh"):
        runner.run(frozenset({"geometry", "mass"}), (1.0,))
    assert runs == {"steel": 1, "geometry": 2, "mass": 1, "frequency": 1}


def test_the_model_is_as_before_afterwards() -> None:
    prob, runs, runner = ready()
    runner.run(frozenset({"geometry"}), (1,))
    prob.run_model()
    assert all(runs[name] == 1 + (name == "geometry") for name in ("steel", "geometry", "mass", "stress", "price"))


def test_values_of_another_point_are_hidden_while_somebody_looks() -> None:
    prob, _, runner = ready()
    prob.run_model()
    runner.run(frozenset({"geometry", "mass"}), (1,))
    before = prob.model._outputs.asarray(copy=True)
    with hidden(prob.model, runner.stale(frozenset({"steel"}))):
        assert np.isnan(prob.get_val("stress")).all() and np.isnan(prob.get_val("hertz")).all()
        assert prob.get_val("kg")[0] > 0.0 and prob.get_val("load")[0] == 2e6 and prob.get_val("width")[0] == 30.0
    assert np.array_equal(prob.model._outputs.asarray(), before)


class Half(om.ExplicitComponent):
    """y = (other + x) / 4, counted."""

    def initialize(self) -> None:
        self.options.declare("runs")

    def setup(self) -> None:
        self.add_input("x", 1.0)
        self.add_input("other", 0.0)
        self.add_output("y", 0.0)

    def compute(self, inputs: Any, outputs: Any) -> None:
        self.options["runs"][self.pathname] += 1
        outputs["y"] = (inputs["other"] + inputs["x"]) / 4.0


def ring(solver: Any) -> tuple[Any, Counter[str]]:
    """a and b read each other; c, in the same group, reads a; the group iterates."""
    runs: Counter[str] = Counter()
    prob = om.Problem()
    group = prob.model.add_subsystem("ring", om.Group())
    for name in "abc":
        group.add_subsystem(name, Half(runs=runs), promotes_inputs=["x"])
    group.connect("a.y", "b.other")
    group.connect("b.y", "a.other")
    group.connect("a.y", "c.other")
    group.nonlinear_solver = solver
    group.nonlinear_solver.options["iprint"] = -1
    prob.setup()
    prob.final_setup()
    return prob, runs


def test_gauss_seidel_iterates_over_what_is_needed() -> None:
    prob, runs = ring(om.NonlinearBlockGS())
    (part,) = found = parts(prob.model)
    assert part.path == "ring" and part.names == {"ring.a", "ring.b", "ring.c"}
    runner = Runner(found, prob.model.run_solve_nonlinear, frozenset({"ring"}))
    runner.run(frozenset({"ring.a", "ring.b"}), (1,))
    assert runs["ring.a"] > 2 and runs["ring.c"] == 0
    assert prob.get_val("ring.a.y")[0] == pytest.approx(1.0 / 3.0)
    once = dict(runs)
    runner.run(frozenset({"ring.a", "ring.b"}), (1,))
    assert runs == once
    runner.run(frozenset({"ring.a", "ring.b", "ring.c"}), (1,))  # more of it: once more
    assert runs["ring.c"] > 0 and prob.get_val("ring.c.y")[0] == pytest.approx(1.0 / 3.0)


@pytest.mark.parametrize("make", [lambda: om.NewtonSolver(solve_subsystems=False), lambda: om.NonlinearBlockJac()])
def test_other_solvers_take_their_group_whole(make: Any) -> None:
    (part,) = parts(ring(make())[0].model)
    (node,) = part.nodes
    assert node.path == "ring" and node.components == ("ring.a", "ring.b", "ring.c")


class Labelled(om.ExplicitComponent):
    def setup(self) -> None:
        self.add_input("x", 1.0)
        self.add_discrete_output("label", [0.0])

    def compute(self, inputs: Any, outputs: Any, discrete_inputs: Any, discrete_outputs: Any) -> None:
        discrete_outputs["label"][0] = float(inputs["x"][0])  # changed in place: a copy has to be kept


def test_discrete_outputs_are_kept_too() -> None:
    prob = om.Problem()
    prob.model.add_subsystem("l", Labelled(), promotes=["*"])
    prob.setup()
    prob.final_setup()
    runner = Runner(parts(prob.model), prob.model.run_solve_nonlinear, frozenset({"l"}))
    for x in (1.0, 2.0, 1.0):
        prob.set_val("x", x)
        runner.run(frozenset({"l"}), (x,))
    assert prob.get_val("label") == [1.0] and runner.times == {}


class Root(om.ImplicitComponent):
    """log y + y / 10 = log x + 1 / 10; no number where x is negative, or where Newton oversteps."""

    def setup(self) -> None:
        self.add_input("x", 1.0)
        self.add_output("y", 1.0)
        self.declare_partials("y", ["x", "y"])

    def apply_nonlinear(self, inputs: Any, outputs: Any, residuals: Any) -> None:
        with np.errstate(all="ignore"):
            residuals["y"] = np.log(outputs["y"]) - np.log(inputs["x"]) + (outputs["y"] - 1.0) / 10.0

    def linearize(self, inputs: Any, outputs: Any, partials: Any) -> None:
        with np.errstate(all="ignore"):
            partials["y", "y"], partials["y", "x"] = 1.0 / outputs["y"] + 0.1, -1.0 / inputs["x"]


@pytest.mark.parametrize("raises", [True, False])
def test_an_iteration_does_not_start_where_another_gave_up(raises: bool) -> None:
    """And one that ends without a number has failed, also if its solver says nothing of it (by default they do not)."""
    prob = om.Problem()
    group = prob.model.add_subsystem("g", om.Group(), promotes=["*"])
    group.add_subsystem("given", om.IndepVarComp("x", 1.0), promotes=["*"])
    group.add_subsystem("root", Root(), promotes=["*"])
    group.nonlinear_solver = om.NewtonSolver(solve_subsystems=False, maxiter=20, iprint=-1, err_on_non_converge=raises)
    group.linear_solver = om.DirectSolver()
    prob.setup()
    prob.final_setup()
    runner = Runner(parts(prob.model), prob.model.run_solve_nonlinear)
    for x in (-0.5, 1.0, -0.5, 1.2):  # the first fails before anything went well
        prob.set_val("x", x)
        if x < 0.0:
            with pytest.raises(om.AnalysisError):
                runner.run(frozenset({"g"}), (x,))
            assert prob.get_val("x")[0] == x and "g" not in runner.valid
        else:
            runner.run(frozenset({"g"}), (x,))
            assert np.log(prob.get_val("y")[0] / x) == pytest.approx((1.0 - prob.get_val("y")[0]) / 10.0)
