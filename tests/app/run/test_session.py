"""taut run: from a study file to its end, stopped and gone on with, and what a user reads when something is wrong."""

import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import fakes
import pytest
import toy

import taut
from taut.app.look.answer import answer
from taut.app.look.status import Rows
from taut.app.run import session
from taut.study.worker import Plan

SLOW = """\
import json, os, sys, time
asked = json.load(sys.stdin)
open('pid.txt', 'w').write(str(os.getpid())); os.rename('pid.txt', 'pid')
deadline = time.monotonic() + 30
while not os.path.exists(os.environ['TAUT_FOLDER'] + '/go') and time.monotonic() < deadline:
    time.sleep(0.02)
print(json.dumps({"f": asked["parameters"]["x"] ** 2 + asked["parameters"]["y"]}))
"""
BROKEN = "import sys; sys.exit('mesh is bad')"


def study_of(path: Path) -> taut.Study:
    return taut.Study.open(path.parent / "study.db")


def pids(path: Path) -> list[int]:
    return [int(each.read_text()) for each in (path.parent / "fake.runs").glob("*/pid")]


# --- to the end


def test_from_a_file_to_the_end(tmp_path: Path) -> None:
    path = fakes.write(tmp_path / "a", initial=2, budget=6)
    code, end, err = fakes.run(path)
    assert (code, err) == (0, "")
    assert (end["study"], end["finished"], end["reason"]) == ("fake", True, "the budget is used")
    assert (end["spent"], end["budget"], end["pending"]) == (6.0, 6.0, [])
    assert end["evaluations"] == {"f": {"told": 4, "failed": 0}, "c": {"told": 4, "failed": 0}}
    assert set(end["best"]["point"]) == {"x", "y"} and 0.0 <= end["best"]["feasibility"] <= 1.0
    study = study_of(path)
    assert [row.initial for row in study.suggestions] == [True, True, False, False]
    assert all(row.value == fakes.truth(row.function, row.point) for row in study.observations)
    names = ["c.py", "f.py", "fake.runs", "study.db", "study.toml"]
    assert sorted(each.name for each in path.parent.iterdir()) == names
    assert len(list((path.parent / "fake.runs").glob("*-1"))) == 8
    rows = study.observations
    assert fakes.run(path)[:2] == (0, end | {"seconds": pytest.approx(1.0, abs=5.0)})  # nothing left to do
    assert study_of(path).observations == rows


def test_several_at_a_time(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, {"f": SLOW}, initial=4, budget=1, method="cei+")
    process = fakes.start(path, "--json", "--workers", "3")
    fakes.until(lambda: len(pids(path)) == 3)
    study = study_of(path)
    assert {row.function for row in study.observations} <= {"c"}
    living = [key for key, lease in study.leases().items() if lease.living and key[1] == "f"]
    assert sorted(living) == [(1, "f"), (2, "f"), (3, "f")]
    (tmp_path / "go").touch()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "") and json.loads(out)["finished"]


def test_slots(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, {"f": SLOW}, initial=4, budget=3, f="slots = 1")
    process = fakes.start(path, "--json", "--workers", "3")
    fakes.until(lambda: pids(path) and len(study_of(path).observations) >= 2)  # c goes on
    time.sleep(0.3)
    assert len(pids(path)) == 1
    (tmp_path / "go").touch()
    process.communicate(timeout=60)
    assert process.returncode == 0 and len(pids(path)) == 5


def test_the_environment_is_passed_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        "import json, os; threads = 'OPENBLAS_NUM_THREADS' in os.environ\n"
        "print(json.dumps({'f': float(os.environ['LICENCE']) + threads}))"
    )
    path = fakes.write(tmp_path, {"f": source}, initial=1, budget=3)
    monkeypatch.setenv("LICENCE", "7")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")  # which taut sets for itself
    assert fakes.run(path)[0] == 0
    assert {row.value for row in study_of(path).observations if row.function == "f"} == {7.0}


# --- a verified answer


@pytest.mark.parametrize(("line", "verify"), [("# verify", True), ("verify = false", False), ("verify = true", True)])
def test_whether_to_verify_is_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, verify: bool
) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(taut.Study, "work", lambda study, programs, budget, pool, n, plan: seen.append(plan.verify))
    fakes.call(fakes.write(tmp_path, study=line))
    assert seen == [verify]


def test_a_budget_that_ends_without_one_says_what_would_be_enough(tmp_path: Path) -> None:
    never = fakes.call(fakes.write(tmp_path / "a", {"c": BROKEN}, initial=1, budget=3, study="verify = true"))
    assert never.exit_code == 0 and "trust: not verified: " in never.stdout  # c never came
    assert "There is no verified answer, and no design is known that is probably feasible.\n" in never.stdout
    path = fakes.write(tmp_path / "b", initial=4, budget=2, study="verify = true")
    code, end, _ = fakes.run(path)
    assert code == 0 and (end["advice"] is None) is end["best"]["verified"]


