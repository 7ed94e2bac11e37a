"""The driver on small models whose component runs are counted. Needs OpenMDAO: make hosts."""

from collections import Counter
from typing import Any

import pytest

om = pytest.importorskip("openmdao.api")

from hosts.beam import beam  # noqa: E402

import taut  # noqa: E402
from taut.hosts.openmdao import TautDriver  # noqa: E402


@pytest.fixture(scope="module")
def done() -> tuple[Any, Counter[str]]:
    runs: Counter[str] = Counter()
    prob = beam(runs=runs, budget=120.0, seed=1)
    prob.run_driver()
    return prob, runs


def places(study: taut.Study, *functions: str) -> int:
    """At how many points at least one of these was evaluated."""
    return len({tuple(row.point.values()) for row in study.observations if row.function in functions})


class TestRun:
    def test_components_run_are_exactly_those_needed(self, done: Any) -> None:
        """Each once for each point where it was needed, and everything once at the answer."""
        prob, runs = done
        study = prob.driver.study
        assert runs["mass"] == places(study, "kg") + 1
        assert runs["stress"] == places(study, "stress.0") + 1
        assert runs["frequency"] == places(study, "hertz") + 1
        assert runs["geometry"] == places(study, "kg", "stress.0") + 1
        assert runs["steel"] == 1 and runs["price"] == 1  # a constant, and what nobody asked for
        assert runs["frequency"] < runs["mass"]

    def test_the_problem_is_found_in_the_model(self, done: Any) -> None:
        problem = done[0].driver.study.problem
        assert problem.functions == ("kg", "stress.0", "stress.1", "stress.2", "hertz")
        assert problem.groups == (taut.Group("stress", ("stress.0", "stress.1", "stress.2"), 5.0),)
        assert problem.setups == (taut.Setup("geometry", ("kg", "stress.0", "stress.1", "stress.2"), 1.0),)
        assert problem.objective.cost == pytest.approx(0.1) and problem.constraints[-1].cost == 20.0
        assert problem.parameters == (taut.Real("width", 10.0, 60.0), taut.Real("height", 20.0, 80.0))

    def test_the_optimum_is_reached_and_the_model_is_there(self, done: Any) -> None:
        """Width 12.5 and height 80, 7.85 kg."""
        prob, _ = done
        assert prob.get_val("kg")[0] == pytest.approx(7.85, rel=2e-3)
        assert prob.get_val("stress")[0] <= 150.0 and prob.get_val("hertz")[0] >= 40.0
        assert prob.get_val("euro")[0] == pytest.approx(3.0 * prob.get_val("kg")[0])
        best = prob.driver.recommendation
        assert best.verified and prob.get_val("width")[0] == best.point["width"]

    def test_result(self, done: Any) -> None:
        result = done[0].driver.result
        assert result.success and result.exit_status == "SUCCESS" and result.model_evals == result.iter_count + 1


def test_supports() -> None:
    supports = TautDriver().supports
    yes = {"optimization", "inequality_constraints", "two_sided_constraints", "integer_design_vars"}
    assert {name for name in supports if supports[name]} == yes


def test_it_agrees_with_slsqp() -> None:
    runs: Counter[str] = Counter()
    prob = beam(om.ScipyOptimizeDriver(optimizer="SLSQP", tol=1e-8, disp=False), runs)
    prob.model.approx_totals()
    prob.setup()
    prob.run_driver()
    assert prob.get_val("kg")[0] == pytest.approx(7.85, rel=1e-6)


def test_the_same_seed_gives_the_same_suggestions() -> None:
    found = []
    for _ in range(2):
        prob = beam(budget=25.0, seed=5)
        prob.run_driver()
        found.append([(row.point, row.functions) for row in prob.driver.study.suggestions])
    assert found[0] == found[1]


class TestRefused:
    def test_equalities(self) -> None:
        prob = beam()
        prob.model.add_constraint("area", equals=1000.0)
        prob.setup()
        with pytest.raises(taut.ProblemError, match="'area'.*lower and/or upper.*equals=.*BalanceComp"):
            prob.run_driver()

    def test_no_budget(self) -> None:
        prob = beam(budget=None)
        with pytest.raises(taut.StudyError, match="budget"):
            prob.run_driver()

    def test_two_objectives(self) -> None:
        prob = beam()
        prob.model.add_objective("euro")
        prob.setup()
        with pytest.raises((taut.ProblemError, RuntimeError), match="objective"):
            prob.run_driver()

    def test_no_bounds(self) -> None:
        prob = beam()
        prob.model.add_design_var("factor")
        prob.setup()
        with pytest.raises(taut.ProblemError, match="'factor'.*finite lower and upper"):
            prob.run_driver()
