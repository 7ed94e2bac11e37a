"""The examples of docs/hosts.md print what it shows, but for the numbers. Needs OpenMDAO, Xopt: make hosts."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "hosts.md").read_text()
OPENMDAO, GEST, XOPT = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SHOWN = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


def words(text: str) -> list[str]:
    masked = re.sub(r"binding|irrelevant|undecided|excluding", "verdict", text)
    return re.sub(r"NaN|-?\d+(\.\d+)?", "0", masked).split()


def printed(source: str, capsys: pytest.CaptureFixture[str]) -> str:
    names: dict[str, Any] = {"__name__": "example"}
    exec(source, names)
    return capsys.readouterr().out


def test_every_block_compiles() -> None:
    for block in re.findall(r"```pyt?h?o?n?\n(.*?)```", PAGE, re.DOTALL):
        compile(block, "hosts.md", "exec")


def test_openmdao(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openmdao")
    assert words(printed(OPENMDAO, capsys)) == words(SHOWN[0])


def test_xopt(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("xopt")
    assert words(printed(GEST + XOPT, capsys)) == words(SHOWN[1])
