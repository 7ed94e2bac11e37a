"""A hundred events of all kinds, and how a series is kept; thousands with `make chaos`."""

import json
from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pytest
from chaos import chaos
from chaos.invariants import KINDS
from chaos.runs import Nursery
from chaos.trial import THEMES, Report, Trial, torment

TRIALS = [
    Trial("alone", "sqlite", 3, ("run", "group", "program", "first"), 16),
    Trial("alone", "sqlite", 4, ("run", "clock", "disk"), 6, real=0.1),
    Trial("crowd", "sqlite", 5, ("run", "group", "program", "first"), 20),
    Trial("survivors", "sqlite", 6),
    Trial("survivors", "sqlite", 7),
    Trial("stopped", "sqlite", 8, events=1),
    Trial("clocks", "sqlite", 9, events=4),
    Trial("damages", "sqlite", 10, events=30),
    Trial("alone", "postgresql", 11, ("run", "broken"), 8),
    Trial("crowd", "postgresql", 12, ("run", "program", "server", "unsent"), 8),
]


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: f"{trial.theme}-{trial.backend}-{trial.seed}")
def test_nothing_is_lost_doubled_or_decided_differently(
    trial: Trial, nursery: Nursery, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    server = request.getfixturevalue("postgres") if trial.backend == "postgresql" else None
    report = torment(trial, nursery, server, tmp_path / "kept")
    assert report.violations == [] and report.total > 0, report


def test_these_are_a_hundred_events_of_every_quick_kind() -> None:
    assert sum(trial.events or THEMES[trial.theme].events for trial in TRIALS) >= 97
    kinds = {kind for trial in TRIALS for kind in trial.possible()}
    assert kinds == {kind for theme in THEMES.values() for kind in theme.kinds} - {"silent"}


def test_a_series_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[int] = []

    def fake(trial: Trial, *_: object) -> Report:
        made.append(trial.seed)
        report = Report(studies=1, evaluations=2, violations=[("twice", "(1, 'f')")] if len(made) == 2 else [])
        report.counts["run"] = 4
        return report

    monkeypatch.setattr(chaos, "torment", fake)
    monkeypatch.setattr(chaos, "Nursery", Mock)
    out, keep = tmp_path / "out.jsonl", tmp_path / "kept"
    chaos.series(7, 1, ["sqlite"], (), out, keep)
    with out.open("a") as file:
        file.write('{"cut sho')
    chaos.series(4, 2, ["sqlite"], (), out, keep)
    lines = chaos.series(12, 1, ["sqlite"], (), out, keep)
    assert made == [1_000_000, 1_000_001, 2_000_000, 1_000_002]
    assert [line["study"] for line in lines] == [0, 1, 2]
    assert len([json.loads(line) for line in out.read_text().splitlines()]) == 4
    assert "8 events in 2 studies before" in capsys.readouterr().out
    text = chaos.summary(lines)
    assert "12 events in 3 studies" in text and "sqlite: run 12" in text and "     1  twice " in text
    assert all(f" {kind} " in text for kind in KINDS)


def test_without_a_server_the_rest_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(chaos, "torment", lambda *_: Report(counts=Counter(run=1)))
    monkeypatch.setattr(chaos, "Nursery", Mock)
    monkeypatch.setattr(chaos, "Server", Mock(side_effect=chaos.NoServer("not installed")))
    lines = chaos.series(10, 0, chaos.BACKENDS, (), tmp_path / "out.jsonl", tmp_path)
    assert {line["backend"] for line in lines} == {"sqlite"}
    assert "SKIPPED: everything on PostgreSQL, which cannot be run here: not installed" in capsys.readouterr().out


def test_every_kind_comes_up_in_a_series() -> None:
    trials = [chaos.trial(0, number, chaos.BACKENDS, ()) for number in range(200)]
    assert {trial.theme for trial in trials} == set(THEMES)
    assert {trial.backend for trial in trials} == set(chaos.BACKENDS)
    chosen = [chaos.trial(0, number, chaos.BACKENDS, ("server",)) for number in range(20)]
    assert {trial.backend for trial in chosen} == {"postgresql"} and {trial.possible() for trial in chosen} == {
        ("server",)
    }
    with pytest.raises(SystemExit, match="None of server can happen on sqlite"):
        chaos.trial(0, 0, ["sqlite"], ("server",))
