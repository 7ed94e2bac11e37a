"""How a study of a model is begun, interrupted and finished. Needs OpenMDAO: make hosts."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

om = pytest.importorskip("openmdao.api")

from hosts.beam import COSTS, beam  # noqa: E402

import taut  # noqa: E402


def test_measured_costs_are_seconds() -> None:
    prob = beam(costs="measured", budget=0.004, initial=3)
    prob.run_driver()
    study = prob.driver.study
    assert study.problem.measured and study.problem.objective.cost == "measured"
    rows = [row for row in study.observations if row.suggestion is not None]
    assert rows and all(row.seconds is not None and row.seconds >= 0.0 for row in rows)
    for setup in study.problem.setups:
        assert any(row.setup for row in rows if row.function in setup.functions)


def test_a_failure_is_one_of_its_responses_only() -> None:
    prob = beam(budget=30.0, seed=2)
    prob.model.set_input_defaults("height", 21.0)
    prob.setup()
    prob.run_driver()
    rows = prob.driver.study.observations
    first = {row.function: row.value for row in rows[:5]}
    assert first["stress.0"] is None and first["kg"] is not None and first["hertz"] is not None
    assert prob.driver.result.success


def test_a_shared_component_fails_once_for_each_point() -> None:
    """Mass and stress need the geometry, which has no mesh where it is slender."""
    runs: Counter[str] = Counter()
    prob = beam(runs=runs, budget=30.0, seed=2)
    prob.final_setup()
    compute, failed = prob.model.geometry.options["call"], []

    def meshed(inputs: Any, outputs: Any) -> None:
        if inputs["height"] < 40.0:
            failed.append((float(inputs["width"][0]), float(inputs["height"][0])))
            raise om.AnalysisError("no mesh")
        compute(inputs, outputs)

    prob.model.geometry.options["call"] = meshed
    prob.run_driver()
    rows = prob.driver.study.observations
    both = {name: {tuple(row.point.values()) for row in rows if row.function == name} for name in ("kg", "stress.0")}
    assert failed and len(failed) == len(set(failed)) and set(failed) & both["kg"] & both["stress.0"]
    assert all("no mesh" in row.note for row in rows if row.value is None and row.suggestion is not None)
    assert runs["geometry"] == len(both["kg"] | both["stress.0"]) + 1


def test_where_everything_fails_the_run_has_failed() -> None:
    prob = beam(budget=30.0)

    def broken(inputs: Any, outputs: Any) -> None:
        raise om.AnalysisError("no licence")

    for name in ("mass", "stress", "frequency"):
        getattr(prob.model, name).options["call"] = broken
    with pytest.warns(om.DriverWarning, match="every function has failed.*no licence"):
        prob.run_driver()
    assert not prob.driver.result.success


def test_an_answer_that_does_not_hold_says_why() -> None:
    prob = beam(budget=10.0, method="random", initial=3)
    prob.model.add_constraint("euro", upper=1.0)
    prob.model.add_constraint("area", upper=300.0, lower=200.0)
    prob.model.stress.options["call"] = lambda inputs, outputs: None
    prob.setup()
    with pytest.warns(om.DriverWarning, match=r"does not hold: .*euro is [\d.]+, limits at most 1.*relevance"):
        prob.run_driver()
    assert not prob.driver.result.success


def test_another_error_is_no_failure_of_the_point() -> None:
    prob = beam(budget=30.0)

    def broken(inputs: Any, outputs: Any) -> None:
        raise KeyError("a bug")

    prob.final_setup()
    prob.model.frequency.options["call"] = broken
    with pytest.raises(KeyError, match="a bug"):
        prob.run_driver()


def rows(prob: Any) -> list[Any]:
    study = prob.driver.study
    return [(row.point, row.functions) for row in study.suggestions]


def test_a_study_that_was_interrupted_goes_on_as_if_it_had_not(tmp_path: Path) -> None:
    """The same suggestions, and nothing that is known is evaluated again; only what is shared is made once more."""
    options = {"budget": 30.0, "seed": 4, "initial": 4}
    at_once: Counter[str] = Counter()
    whole = beam(runs=at_once, **options)
    whole.run_driver()

    class Stop(Exception):
        pass

    runs: Counter[str] = Counter()
    first = beam(runs=runs, storage=str(tmp_path / "beam.db"), **options)
    first.final_setup()
    original = first.model.mass.options["call"]

    def once(inputs: Any, outputs: Any) -> None:
        original(inputs, outputs)
        if runs["mass"] == 7:
            raise Stop

    first.model.mass.options["call"] = once
    with pytest.raises(Stop):
        first.run_driver()
    again = beam(runs=runs, storage=str(tmp_path / "beam.db"), **options)
    again.run_driver()
    assert rows(again) == rows(whole)
    assert runs["mass"] == at_once["mass"] + 1 and runs["frequency"] == at_once["frequency"]  # the one that was stopped
    assert again.driver.study.problem.setups == whole.driver.study.problem.setups


def test_run_twice(tmp_path: Path) -> None:
    """With a storage the second time is the same study: nothing is paid for again, and a larger budget is used."""
    runs: Counter[str] = Counter()
    prob = beam(runs=runs, budget=20.0, initial=3, seed=1, storage=str(tmp_path / "beam.db"))
    prob.run_driver()
    first, known, answer = dict(runs), len(prob.driver.study.observations), prob.get_val("kg")[0]
    prob.run_driver()
    assert prob.driver.result.success and prob.get_val("kg")[0] == answer
    assert {name: runs[name] - first[name] for name in first} == dict.fromkeys(first, 1)  # everything, at the answer
    prob.driver.options["budget"] = 25.0
    prob.run_driver()
    assert len(prob.driver.study.observations) > known and prob.driver.study.spent <= 25.0


def test_it_ends_when_little_is_left_to_gain() -> None:
    prob = beam(budget=300.0, seed=1, stop=0.5)
    prob.run_driver()
    assert prob.driver.result.success and prob.driver.study.spent < 200.0
    with pytest.raises(taut.TautError, match="stop must be"):
        beam(budget=9.0, stop=-1.0).run_driver()


def test_another_study_in_the_storage_is_refused(tmp_path: Path) -> None:
    beam(budget=2.0, initial=3, storage=str(tmp_path / "beam.db")).run_driver()
    with pytest.raises(taut.StorageError, match="holds another study"):
        beam(budget=2.0, initial=3, seed=9, storage=str(tmp_path / "beam.db")).run_driver()


def test_unknown_costs() -> None:
    prob = beam(costs=COSTS | {"strees": 1.0})
    with pytest.raises(taut.ProblemError, match="'strees'.*closest is 'stress'"):
        prob.run_driver()


def test_a_constant_that_breaks_its_limit() -> None:
    prob = beam()
    prob.model.add_constraint("load", upper=1e6)
    prob.setup()
    with pytest.raises(taut.ProblemError, match="'load' depends on no design variable"):
        prob.run_driver()


def test_a_constant_that_holds_is_left_out_and_a_limited_variable_is_asked_like_any_other() -> None:
    prob = beam(budget=6.0)
    prob.model.add_constraint("load", upper=3e6)
    prob.model.add_constraint("width", lower=11.0)
    prob.setup()
    prob.run_driver()
    assert "load" not in prob.driver.study.problem.functions
    assert prob.driver.study.problem.function("width").cost == pytest.approx(1e-2 * sum(COSTS.values()))
    assert prob.get_val("width")[0] >= 11.0


def test_constants_are_run_once_also_where_openmdao_does_not_do_it_first() -> None:
    runs: Counter[str] = Counter()
    prob = beam(runs=runs, budget=2.0, initial=3)
    prob.options["group_by_pre_opt_post"] = False
    prob.run_driver()
    assert runs["steel"] == 2 and runs["price"] == 1  # the second time with everything else, at the answer
