"""What the terminal shows of a run and of its status."""

import re

import pytest

from taut_paper.experiments import SCALES, plan
from taut_paper.repetition import Step
from taut_paper.screen import Screen, show_status

(RUN,) = plan(["mystery"], SCALES["quick"], seeds=[3], methods=["cei"], presets=["default"])
STEPS = [Step(cost, (), (), (), (1.0, 1.0), 0.01234, 0.0, 0.0) for cost in (0.0, 2.0)]
ROW = {"experiment": "mystery", "method": "cei", "preset": "default", "budgets": [60.0, 80.0], "seconds": 60.0}


def told(view: str) -> None:
    with Screen(view) as screen:  # type: ignore[arg-type]
        screen.begin(5, 3)
        screen.finished(RUN, STEPS, 7.2)
        screen.failed(RUN, ValueError("no [such] thing"))


def test_a_line_for_each_repetition_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for view in ("plain", "bar"):
        told(view)
        first, second, third = capsys.readouterr().out.splitlines()
        assert first == "3 of 5 repetitions are finished, 2 to run"
        line = r"\[1/2, about \d+ min left\] mystery cei seed 3: OC 0.0123 after 2 units and 1 decisions, 7 s"
        assert re.fullmatch(line, second)
        assert third.endswith("mystery cei seed 3: FAILED, ValueError: no [such] thing")


def test_a_bar_in_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with Screen("bar"):
        pass
    assert capsys.readouterr().out == ""  # a mistake that is found before the beginning
    told("bar")
    shown = capsys.readouterr().out
    assert "2/2" in shown and "OC 0.0123" not in shown and "FAILED, ValueError" in shown


def test_nothing_but_errors_beside_json(capsys: pytest.CaptureFixture[str]) -> None:
    told("json")
    shown = capsys.readouterr()
    assert shown.out == "" and "ValueError: no [such] thing" in shown.err


def test_where_it_failed_is_shown_once_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    with Screen("plain") as screen:
        screen.begin(3, 0)
        for error in (ValueError("a"), ValueError("a"), KeyError("b")):
            screen.failed(RUN, error)
    shown = capsys.readouterr()
    assert shown.out.count("FAILED") == 3
    assert shown.err.count("ValueError: a") == 1 and shown.err.count("KeyError: 'b'") == 1


def test_status_is_a_table_and_a_sum(capsys: pytest.CaptureFixture[str]) -> None:
    others = ROW | {"method": "dckg", "budgets": [], "seeds": [], "missing": [0, 1], "seconds": None}
    show_status([ROW | {"seeds": [0, 1, 3], "missing": [2]}, others])
    head, first, second, summary = capsys.readouterr().out.splitlines()
    assert head.split() == "experiment method preset budget finished missing CPU s each seeds".split()
    assert first.split() == ["mystery", "cei", "default", "60,", "80", "3", "1", "60.0", "0-1,3"]
    assert second.split() == ["mystery", "dckg", "default", "0", "2"]
    assert summary == "3 of 6 repetitions are finished; the others take about 3 min of CPU time"


def test_nothing_is_promised_without_any_time(capsys: pytest.CaptureFixture[str]) -> None:
    show_status([ROW | {"seeds": [], "missing": [0], "seconds": None}])
    assert capsys.readouterr().out.splitlines()[-1] == "0 of 1 repetitions are finished"
