"""A study file for tests of the command line, and what a mistake must look like."""

import hashlib
import re
import sqlite3
from pathlib import Path

from click.testing import CliRunner, Result

from taut.app.cli.main import main

GOOD = """\
[study]
name = "bracket"
method = "random"
budget = 40
seed = 1
initial = 2
initial_design = "independent"
storage = "bracket.db"

[run]
workers = 1

[parameters.width]
type = "real"
low = 1.0
high = 9.0

[parameters.height]
low = 0.1
high = 10.0
log = true

[objective]
name = "mass"
goal = "minimize"
cost = 1
command = ["python", "mass.py"]

[[constraints]]
name = "stress"
at_most = 250.0
cost = 20
command = ["python", "stress.py"]
timeout = 3600
retries = 1

[[constraints]]
name = "drag"
at_most = 3.0
at_least = 1.0

[[constraints]]
name = "lift"
at_least = 0.5

[[groups]]
name = "cfd"
functions = ["drag", "lift"]
cost = 5
command = ["python", "cfd.py"]
"""
"""Initial design: suggestions 1 and 4 ask for mass, 2 and 5 for stress, 3 and 6 for drag and lift."""

SMALL = """\
[study]
name = "small one"
[parameters.x]
low = 0
high = 1
[objective]
name = "f"
goal = "maximize"
"""


def call(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


def done(*args: str) -> str:
    """What a command prints that must succeed."""
    result = call(*args)
    assert result.exit_code == 0, result.stderr or result.exception
    assert result.stderr == ""
    return result.stdout


def assert_mistake(result: Result, *words: str) -> None:
    """Exit code 2 and one sentence on standard error."""
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2
    assert result.stdout == ""
    message = result.stderr
    assert message.startswith("Error: ")
    assert message.endswith(".\n")
    assert message.count("\n") == 1
    assert "Traceback" not in message
    sentence = message.split(" See 'taut ")[0]  # the parser's own complaints end with a hint
    assert not re.search(r"\w\w[.!?] [A-Z]", sentence), f"more than one sentence: {message}"
    assert len(message) < 2000
    for word in words:
        assert word in message, message


def swap(old: str, new: str) -> str:
    """The good file with one part replaced."""
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def assert_refused(place: Path, content: bytes, *words: str) -> None:
    """No command takes a file with this content, put into a folder with a study that has begun; nothing changes."""
    bad = place / "bad.toml"
    bad.write_bytes(content)
    before, files = contents(place / "bracket.db"), sorted(place.iterdir())
    for command in (["ask"], ["tell", "2", "stress=1"], ["status"], ["add", "data.csv"], ["run"]):
        assert_mistake(call(command[0], str(bad), *command[1:]), "bad.toml'", *words)
    assert contents(place / "bracket.db") == before
    assert sorted(place.iterdir()) == files


def contents(database: Path) -> str:
    """A fingerprint of all rows of all tables; of a file that is not there, nothing."""
    if not database.exists():
        return ""
    connection = sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)
    try:
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()
    finally:
        connection.close()
