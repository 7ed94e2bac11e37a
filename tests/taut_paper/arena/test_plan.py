"""Which runs of the suite are made, and that none is made twice."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import fake_coco
import pytest
from click.testing import CliRunner

from taut.app.cli.main import main
from taut.base.errors import UnknownNameError, ValueRefusedError
from taut_paper import runner
from taut_paper.arena import suite
from taut_paper.arena.plan import METHODS, design_size, numbers, places, plan
from taut_paper.arena.suite import Place
from taut_paper.results import Store, load


def test_numbers() -> None:
    assert numbers("instances", "1-3,7", range(1, 16)) == [1, 2, 3, 7]
    for text in ("", "0", "3-1", "a", "16"):
        with pytest.raises(ValueRefusedError, match="instances: expected"):
            numbers("instances", text, range(1, 16))


def test_all_methods_of_a_problem_come_together() -> None:
    runs = plan(places("1,2", "2,5", "1"), seeds=[0, 1])
    assert [run.method for run in runs[:4]] == list(METHODS) and len(runs) == 2 * 4 * 4
    assert {run.problem for run in runs[:4]} == {Place(1, 2, 1).name} and {run.seed for run in runs[:16]} == {0}
    assert {(run.budget, run.initial) for run in runs} == {(60.0, 6), (150.0, 12)} and design_size(10) == 22
    assert {run.budget for run in plan(places("1"), ["cei"], budget=7.0)} == {7.0}


def test_mistakes_are_found_before_anything_is_run() -> None:
    with pytest.raises(UnknownNameError, match="'dkcg' is unknown.*dckg"):
        plan(places("1"), ["dkcg"])
    with pytest.raises(ValueRefusedError, match="budget"):
        plan(places("1"), budget=0.0)
    with pytest.raises(UnknownNameError, match="optima"):
        plan(places("1", "40", "15"))


def test_the_command_without_coco(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(suite, "find_spec", lambda name: None)
    ended = CliRunner().invoke(main, ["bench", "run", "bbob-constrained", "--out", str(tmp_path)])
    assert ended.exit_code == 2 and "taut[arena]" in ended.stderr and not list(tmp_path.iterdir())


@contextmanager
def thread(workers: int | None, dask: str | None = None):
    with ThreadPoolExecutor(1) as pool:
        yield pool, 1


def test_the_command_pays_nothing_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_coco.install(monkeypatch)
    monkeypatch.setattr(runner, "pool_of", thread)
    words = ["bench", "run", "bbob-constrained", "--functions", "1-2", "--methods", "random,cei", "--budget", "8"]
    words += ["--plain", "--out", str(tmp_path)]
    begun = CliRunner().invoke(main, [*words, "--functions", "2"])
    assert begun.exit_code == 0, begun.output
    before = (tmp_path / "repetitions" / Place(2, 2, 1).name / "cei" / "default" / "0000.json").read_bytes()
    ended = CliRunner().invoke(main, words)
    assert ended.exit_code == 0 and "2 of 4 repetitions are finished, 2 to run" in ended.output
    assert before == (tmp_path / "repetitions" / Place(2, 2, 1).name / "cei" / "default" / "0000.json").read_bytes()
    again = CliRunner().invoke(main, words)
    assert "4 of 4 repetitions are finished, 0 to run" in again.output
    assert len(load(tmp_path)) == 4 and Store(tmp_path).missing(plan(places("1-2"), ["cei"], budget=8.0)) == []
    suite.opened.cache_clear()
