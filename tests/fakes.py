"""Small study folders with fake programs, and `taut run` as a process of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from taut.app.cli.main import main
from taut.app.run.commands import Command
from taut.study.programs import Outcome, Task

COMMAND = [sys.executable, "-W", "error", "-m", "taut"]

# The fakes need nothing but the standard library, and start twice as fast without the rest.
COMMANDS = {name: json.dumps([sys.executable, "-S", "-E", f"{name}.py"]) for name in ("f", "c")}
STUDY = """\
[study]
name = "fake"
method = "{method}"
seed = {seed}
initial = {initial}
budget = {budget}
{study}
[run]
{run}
[parameters.x]
type = "real"
low = 0.0
high = 1.0

[parameters.y]
type = "real"
low = -1.0
high = 1.0

[objective]
name = "f"
goal = "minimize"
cost = 1
command = {f_command}
{f}
[[constraints]]
name = "c"
at_most = 0.5
cost = 2
command = {c_command}
{c}
"""

GOOD = """\
import json, sys
asked = json.load(sys.stdin)
point = asked["parameters"]
print("a line that is no answer")
print(json.dumps({{"{name}": {formula}}}))
"""
FORMULAS = {"f": "point['x'] ** 2 + point['y']", "c": "point['x'] - point['y']"}


def truth(name: str, point: dict[str, float]) -> float:
    """What the good program of that name prints."""
    return float(eval(FORMULAS[name], {"point": point}))


def write(
    folder: Path,
    programs: dict[str, str] | None = None,
    method: str = "random",
    seed: int = 0,
    initial: int = 2,
    budget: float = 6,
    **tables: str,
) -> Path:
    """A study file with its programs. programs: source by name, in place of the good ones. tables: more keys."""
    folder.mkdir(exist_ok=True)
    extra = {name: tables.get(name, "") for name in ("study", "run", "f", "c")}
    if "verify" not in extra["study"]:  # what is tested with fakes is not what is asked for last
        extra["study"] += "\nverify = false\n"
    path = folder / "study.toml"
    commands = {f"{name}_command": words for name, words in COMMANDS.items()}
    path.write_text(STUDY.format(method=method, seed=seed, initial=initial, budget=budget, **extra, **commands))
    for name, formula in FORMULAS.items():
        (folder / f"{name}.py").write_text((programs or {}).get(name, GOOD.format(name=name, formula=formula)))
    return path


def start(path: Path, *options: str, **settings: Any) -> "subprocess.Popen[str]":
    """taut run, in a process group of its own."""
    return subprocess.Popen(
        [*COMMAND, "run", str(path), *options],
        stdin=subprocess.DEVNULL,
        stdout=settings.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=dict(os.environ) | {"OPENBLAS_NUM_THREADS": "1"} | settings.pop("env", {}),
        **settings,
    )


def call(path: Path, *options: str) -> Result:
    """taut run in this process, which need not import everything again."""
    return CliRunner().invoke(main, ["run", str(path), *options])


def run(path: Path, *options: str) -> tuple[int, dict[str, Any], str]:
    """taut run --json in this process: exit code, what it printed, standard error."""
    result = call(path, "--json", *options)
    return result.exit_code, json.loads(result.stdout) if result.stdout else {}, result.stderr


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def alive(process: int) -> bool:
    """Does it run (and not only wait to be reaped)?"""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


TASK = Task(17, {"width": 0.1 + 0.2, "height": -0.0}, ("stress",))


def command(runs: Path, source: str, **settings: object) -> Command:
    """A program given as Python source."""
    argv = (sys.executable, "-S", "-E", "-c", source)
    return Command("stress", ("stress",), argv, "bracket", str(runs), **settings)  # type: ignore[arg-type]


def failure(outcome: Outcome, *words: str) -> None:
    """It is the failure of that program, and says so."""
    assert outcome.values == {"stress": None} and outcome.failed and not outcome.interrupted
    assert all(word in outcome.note for word in words), outcome.note
