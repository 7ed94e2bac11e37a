"""The views of a run: lines of text, a terminal, and readers that go away."""

import io
import logging
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import fakes
import pytest
from rich.console import Console

import taut
from taut.app.cli import demo
from taut.app.run import live
from taut.app.run.monitor import Monitor
from taut.app.run.session import Result
from taut.study.programs import Outcome
from taut.study.worker import Job, Plan


def rendered(view: object, width: int = 80) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(view)
    return out.getvalue().splitlines()


@pytest.fixture(scope="module")
def watched() -> Monitor:
    """A run of the problem of the demonstration that has ended, without a verified answer."""
    bench, monitor = demo.prepare(1, 30.0, "random")
    monitor.study.work([demo.truth(bench)], monitor.budget, plan=Plan(monitor))
    return monitor


def job(monitor: Monitor, number: int) -> Job:
    row = monitor.study.suggestions[number - 1]
    return Job(row, demo.truth(demo.problem("test_function_2")), row.functions)


def test_the_live_view_fits_a_small_terminal(watched: Monitor) -> None:
    rows = watched.rows()
    state = watched.state(rows)
    for believed in (None, watched.study.recommend()):
        lines = rendered(live.live_view(watched, rows, state, believed))
        assert len(lines) <= 24
        assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    assert "P(feasible)" in text and "30 of 30" in text and "2 decisions" in text
    assert [line.split()[0] for line in lines if "uniformly" in line or "initial design, " in line] == list("12345678")


def test_what_is_running_comes_last(watched: Monitor) -> None:
    rows = watched.rows()
    state = watched.state(rows)
    busy = replace(watched, running={}, interrupts=1)
    for number in range(1, 11):
        busy.started(replace(job(watched, 8), program=replace(demo.truth(demo.problem("mystery")), name=str(number))))
    lines = rendered(live.live_view(busy, rows, state, None))
    assert sum(" 0 s " in line for line in lines) == live.LAST + 1  # and the time of the run
    assert "and 2 more are running" in "\n".join(lines)
    assert lines[-1].startswith("Waiting for 10 running programs to finish; press Ctrl-C again")


def test_an_evaluation_in_two_lines(watched: Monitor) -> None:
    first, state = job(watched, 1), watched.state(watched.rows())
    assert live.start_line(first).startswith("   1  f+c1+c2+c3    started at x1=0.")
    assert live.start_line(first).endswith(": initial design, 1 of 6")
    part = replace(first, functions=("f", "c1"))
    failed = Outcome({"f": 0.25, "c1": None}, "no mesh")
    line = "   1  f+c1          f = 0.25, FAILED (c1): no mesh; spent 30 of 30 (initial design: 90)"
    assert live.end_line(part, failed, state) == line
    ended = Outcome({"f": None, "c1": None}, "ended on request", interrupted=True)
    assert "ended on request; it stays pending; spent" in live.end_line(part, ended, state)
    lost = Outcome({"f": 0.25, "c1": 1.0}, stored=False)
    said = live.end_line(part, lost, state)
    assert said == "   1  f+c1          NOT STORED: f = 0.25, c1 = 1; spent 30 of 30 (initial design: 90)"


