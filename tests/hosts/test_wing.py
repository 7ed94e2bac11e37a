"""A wing by OpenAeroStruct: the optimum that SLSQP finds with derivatives, and what was run for it. make hosts."""

from typing import Any

import pytest

om = pytest.importorskip("openmdao.api")
pytest.importorskip("openaerostruct")

from hosts.wing import problem  # noqa: E402

import taut  # noqa: E402
from taut.hosts.openmdao import TautDriver  # noqa: E402

COSTS = {"cruise.coupled": 10.0, "pull_up.coupled": 10.0}


@pytest.fixture(scope="module")
def reference() -> float:
    prob = problem(om.ScipyOptimizeDriver(optimizer="SLSQP", tol=1e-9, maxiter=200, disp=False))
    prob.set_solver_print(level=-1)
    prob.run_driver()
    assert prob.driver.result.success and prob.get_val("pull_up.wing_perf.failure")[0] < 1e-6
    return float(prob.get_val("cruise.fuelburn")[0])


@pytest.fixture(scope="module")
def found() -> Any:
    prob = problem(TautDriver(budget=500.0, costs=COSTS, seed=1))
    prob.set_solver_print(level=-1)
    prob.run_driver()
    return prob


def test_the_reference_optimum_is_reached(found: Any, reference: float) -> None:
    assert found.driver.result.success and found.driver.recommendation.verified
    assert -0.01 <= found.get_val("cruise.L_equals_W")[0] <= 0.01
    assert found.get_val("pull_up.L_equals_W")[0] <= 0.0 and found.get_val("pull_up.wing_perf.failure")[0] <= 0.0
    assert found.get_val("cruise.fuelburn")[0] == pytest.approx(reference, rel=2e-3)


def test_each_coupled_analysis_is_the_setup_of_what_comes_from_it(found: Any) -> None:
    assert found.driver.study.problem.setups == (
        taut.Setup("cruise.coupled", ("cruise.fuelburn", "cruise.L_equals_W"), 10.0),
        taut.Setup("pull_up.coupled", ("pull_up.L_equals_W", "pull_up.wing_perf.failure"), 10.0),
    )


def test_each_analysis_was_run_where_it_was_needed_and_once(found: Any) -> None:
    study = found.driver.study
    for setup in study.problem.setups:
        needed = {tuple(row.point.values()) for row in study.observations if row.function in setup.functions}
        group = getattr(found.model, setup.name.partition(".")[0]).coupled
        assert group.iter_count == len(needed) + 1  # and once with everything, at the answer