@pytest.mark.parametrize(
    ("feasibility", "words"),
    [(0.9, "budget = 3.5 pays for one."), (0.3, "no design is known that is probably feasible.")],
)
def test_what_a_verified_answer_would_take(feasibility: float, words: str) -> None:
    study = toy.study(initial=0)
    study.add({"x1": 1.0, "x2": 1.0}, {"f": 1.0})
    best = taut.Recommendation({"x1": 1.0, "x2": 1.0}, (1.0, 0.1), feasibility, {}, measured={"f": 1.0})
    found = replace(answer("toy", study), best=best)
    for verify, budget, end in ((True, 3.0, words), (False, 3.0, "")):
        monitor = SimpleNamespace(options=SimpleNamespace(verify=verify), study=study, budget=budget)
        assert session._advice(monitor, Rows(study.history), found).endswith(end)  # type: ignore[arg-type]
        assert bool(session._advice(monitor, Rows(study.history), found)) is verify  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "words", "stop"), [("# stop", (), None), ("stop = 1", (), 1.0), ("stop = 1", ("--stop", "2.5"), 2.5)]
)
def test_when_to_stop_is_in_the_file_or_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, words: tuple[str, ...], stop: float | None
) -> None:
    seen: list[float | None] = []
    monkeypatch.setattr(taut.Study, "work", lambda study, programs, budget, pool, n, plan: seen.append(plan.stop))
    fakes.call(fakes.write(tmp_path, study=line), *words)
    assert seen == [stop]


# --- failures


def test_when_everything_fails_at_once_the_run_stops(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, {"f": BROKEN, "c": BROKEN}, initial=4)
    code, end, err = fakes.run(path)
    assert (code, end["finished"], end["best"]) == (1, False, None) and "mesh is bad" in err
    assert end["evaluations"] == {"f": {"told": 0, "failed": 1}, "c": {"told": 0, "failed": 1}}
    fakes.write(tmp_path, initial=4)  # corrected
    assert len(study_of(path).retry()) == 2
    code, end, _ = fakes.run(path)
    assert (code, end["evaluations"]["f"]["failed"]) == (0, 0)
    assert len(study_of(path).history.answers) == sum(row["told"] for row in end["evaluations"].values())


def test_a_failure_is_recorded_charged_and_not_repeated(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, {"c": BROKEN}, initial=2, budget=6)
    result = fakes.call(path)
    out = result.stdout
    assert result.exit_code == 0
    assert "FAILED (c): exit code 1; standard error ends: mesh is bad" in out and "c 4 (4 failed)" in out
    study = study_of(path)
    failed = [row for row in study.observations if row.function == "c"]
    assert [row.value for row in failed] == [None] * 4 and "mesh is bad" in failed[0].note
    assert all(row.value is not None for row in study.observations if row.function == "f")
    assert study.spent == 6.0
    rows = study.observations
    assert fakes.run(path)[0] == 0 and study_of(path).observations == rows


def test_failures_in_a_row_stop_the_run(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, {"c": BROKEN}, initial=4, run="failures = 3")
    code, end, err = fakes.run(path)
    assert code == 1 and not end["finished"]
    assert "'c': stopped after 3 failed evaluations in a row" in end["reason"] and "mesh is bad" in end["reason"]
    assert err.startswith("Error: ") and "mesh is bad" in err and "Traceback" not in err
    assert len([row for row in study_of(path).observations if row.function == "c"]) == 3
    fakes.write(tmp_path, initial=4, run="failures = 3")  # corrected
    code, end, _ = fakes.run(path)
    assert (code, end["evaluations"]["c"]) == (0, {"told": 3, "failed": 3})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((fakes.COMMANDS["f"], fakes.COMMANDS["f"] + "\ntimeout = -1"), ["timeout", "-1"]),
        (("budget = 6", ""), ["budget"]),
        ((f"command = {fakes.COMMANDS['c']}", ""), ["'c'", "command"]),
        ((fakes.COMMANDS["c"], '["no-such-solver"]'), ["'no-such-solver'", "PATH"]),
        ((fakes.COMMANDS["c"], '["./c.py"]'), ["./c.py", "executable"]),
        (('storage = "study.db"', 'storage = "/no/such/x.db"'), ["/no/such"]),
    ],
)
def test_mistakes_are_told_before_anything_starts(tmp_path: Path, change: tuple[str, str], words: list[str]) -> None:
    path = fakes.write(tmp_path, study='storage = "study.db"')
    before = path.read_text()
    assert change[0] in before
    path.write_text(before.replace(*change))
    result = fakes.call(path)
    err = result.stderr
    assert (result.exit_code, result.stdout) == (2, "")
    assert err.startswith("Error: ") and err.count("\n") == 1 and all(word in err for word in words)
    assert not (tmp_path / "fake.runs").exists() and not (tmp_path / "study.db").exists()


