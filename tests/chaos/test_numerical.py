"""Studies at the edge of floating point: a few short ones here, a thousand with `make chaos-numbers`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from chaos import degenerate, numerical

import taut
from taut.problem.design import domain


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(8, 24))]
)
def test_every_answer_is_one(seed: int) -> None:
    drawn = degenerate.recipe(seed)
    small = replace(drawn, study={**drawn.study, "options": {**drawn.study["options"], **degenerate.EFFORTS["small"]}})
    report = numerical.torment(seed, 6, small)
    assert report.violations == [], report.trace
    assert report.steps == 6 or domain(drawn.problem).finite


def test_all_methods_are_among_them() -> None:
    from taut.policy import METHODS

    assert set(degenerate.METHODS) == set(METHODS)


def test_a_study_is_drawn_from_its_seed_alone() -> None:
    assert degenerate.recipe(17) == degenerate.recipe(17) != degenerate.recipe(18)
    one, other = (numerical.torment(11, 4) for _ in range(2))  # method random
    assert replace(one, seconds=0.0, slowest=(0.0, "")) == replace(other, seconds=0.0, slowest=(0.0, ""))


def test_what_goes_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer out of bounds, a warning, an exception."""
    asked = taut.Study.ask

    def outside(self: taut.Study, **limits: float) -> taut.Suggestion:
        made = asked(self, **limits)
        return replace(made, point={name: 2e200 for name in made.point}, note="value nan", cost=-1.0)

    play = numerical.Play(degenerate.recipe(11), numerical.Report(11, {}))
    play.check(outside(play.study), {})
    kinds = {each.split(":")[0] for each in play.report.violations}
    assert kinds == {"suggestion out of bounds", "note", "cost"}
    monkeypatch.setattr(taut.Study, "ask", lambda self, **limits: 1.0 / 0.0)
    report = numerical.torment(11, 2)
    assert report.steps == 0 and "ZeroDivisionError" in report.violations[0] and "torment" in report.trace


def test_the_result_file_is_gone_on_with(tmp_path: Path) -> None:
    file, lines = tmp_path / "numbers.jsonl", []
    numerical.series([11], file, 2, lines.append)
    numerical.series([11, 23], file, 2, lines.append)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["seed"] for row in rows] == [11, 23] and lines == []
    assert numerical.summary(numerical.results(file)).startswith("2 studies, 4 steps, ")
