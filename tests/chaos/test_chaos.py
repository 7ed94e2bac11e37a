"""Kills at random moments: a few here, a hundred with `make chaos`."""

from pathlib import Path

from chaos import chaos


def test_a_run_that_is_killed_again_and_again(tmp_path: Path) -> None:
    report = chaos.torment(tmp_path, chaos.Trial(seed=3, kills=4, budget=12.0, seconds=0.04))
    assert report.violations == [] and report.total >= 2, report


def test_two_runs_that_are_killed_again_and_again(tmp_path: Path) -> None:
    report = chaos.torment(tmp_path, chaos.Trial(seed=4, kills=3, runs=2, workers=2, budget=24.0, seconds=0.04))
    assert report.violations == [] and report.total >= 2, report