class Watched:
    """A screen without a terminal, a clock, and how often the best point was computed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, costs: list[float], terminal: bool = False) -> None:
        _, self.monitor = demo.prepare(1, 30.0, "random")
        while len(self.monitor.study.suggestions) < 6:
            row = self.monitor.study.ask()
            self.monitor.study.tell(row, dict.fromkeys(row.functions, 1.0))
        self.now, self.costs, self.times = 0.0, costs, []
        self.out = io.StringIO()
        console = Console(file=self.out, width=100, force_terminal=terminal, color_system=None)
        self.screen = live.Screen(self.monitor, not terminal, console, lambda: self.now)
        monkeypatch.setattr(type(self.monitor.study), "recommend", self.recommend)

    def recommend(self, *given: object) -> taut.Recommendation:
        self.times.append(self.now)
        self.now += self.costs[min(len(self.times), len(self.costs)) - 1]
        return taut.Recommendation({"x1": 0.5, "x2": 0.5}, (1.0, 0.0), 1.0, {})

    def evaluate(self, count: int, seconds: float) -> None:
        for _ in range(count):
            self.screen.started(job(self.monitor, 1))
            self.now += seconds
            self.screen.ended(job(self.monitor, 1), Outcome({"f": 1.0}))


@pytest.mark.parametrize("terminal", [False, True])
def test_the_best_point_takes_its_share_of_the_time(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch, [5.0], terminal)
    with watched.screen:
        watched.screen.stop()
        watched.evaluate(200, 1.0)
    assert len(watched.times) == 4  # at once or after ten; then after 100 s, 150 s, 200 s
    for number, moment in enumerate(watched.times[1:], start=1):
        assert 5.0 * number <= live.SHARE * moment
    if not terminal:
        assert watched.out.getvalue().count("best so far") == 4


def test_a_best_point_that_costs_nothing_is_always_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    live_view, plain = Watched(monkeypatch, [0.01], True), Watched(monkeypatch, [0.01])
    for watched in (live_view, plain):
        with watched.screen:
            monkeypatch.setattr(type(watched.monitor.study), "recommend", watched.recommend)
            watched.screen.stop()
            watched.evaluate(40, 1.0)
    assert len(live_view.times) == 41 and len(plain.times) == 4


def test_what_could_not_be_stored_is_said_in_every_view(monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal in (False, True):
        watched = Watched(monkeypatch, [0.0], terminal)
        with watched.screen:
            watched.screen.stop()
            watched.screen.started(job(watched.monitor, 1))
            watched.screen.ended(job(watched.monitor, 1), Outcome({"f": 1.0}, stored=False))
        assert "NOT STORED: f = 1" in watched.out.getvalue()


def test_how_it_ended(watched: Monitor) -> None:
    state = watched.state(watched.rows())
    end = live.result_lines(Result(True, "the budget is used", 150.0, state, None))
    assert end == ["Finished: spent 30 of 30 (initial design: 90) in 2.5 min; evaluations: f 8, c1 8, c2 8, c3 8"]
    lacking = live.result_lines(Result(True, "the budget is used", 150.0, state, None, "More is needed."))
    assert lacking[1:] == ["More is needed."]


def test_plain_lines(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, initial=1, budget=3, run='keep = "none"')
    result = fakes.call(path, "--workers", "2")  # not on a terminal: no --plain needed
    assert (result.exit_code, result.stderr) == (0, "")
    out, lines = result.stdout, result.stdout.splitlines()
    assert lines[0] == "taut run fake: minimize f subject to c"
    assert lines[1] == "method random, seed 0, budget 3, 2 at a time"
    assert any(line.startswith("   2  f             started at x=0.") for line in lines)
    assert any(line.startswith("   2  c             c = ") and "spent " in line for line in lines)
    assert any(line.startswith("Finished: spent 3 of 3 (initial design: 3) in ") for line in lines)
    assert "\x1b" not in out and not (tmp_path / "fake.runs").exists()


def test_a_terminal_gets_a_live_view(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, initial=1, budget=3)
    here, there = os.openpty()
    environment = dict(os.environ) | {"TERM": "xterm", "COLUMNS": "90", "LINES": "40", "OPENBLAS_NUM_THREADS": "1"}
    command = [*fakes.COMMAND, "run", str(path)]
    process = subprocess.Popen(command, stdin=there, stdout=there, stderr=there, env=environment)
    os.close(there)
    seen = b""
    try:
        while chunk := os.read(here, 65536):
            seen += chunk
    except OSError:  # the terminal is closed
        pass
    os.close(here)
    assert process.wait(60) == 0
    text = seen.decode()
    for part in ("initial design", "spent", "best so far", "chosen", "asked for", "P(feasible)", "left", "Finished: "):
        assert part in text, part


ESCAPES = "import sys; sys.stderr.write('\\033]0;OWNED\\007\\033[8mhidden\\033]52;c;eA==\\007\\0\\x9b2J'); sys.exit(1)"


@pytest.mark.parametrize("options", [["--plain"], ["--json"], []])
def test_a_terminal_does_not_obey_a_program(tmp_path: Path, options: list[str]) -> None:
    path = fakes.write(tmp_path, {"f": ESCAPES}, initial=4, run="failures = 2")
    process = fakes.start(path, *options, env={"FORCE_COLOR": "1"} if not options else {})
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    for text in (out, err) if options else (err,):
        assert (
            text.replace("\n", "").isprintable() and "]0;OWNED" in text and "\\x1b" in text.replace("\\u001b", "\\x1b")
        )
    assert "\x1b]" not in out and "\x1b[8m" not in out and "\0" not in out and "\x9b" not in out
    notes = [row.note for row in taut.Study.open(tmp_path / "study.db").observations if row.function == "f"]
    assert "\x1b]0;OWNED\x07" in notes[0]  # kept as it is


def test_a_reader_that_goes_away_does_not_end_the_run(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, initial=2, budget=3)
    process = fakes.start(path)
    assert process.stdout is not None and process.stdout.readline().startswith("taut run")
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr is not None and process.stderr.read() == ""
    process.stderr.close()
    assert taut.Study.open(tmp_path / "study.db").spent == 3.0


def test_what_the_storage_says_of_a_long_wait_is_shown(watched: Monitor) -> None:
    out = io.StringIO()
    with live.Screen(watched, plain=True, console=Console(file=out, width=100)):
        logging.getLogger("taut.storage").warning("it kept the connection and said nothing")
    logging.getLogger("taut.storage").warning("afterwards")
    assert "said nothing" in out.getvalue() and "afterwards" not in out.getvalue()
