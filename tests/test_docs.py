"""The pages of the documentation do what they say: code runs, dialogues are as shown, everything has its place."""

import inspect
import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import pages
import pytest
import yaml
from studies import done

import taut
from taut.app.cli.main import COMMANDS
from taut.policy import METHODS

RUN = ("answer.md", "choosing-costs.md", "declaring.md", "failures-and-noise.md", "python.md")
"""Pages whose Python is run, one block after the other, with small budgets."""
PLAYED = ("lab-bench.md", "own-programs.md")
"""Pages whose dialogues are played with the files that the page shows."""
EXPECTED = {"examples.md"}
"""Pages that the navigation may name before they are written."""
NEEDS_A_SERVER = "postgresql"


def words(text: str) -> list[str]:
    """The first word of each line, without numbers."""
    return [line.split()[0] for line in pages.without_numbers(text) if line.split()]


@pytest.mark.parametrize("name", RUN)
def test_python_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for code, said in pages.printing(pages.DOCS / name):
        if NEEDS_A_SERVER not in code:
            exec(compile(re.sub(r"budget=\d+", "budget=6", code), name, "exec"), names)
            printed = capsys.readouterr().out
            assert said is None or words(printed) == words(said)


@pytest.mark.parametrize("name", PLAYED)
def test_dialogues(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = pages.DOCS / name
    for title, text in pages.titled(page).items():
        Path(title).write_text(text)
    played = 0
    for block in pages.blocks(page, "console"):
        for part in block.split("$ taut ")[1:]:
            command, _, shown = part.partition("\n")
            if "\n..." not in part:
                assert words(done(*shlex.split(command))) == words(shown)
                played += 1
    assert played


def test_every_command_is_listed() -> None:
    listed = re.findall(r"^\| `taut (\w+)[^`]*` \|", (pages.DOCS / "commands.md").read_text(), re.MULTILINE)
    assert set(listed) == set(COMMANDS) - {"demo"}


def test_methods_table() -> None:
    text = (pages.DOCS / "methods.md").read_text()
    assert re.findall(r"^\| `([a-z+-]+)`(?: \(default\))? \|", text, re.MULTILINE) == list(METHODS)


class TestSite:
    """What `make docs` relies on, without building it."""

    @pytest.fixture
    def nav(self) -> list[str]:
        def files(entries: list[Any]) -> list[str]:
            found: list[str] = []
            for entry in entries:
                for what in entry.values():
                    found += files(what) if isinstance(what, list) else [what]
            return found

        return files(yaml.safe_load((pages.ROOT / "mkdocs.yml").read_text())["nav"])

    def test_the_navigation_names_pages_that_exist(self, nav: list[str]) -> None:
        homes = {"index.md": pages.README} | {name: pages.ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md")}
        missing = {name for name in nav if not homes.get(name, pages.DOCS / name).exists()}
        assert missing <= EXPECTED and len(nav) == len(set(nav))

    def test_every_page_is_in_the_navigation(self, nav: list[str]) -> None:
        assert {path.name for path in pages.DOCS.glob("*.md")} <= set(nav)

    @pytest.mark.parametrize("name", [name for name in taut.__all__ if not name.startswith("__")])
    def test_every_public_name_is_in_the_reference(self, name: str) -> None:
        text = (pages.DOCS / "api.md").read_text()
        if inspect.ismodule(public := getattr(taut, name)):
            shown = [each for each in dir(public) if inspect.isroutine(getattr(public, each))]
            assert [each for each in shown if f"::: taut.{name}.{each}\n" not in text] == []
        else:
            assert re.search(rf"(^::: taut\.{name}$)|(^#+ .*`taut\.{name}`)", text, re.MULTILINE)

    def test_so_are_the_hosts(self) -> None:
        text = (pages.DOCS / "api.md").read_text()
        found = [
            f"taut.hosts.{path.stem}.{name}"  # read, not imported: what they need is not installed here
            for path in sorted((pages.ROOT / "src" / "taut" / "hosts").glob("*.py"))
            for name in re.findall(r"^class (Taut\w+)", path.read_text(), re.MULTILINE)
        ]
        assert found and [name for name in found if f"::: {name}\n" not in text] == []

    @pytest.mark.parametrize("name", [name for name in taut.__all__ if inspect.isclass(getattr(taut, name))])
    def test_every_public_name_has_a_docstring(self, name: str) -> None:
        public = getattr(taut, name)
        members = [each for each in vars(public) if not each.startswith("_")]
        written = [
            each for each in members if callable(getattr(public, each)) or isinstance(vars(public)[each], property)
        ]
        assert inspect.getdoc(public)
        assert [each for each in written if not inspect.getdoc(getattr(public, each))] == []


class TestTools:
    """What builds the site."""

    @pytest.mark.parametrize(
        ("body", "problem"),
        [
            ('<a href="other.html#there">', None),
            ('<a href="https://example.org/">', None),
            ('<img src="picture.svg">', "a.html: picture.svg does not exist"),
            ('<a href="missing.html">', "a.html: missing.html does not exist"),
            ('<a href="other.html#nowhere">', "a.html: other.html#nowhere has no such anchor"),
            ('<script src="https://example.org/x.js">', "a.html: loads https://example.org/x.js from another host"),
        ],
    )
    def test_links_are_checked(self, tmp_path: Path, body: str, problem: str | None) -> None:
        (tmp_path / "a.html").write_text(body)
        (tmp_path / "other.html").write_text('<h1 id="there">')
        found = runpy.run_path(str(pages.ROOT / "website" / "links.py"))["problems"](tmp_path)
        assert found == ([] if problem is None else [problem])

    def test_a_page_that_was_printed_from_its_cells(self) -> None:
        """docs/tutorial.md has the text and the code of website/tutorial.py as it is now; make tutorial prints it."""
        cells = runpy.run_path(str(pages.ROOT / "website" / "notebook.py"))["cells"]
        source = (pages.ROOT / "website" / "tutorial.py").read_text()
        page = (pages.DOCS / "tutorial.md").read_text()
        assert [body for _, body in cells(source) if body not in page] == []
