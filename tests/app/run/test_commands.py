"""Programs: what goes in, what comes out, and attempts."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from fakes import TASK, command, failure

from taut.app.run.commands import Command, parse
from taut.base.errors import StoppedError
from taut.study.programs import Outcome, Task


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "bracket.runs"


# --- what goes in and comes out


def test_the_request_and_the_answer(runs: Path) -> None:
    source = (
        "import json, os, sys; asked = json.load(sys.stdin); print(asked); open('mesh.txt', 'w').write('x')\n"
        "json.dump([asked, os.getcwd(), os.environ['TAUT_FOLDER'], os.environ['LICENCE']], open('seen.json', 'w'))\n"
        'print(\'{"stress": 231.4, "other": 1}\')\n\n'
    )
    outcome = command(runs, source, environment={"LICENCE": "7"}).evaluate(TASK)
    assert outcome == Outcome({"stress": 231.4})
    folder = runs / "17-stress-1"
    asked, where, study_folder, licence = json.loads((folder / "seen.json").read_text())
    assert asked == {
        "study": "bracket",
        "suggestion": 17,
        "parameters": {"width": 0.1 + 0.2, "height": -0.0},
        "functions": ["stress"],
    }
    assert (where, study_folder, licence) == (str(folder), str(runs.parent), "7")
    assert json.loads((folder / "taut-input.json").read_text()) == asked
    assert (folder / "taut-stdout.txt").read_text().endswith('{"stress": 231.4, "other": 1}\n')


@pytest.mark.parametrize(
    ("output", "value"),
    [
        (b'{"stress": 3}', 3.0),
        (b'noise\n{"stress": -2.5e-3}\r\n \n', -2.5e-3),
        (b'\xff\xfe\n{"stress": 1.0, "drag": NaN}', 1.0),
        (b'{"stress": NaN}', None),
        (b'{"stress": Infinity}', None),
        (b'{"stress": 1e400}', None),
        (b'{"stress": 1e200}', None),
        (b'{"stress": true}', None),
        (b'{"stress": "3.0"}', None),
        (b'{"stress": null}', None),
        (b'{"stress": [1.0]}', None),
        (b'{"stress": ' + b"9" * 5000 + b"}", None),
        (b'{"Stress": 1.0}', None),
        (b'[{"stress": 1.0}]', None),
        (b"3.0", None),
        (b'{"stress": 1.0', None),
        (b'{"stress": 1.0}\ndone', None),
        (b"[" * 100_000, None),
        (b"", None),
        (b'{"stress": 1.0, "stress": 1.0}', None),
        (b'{"stress": 1.0, "other": {"stress": 1, "stress": 2}, "drag": 1, "drag": 2}', 1.0),
    ],
)
def test_the_last_line_counts(output: bytes, value: float | None) -> None:
    outcome = parse(output, ["stress"])
    assert outcome.values == {"stress": value}
    assert bool(outcome.note) == (value is None) and len(outcome.note) < 500


def test_an_unfinished_line_before_the_object_is_named() -> None:
    outcome = parse(b'Maximum trials ... 200{"stress": 1.0}', ["stress"])
    assert outcome.failed and outcome.note.endswith("print a line break before the object")
    assert "line break" not in parse(b"Maximum trials ... 200", ["stress"]).note


def test_a_group_fails_only_for_what_is_missing() -> None:
    outcome = parse(b'{"drag": 1.5, "mass": NaN}', ["drag", "lift", "mass"])
    assert outcome.values == {"drag": 1.5, "lift": None, "mass": None} and not outcome.failed
    assert "lift is missing" in outcome.note and "mass returned nan" in outcome.note


def test_the_answer_may_stand_before_what_others_wrote() -> None:
    output = b'{"stress": 1.0}\n{"stress": 2.0}\njunk\n{"other": 3.0}\njunk'
    assert parse(output, ["stress"], shared=True) == Outcome({"stress": 2.0})
    assert parse(output, ["stress"]).failed
    assert parse(b"{}\njunk", ["stress"], shared=True).failed


def test_a_value_that_is_given_twice_is_none() -> None:
    outcome = parse(b'{"drag": 1.5, "mass": 1.0, "mass": 2.0}', ["drag", "mass"])
    assert outcome.values == {"drag": 1.5, "mass": None}
    assert "mass returned more than one value (its key is there twice)" in outcome.note


def test_a_failure_is_explained_by_the_end_of_standard_error(runs: Path) -> None:
    source = "import sys; print('{\"stress\": 1.0}'); sys.stderr.write('x' * 5000 + 'no licence\\n'); sys.exit(3)"
    outcome = command(runs, source).evaluate(TASK)
    failure(outcome, "exit code 3", "no licence")
    assert len(outcome.note) < 2200


def test_ended_by_a_signal(runs: Path) -> None:
    failure(command(runs, "import os; os.kill(os.getpid(), 11)").evaluate(TASK), "signal 11")


def test_a_program_need_not_read_its_input(runs: Path) -> None:
    many = Task(1, {f"x{k}": float(k) for k in range(20_000)}, ("stress",))
    assert command(runs, "print('{\"stress\": 1.0}')").evaluate(many) == Outcome({"stress": 1.0})


def test_no_shell_sees_the_words(runs: Path) -> None:
    source = "import sys, json; print(json.dumps({'stress': len(sys.argv[1])}))"
    argv = (sys.executable, "-c", source, "$(touch x); `id` *")
    outcome = Command("stress", ("stress",), argv, "bracket", str(runs)).evaluate(TASK)
    assert outcome == Outcome({"stress": 18.0})
    assert not list(runs.rglob("x"))


# --- attempts and folders


def test_retries(runs: Path) -> None:
    source = (
        "import os, sys; n = int(os.getcwd().rpartition('-')[2]); print('{\"stress\": %d}' % n)\n"
        "sys.exit('not yet' if n < 3 else 0)"
    )
    failure(command(runs, source, retries=1).evaluate(TASK), "attempt 2 of 2: exit code 1", "not yet")
    assert command(runs, source, retries=1).evaluate(TASK) == Outcome({"stress": 3.0})
    assert sorted(path.name for path in runs.iterdir()) == ["17-stress-1", "17-stress-2", "17-stress-3"]


def test_a_retry_asks_only_for_what_is_missing(runs: Path) -> None:
    source = (
        "import json, sys; asked = json.load(sys.stdin)['functions']\n"
        "print(json.dumps({'a': 1.0} if 'a' in asked else {name: 2.0 for name in asked}))"
    )
    program = Command("ab", ("a", "b"), (sys.executable, "-c", source), "bracket", str(runs), retries=1)
    assert program.evaluate(Task(3, {"x": 1.0}, ("a", "b"))) == Outcome({"a": 1.0, "b": 2.0})


@pytest.mark.parametrize(
    ("keep", "left"), [("all", ["17-stress-1", "18-stress-1"]), ("failed", ["18-stress-1"]), ("none", [])]
)
def test_folders_are_kept_as_asked(runs: Path, keep: str, left: list[str]) -> None:
    assert not command(runs, "print('{\"stress\": 1.0}')", keep=keep).evaluate(TASK).failed
    assert command(runs, "import sys; sys.exit(1)", keep=keep).evaluate(Task(18, {}, ("stress",))).failed
    assert sorted(path.name for path in runs.iterdir()) == left


def test_files_follow_the_umask_and_stay_in_the_folder(runs: Path) -> None:
    before = os.umask(0o077)
    try:
        command(runs, "print('{\"stress\": 1.0}')").evaluate(TASK)
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in runs.rglob("*")} == {0o700, 0o600}
    assert [path.name for path in runs.parent.iterdir()] == ["bracket.runs"]


def test_a_program_that_cannot_be_started_is_no_failure_of_the_function(runs: Path) -> None:
    for argv, runs_there in ((("/no/such",), runs), (("/etc/passwd",), runs), (("/bin/true",), runs / "a" / "b")):
        with pytest.raises(StoppedError, match="'stress'.*could not be started.*stays pending"):
            Command("stress", ("stress",), argv, "bracket", str(runs_there)).evaluate(TASK)