def test_a_program_that_disappears_stops_the_run(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text(f"#!{sys.executable}\nimport os; os.unlink({str(tool)!r}); print('{{\"c\": 1.0}}')\n")
    tool.chmod(0o755)
    path = fakes.write(tmp_path)
    path.write_text(path.read_text().replace(fakes.COMMANDS["c"], '["./tool"]'))
    code, end, err = fakes.run(path)
    assert code == 1 and "could not be started" in err and "stays pending" in err
    assert end["evaluations"]["c"] == {"told": 1, "failed": 0}
    assert end["pending"] == [{"suggestion": 2, "functions": ["c"]}]


# --- stopped by the user


def test_one_interrupt_lets_programs_finish(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, {"f": SLOW}, initial=3)
    process = fakes.start(path)
    fakes.until(lambda: pids(path))
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    (tmp_path / "go").touch()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "stopped by the user" in err and "Traceback" not in err
    assert "Waiting for 1 running program to finish; press Ctrl-C again to end them." in out
    assert "Not finished: spent 0" in out and "the same command goes on" in out
    study = study_of(path)
    assert [(row.suggestion, row.function) for row in study.observations] == [(1, "f")]
    assert not any(lease.living for lease in study.leases().values())
    code, end, _ = fakes.run(path)
    assert (code, end["finished"], len(pids(path))) == (0, True, 5)  # the first was not repeated


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_two_interrupts_end_programs(tmp_path: Path, number: signal.Signals) -> None:
    path = fakes.write(tmp_path, {"f": SLOW}, initial=2, f="retries = 2")
    process = fakes.start(path, "--json")
    fakes.until(lambda: pids(path))
    (program,) = pids(path)
    process.send_signal(number)
    if number == signal.SIGINT:
        time.sleep(0.2)
        assert fakes.alive(program)
        process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 1 and "stopped by the user" in err and not fakes.alive(program)
    end = json.loads(out)
    assert (end["finished"], end["best"]) == (False, None)
    assert end["pending"] == [{"suggestion": 1, "functions": ["f", "c"]}]
    assert study_of(path).observations == ()
    (tmp_path / "go").touch()
    assert fakes.run(path)[0] == 0


def test_a_killed_run_goes_on_at_once(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, {"f": SLOW}, initial=2)
    process = fakes.start(path)
    fakes.until(lambda: pids(path))
    (program,) = pids(path)
    process.kill()
    process.communicate()
    fakes.until(lambda: not fakes.alive(program))
    (tmp_path / "go").touch()
    start = time.monotonic()
    code, end, _ = fakes.run(path)
    assert (code, end["evaluations"]["f"]["told"]) == (0, 4)
    assert time.monotonic() - start < 20.0  # and not after the 60 seconds of the lease


# --- several runs, and storage that fails


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_runs_share_a_study(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    where = "study.db" if kind == "sqlite" else request.getfixturevalue("postgres").url()
    slowly = "import time; time.sleep(0.05)\n"
    good = {name: slowly + fakes.GOOD.format(name=name, formula=fakes.FORMULAS[name]) for name in "fc"}
    path = fakes.write(tmp_path, good, initial=4, budget=30, study=f'storage = "{where}"')
    runs = [fakes.start(path, "--json", "--workers", "2") for _ in range(3)]
    for process in runs:
        out, err = process.communicate(timeout=100)
        assert (process.returncode, err) == (0, "")
        assert json.loads(out)["spent"] == 30.0 and json.loads(out)["pending"] == []
    study = taut.Study.open(path.parent / where if kind == "sqlite" else where)
    assert [row.number for row in study.suggestions] == list(range(1, 15))
    assert len(study.observations) == 28
    assert len(list((tmp_path / "fake.runs").glob("[0-9]*"))) == 28  # nothing was started twice
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that another user could look into."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def test_a_read_only_database(public: Path) -> None:
    path = fakes.write(public, initial=2, budget=3)
    assert fakes.run(path)[0] == 0
    path = fakes.write(public, initial=2, budget=6)
    whole = path.read_text()
    path.write_text(whole.replace(sys.executable, "/bin/sh"))  # which any user may start
    root = os.geteuid() == 0  # root may write anywhere
    (public / "study.db").chmod(0o444)
    public.chmod(0o555)
    try:
        if root:
            os.seteuid(65534)
        result = fakes.call(path)
    finally:
        if root:
            os.seteuid(0)
        public.chmod(0o755)
        (public / "study.db").chmod(0o644)
    path.write_text(whole)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Change the permissions" in result.stderr and "Traceback" not in result.stderr
    code, end, _ = fakes.run(path)
    assert (code, end["spent"]) == (0, 6.0)


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database may not grow: a limit on the size of files stands for a disk that is full."""
    lease = "lease = 1"  # its end cannot be written either, and this process lives on
    assert fakes.run(fakes.write(tmp_path, initial=2, budget=3, run=lease))[0] == 0
    path = fakes.write(tmp_path, initial=2, budget=99, run=lease)
    known = len(study_of(path).observations)
    monkeypatch.setattr(session, "Plan", partial(Plan, pauses=(0.1,)))
    size, before = (tmp_path / "study.db").stat().st_size, resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        result = fakes.call(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert result.exit_code == 1, result.output
    assert "the disk is full" in result.stderr and "Free some space" in result.stderr
    kept = study_of(path).observations
    assert len(kept) > known
    code, end, _ = fakes.run(path)
    assert (code, end["spent"]) == (0, 99.0)
    assert study_of(path).observations[: len(kept)] == kept
