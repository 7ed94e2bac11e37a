"""The documents agree with the code: the example is the one that runs, the tables hold all names and defaults."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from studies import done

from taut.app.cli.main import COMMANDS
from taut.app.studyfile import template
from taut.policy import METHODS
from taut.policy.options import OPTIONS, PRESETS, option

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
METHOD = (ROOT / "docs" / "method.md").read_text()
QUICKSTART = ROOT / "examples" / "quickstart.py"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def without_numbers(text: str) -> list[str]:
    return re.sub(r"\d+(\.\d+)?", "0", re.sub("binding|irrelevant|undecided", "verdict", text)).splitlines()


def test_example_is_the_file() -> None:
    assert blocks("python")[0] == QUICKSTART.read_text()


def test_example_prints_what_the_readme_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, changed = re.subn(r"budget=\d+", "budget=2", QUICKSTART.read_text())
    assert changed == 1
    small = tmp_path / "quickstart.py"
    small.write_text(source)
    runpy.run_path(str(small))
    assert without_numbers(capsys.readouterr().out) == without_numbers(blocks("text")[0])


@pytest.mark.parametrize("block", blocks("python"))
def test_python_compiles(block: str) -> None:
    compile(block, "README.md", "exec")


def test_single_call(capsys: pytest.CaptureFixture[str]) -> None:
    source = next(block for block in blocks("python") if "taut.minimize" in block)
    exec(source.replace("budget=20", "budget=1"), {})
    assert capsys.readouterr().out.startswith("{'x': ")


def test_a_study_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    declaration = QUICKSTART.read_text().partition("study = ")[0]
    source = next(block for block in blocks("python") if "Study.open" in block)
    names: dict[str, Any] = {}
    exec(declaration + source, names)
    assert [path.name for path in tmp_path.iterdir()] == ["bracket.db"]
    assert names["study"].counts["stress"] == 1


class TestCommands:
    """The dialogues with the command line."""

    @pytest.fixture
    def small(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The example in the current folder, with a small budget."""
        monkeypatch.chdir(tmp_path)
        template.write("bracket")
        path = Path("bracket/study.toml")
        path.write_text(path.read_text().replace("budget = 60", "budget = 2"))
        return path

    def test_init(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert f"$ taut init bracket\n{done('init', 'bracket')}" == blocks("console")[0]

    def test_excerpts_of_the_example(self) -> None:
        assert blocks("toml")[0] in template.content("study.toml").decode()
        assert blocks("py") == [template.content("stress.py").decode()]

    def test_run(self, small: Path) -> None:
        begin, end = blocks("console")[1].split("\n...\n")
        command, *first = begin.splitlines()
        assert command == "$ taut run bracket/study.toml --plain"
        printed = without_numbers(done(*command.split()[2:]))
        assert printed[: len(first)] == without_numbers("\n".join(first))
        last = without_numbers(end.partition("\n\n")[2])
        said = ("best measured", "raising", "lowering", "the ", "note", "outlook")  # not after every budget
        tail = printed[next(k for k, line in enumerate(printed) if line.startswith("Finished")) :]
        words = [[line.split()[:1] for line in lines if line and not line.startswith(said)] for lines in (tail, last)]
        assert words[0] == words[1] and len(words[0]) == 11

    def test_by_hand(self, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir("bracket")
        for part in blocks("console")[2].split("$ taut ")[1:]:
            command, _, shown = part.partition("\n")
            assert without_numbers(done(*command.split())) == without_numbers(shown)

    def test_every_command_is_listed(self) -> None:
        listed = re.findall(r"^\| `taut (\w+)[^`]*` \|", README, re.MULTILINE)
        assert set(listed) == set(COMMANDS) - {"demo"}


def test_methods_table() -> None:
    assert re.findall(r"^\| `([a-z+-]+)`(?: \(default\))? \|", README, re.MULTILINE) == list(METHODS)


def test_options_table() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| `([^`]+)` \| (.+) \|$", METHOD, re.MULTILINE)
    defaults, paper = PRESETS["default"], PRESETS["paper"]
    assert sorted(row[:3] for row in rows) == sorted(
        (name, str(option(defaults, name)), str(option(paper, name))) for name in OPTIONS
    )
    sizes = {name: [option(defaults.for_problem(d), name) for d in (1, 2, 3, 4, 20)] for name in OPTIONS}
    for name, default, _, meaning in rows:
        if default == "None" and name != "penalty":
            few, two, three, *more = sizes[name]
            assert few == two and {three} == set(more)
            assert f"`None` is {two} with one or two parameters, {three} with three or more" in meaning


PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target
