"""docs/studyfile.md describes exactly the keys that a study file may hold, and the columns of an export."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from taut.app.look import export
from taut.app.studyfile import file as studyfile
from taut.app.studyfile.keys import TABLES

PAGE = (Path(__file__).parents[3] / "docs" / "studyfile.md").read_text()
[EVERYTHING] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
HEADERS = {
    "study": "## [study]",
    "run": "## [run]",
    "parameters": "## [parameters.NAME]",
    "objective": "## [objective]",
    "constraints": "## [[constraints]]",
    "groups": "## [[groups]]",
    "setups": "## [[setups]]",
    "tables": "## [tables.NAME]",
}


def section(header: str) -> str:
    return PAGE.partition(f"\n{header}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("table", TABLES)
def test_every_key_is_documented_and_no_other(table: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \|([^|]*)\|", section(HEADERS[table]), re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted(TABLES[table])
    for name, default in rows:
        assert (default.strip() == "") == TABLES[table][name].required, name


@pytest.mark.parametrize("table", TABLES)
def test_the_example_uses_every_key(table: str) -> None:
    content: Any = tomllib.loads(EVERYTHING)[table]
    if table == "tables":  # of numbers under any names
        assert content
        return
    entries = content if isinstance(content, list) else content.values() if table == "parameters" else [content]
    instead = {"formula"} if table == "objective" else set()  # of a command
    assert {name for entry in entries for name in entry} == set(TABLES[table]) - instead


def test_the_example_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(EVERYTHING)
    file = studyfile.load(tmp_path / "study.toml")
    studyfile.open_study(file)
    assert studyfile.require_runnable(file) == 400.0


def test_defaults_are_those_of_the_code() -> None:
    settings = studyfile.RunSettings()
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| `([^`]*)` \|", section(HEADERS["run"]), re.MULTILINE))
    assert {name: getattr(settings, name) for name in rows} == {
        name: default.strip('"') if default.startswith('"') else int(default) for name, default in rows.items()
    }


@pytest.mark.parametrize(("table", "name"), [(table, name) for table in TABLES for name in TABLES[table]])
def test_every_example_in_a_message_is_right(table: str, name: str) -> None:
    key = TABLES[table][name]
    if table == "study" and name == "options":
        assert key.fits({})
        return
    [(found, value)] = tomllib.loads(key.example).items()
    assert found == name
    assert key.fits(value)


def test_columns_of_an_export() -> None:
    times = [f"{export.SECONDS}NAME", f"{export.SETUP}NAME"]
    assert re.findall(r"^\| `(taut_\w+)` \|", PAGE, re.MULTILINE) == [*export.BEFORE, *export.AFTER, *times]
