"""The checks find what they are for."""

import math
from pathlib import Path

from chaos import invariants
from chaos.journal import Evaluation
from chaos.runs import Run

from taut import Constraint, Objective, Problem, Real, Study
from taut.data.rows import Observation


def run(folder: Path, name: str, text: str = "", dead: float = math.inf) -> Run:
    log = folder / f"{name}.log"
    log.write_text(text)
    return Run(name, 1, log, 0.0, killed=dead)


def evaluation(name: str, start: float, end: float | None, process: int, function: str = "f") -> Evaluation:
    return Evaluation(name, 1, {function: 0.1 + 0.2}, process, start, end)


def kinds(found: invariants.Found) -> list[str]:
    return [kind for kind, _ in found]


LINE = "   1  f             f = 0.3; spent 0 of 14\n"
ROW = Observation("f", {"x": 0.5}, 0.1 + 0.2, 1)


def test_a_value_that_was_printed_and_is_not_stored(tmp_path: Path) -> None:
    printed = [run(tmp_path, "a", LINE)]
    assert printed[0].acknowledged() == {(1, "f"): "0.3"}
    assert kinds(invariants.acknowledged(printed, (ROW,))) == []
    assert kinds(invariants.acknowledged(printed, ())) == ["lost"]
    group = run(
        tmp_path, "b", "   2  g   d = 1, e = -2.5e-07; spent 3 of 14\n   3  f   FAILED (f): no; spent 3 of 14\n"
    )
    assert group.acknowledged() == {(2, "d"): "1", (2, "e"): "-2.5e-07"}


def test_a_value_that_differs_in_the_last_bit() -> None:
    found = [evaluation("a", 1.0, 2.0, 1)]
    assert kinds(invariants.values((ROW,), found)) == []
    other = Observation("f", {"x": 0.5}, 0.3, 1)
    assert kinds(invariants.values((other,), found)) == ["wrong"]
    assert kinds(invariants.values((ROW,), [evaluation("a", 1.0, None, 1)])) == ["wrong"]


def test_an_evaluation_begun_while_another_run_has_it(tmp_path: Path) -> None:
    both = [evaluation("a", 1.0, 2.0, 11), evaluation("b", 3.0, 4.0, 12)]
    second = run(tmp_path, "b")

    def found(first: Run, shot: dict[int, float] | None = None) -> list[str]:
        return kinds(invariants.twice(both, {"a": first, "b": second}, shot or {}))

    assert found(run(tmp_path, "a")) == ["twice"]
    assert found(run(tmp_path, "a", dead=3.5)) == ["twice"]
    assert found(run(tmp_path, "a", dead=2.5)) == []
    assert found(run(tmp_path, "a", LINE, dead=2.5)) == ["twice"]  # it was stored
    assert found(run(tmp_path, "a"), {11: 2.5}) == []


def test_two_programs_in_one_slot(tmp_path: Path) -> None:
    runs = {name: run(tmp_path, name) for name in "ab"}
    one, other = evaluation("a", 1.0, 2.0, 11, "c"), evaluation("b", 1.5, 4.0, 12, "c")
    assert kinds(invariants.slots([one, other], runs, {})) == ["slots"]
    assert kinds(invariants.slots([one, other], runs, {11: 1.2})) == []
    assert kinds(invariants.slots([one, evaluation("b", 2.5, 4.0, 12, "c")], runs, {})) == []


def test_rows_that_are_not_answered_and_a_budget_that_is_left() -> None:
    problem = Problem([Real("x", 0, 1)], Objective("f", "minimize", cost=1.0), [Constraint("c", at_most=0.0, cost=2.0)])
    study = Study(problem, "random", initial=1)
    study.ask()
    assert kinds(invariants.rows(study, 0.5)) == ["unanswered"]
    study.tell(1, {"f": 1.0, "c": 1.0})
    assert kinds(invariants.rows(study, 0.5)) == []
    assert kinds(invariants.rows(study, 5.0)) == ["budget"]
    study.ask()
    assert "budget" in kinds(invariants.rows(study, 0.5))


def test_other_decisions() -> None:
    problem = Problem([Real("x", 0, 1)], Objective("f", "minimize"))
    one, same, other = (Study(problem, "random", seed=seed) for seed in (0, 0, 1))
    for study in (one, same, other):
        study.ask()
    assert kinds(invariants.decisions(one, same)) == []
    assert kinds(invariants.decisions(one, other)) == ["decisions"]
    same.tell(1, {"f": 1.0})
    assert kinds(invariants.decisions(one, same)) == ["decisions"]
