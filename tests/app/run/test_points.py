"""What programs at one point share: made once, whoever comes first, whatever happens to whom."""

import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from taut.app.run import processes
from taut.app.run.commands import Command, parse
from taut.app.run.points import SetupProgram, folder_of, prepare
from taut.base.errors import StoppedError
from taut.study.programs import Outcome, Task

PYTHON = (sys.executable, "-S", "-E", "-c")
MESH = SetupProgram("mesh", (*PYTHON, ""))
POINT = {"width": 0.1 + 0.2, "ribs": 3}
TASK = Task(17, POINT, ("stress",))
SHARED = "import json, os, sys; asked = json.load(sys.stdin); mesh = os.environ['TAUT_POINT'] + '/mesh/mesh.txt'\n"


def never() -> bool:
    return False


def program(runs: Path, source: str, setup: str | None = None, name: str = "stress") -> Command:
    argv = () if setup is None else (*PYTHON, SHARED + setup)
    return Command(
        name, (name,), (*PYTHON, SHARED + source), "bracket", str(runs), setups=(SetupProgram("mesh", argv),)
    )


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "bracket.runs"


def test_a_point_is_found_by_its_numbers(runs: Path) -> None:
    here = folder_of(runs, POINT)
    assert here == folder_of(runs, {"ribs": 3, "width": 0.1 + 0.2}) and here.parent == runs / "points"
    assert here != folder_of(runs, {**POINT, "width": 0.3})


def test_a_command_makes_it_once(runs: Path) -> None:
    setup = "open(mesh, 'a').write('fine'); print('meshed')\n"
    source = "assert asked['setups'][0]['made']; print(json.dumps({'stress': len(open(mesh).read())}))\n"
    first, second = (program(runs, source, setup).evaluate(TASK) for _ in range(2))
    assert first == second == Outcome({"stress": 4.0})
    assert first.setup is not None and first.seconds is not None and 0.0 < first.setup < first.seconds
    assert second.setup is None
    asked = json.loads((runs / "17-mesh-1" / "taut-input.json").read_text())
    folder = str(folder_of(runs, POINT) / "mesh")
    assert asked["setups"] == [{"name": "mesh", "folder": folder, "made": False}] and asked["parameters"] == POINT
    assert not (runs / "17-mesh-2").exists()


def test_the_first_program_makes_it_where_there_is_no_command(runs: Path) -> None:
    source = (
        "made = asked['setups'][0]['made']\n"
        "if not made: open(mesh, 'x').write('fine')\n"
        "print(json.dumps({'stress': len(open(mesh).read()) + 10 * made, 'mesh': 0.001}))\n"
    )
    first, second = (program(runs, source).evaluate(TASK) for _ in range(2))
    assert (first.values, second.values) == ({"stress": 4.0}, {"stress": 14.0})
    assert first.setup == 0.001


def test_a_setup_that_fails_is_a_failure_and_is_tried_again(runs: Path) -> None:
    setup = "open(mesh, 'w').write('half'); sys.exit('out of elements' if not os.path.exists('../ok') else 0)\n"
    made = program(runs, "print(json.dumps({'stress': len(open(mesh).read())}))\n", setup)
    outcome = made.evaluate(TASK)
    assert outcome.failed and "setup 'mesh': exit code 1" in outcome.note and "out of elements" in outcome.note
    assert outcome.setup is not None
    ended, tried = made.trial(TASK)
    assert ended is None and tried.failed
    (runs / "ok").write_text("")
    assert made.evaluate(TASK) == Outcome({"stress": 4.0})


def test_every_attempt_begins_with_an_empty_folder(runs: Path) -> None:
    source = (
        "open(mesh, 'x').write('fine'); tried = '../tried'\n"
        "if not os.path.exists(tried): open(tried, 'w'); sys.exit('once')\n"
        "print(json.dumps({'stress': 1}))\n"
    )
    assert replace(program(runs, source), retries=1).evaluate(TASK) == Outcome({"stress": 1.0})


def test_a_setup_that_is_ended_on_request_is_no_failure(runs: Path) -> None:
    made = replace(program(runs, "", "import time; time.sleep(60)\n"), owner="a run that ends")
    threading.Timer(0.3, lambda: processes.end_all("a run that ends")).start()
    outcome = made.evaluate(TASK)
    assert outcome.interrupted


def test_what_one_left_behind_is_removed(runs: Path) -> None:
    """Killed in the middle: no mark, so the next one begins anew."""
    place = folder_of(runs, POINT) / "mesh"
    place.mkdir(parents=True)
    (place / "mesh.txt").write_text("half")
    made = program(runs, "print(json.dumps({'stress': len(open(mesh).read())}))\n", "open(mesh, 'x').write('fine')\n")
    assert made.evaluate(TASK) == Outcome({"stress": 4.0})


@pytest.mark.parametrize("setup", [None, "time_out"])
def test_of_two_workers_one_makes_it(runs: Path, setup: str | None) -> None:
    make = "import time; time.sleep(0.2); open(mesh, 'x').write('fine')\n"
    source = (
        f"exec({make!r}) if not asked['setups'][0]['made'] else None; print(json.dumps({{asked['functions'][0]: 1}}))\n"
    )
    programs = [program(runs, source, None if setup is None else make, name) for name in ("stress", "buckling")]
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(each.evaluate, Task(17, POINT, (each.name,))) for each in programs]
        outcomes = [each.result() for each in found]
    assert [outcome.values for outcome in outcomes] == [{"stress": 1.0}, {"buckling": 1.0}]
    if setup is not None:
        assert sorted(outcome.setup is None for outcome in outcomes) == [False, True]
    # Whoever waited did not take longer for it.
    assert sum((outcome.seconds or 0.0) - (outcome.setup or 0.0) for outcome in outcomes) > 0.0


def test_the_lock_ends_with_its_holder_and_with_the_run(tmp_path: Path) -> None:
    held, stop, seen = threading.Event(), threading.Event(), []

    def other() -> None:
        held.wait()
        with prepare(tmp_path / "p", [SetupProgram("mesh")], lambda *_: "", stop.is_set) as ready:
            seen.append(ready.interrupted)

    thread = threading.Thread(target=other)
    thread.start()
    with prepare(tmp_path / "p", [SetupProgram("mesh")], lambda *_: "", never) as ready:
        held.set()
        time.sleep(0.1)
        assert ready.made == {"mesh": False} and not seen
        stop.set()
        thread.join(10.0)
    assert seen == [True]
    with prepare(tmp_path / "p", [SetupProgram("mesh")], lambda *_: "", never) as ready:
        assert ready.made == {"mesh": False}  # nobody has given a value
        ready.success = True
    with prepare(tmp_path / "p", [SetupProgram("mesh")], lambda *_: "", never) as ready:
        assert ready.made == {"mesh": True}


def test_a_folder_that_cannot_be_made_stops_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoppedError, match="Setup 'mesh'.*stays pending"):
        with prepare(tmp_path / "file" / "p", [MESH], lambda *_: "", never):
            pass


@pytest.mark.parametrize(
    ("text", "seconds"), [("2.5", 2.5), ("-1", None), ("NaN", None), ('"x"', None), ("null", None)]
)
def test_a_program_may_say_how_long_the_setup_took(text: str, seconds: float | None) -> None:
    outcome = parse(b'{"stress": 1.0, "mesh": %s}' % text.encode(), ["stress"], setups=["mesh"])
    assert outcome.values == {"stress": 1.0} and outcome.setup == seconds
