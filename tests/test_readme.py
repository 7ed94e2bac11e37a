"""What a newcomer meets first is true: the README's example, the first study, the links and the options."""

import re
import runpy
from pathlib import Path

import pages
import pytest
from pages import without_numbers
from studies import done

from taut.app.studyfile import template
from taut.policy.options import OPTIONS, PRESETS, option

METHOD = (pages.DOCS / "method.md").read_text()
QUICKSTART = pages.ROOT / "examples" / "quickstart.py"
PICTURES = runpy.run_path(str(pages.ROOT / "website" / "pictures.py"))["PICTURES"]


def first_study(language: str) -> list[str]:
    return pages.blocks(pages.DOCS / "first-study.md", language)


def test_example_is_the_file() -> None:
    assert pages.blocks(pages.README, "python")[0] == QUICKSTART.read_text()


def test_example_prints_what_the_readme_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, changed = re.subn(r"budget=\d+", "budget=2", QUICKSTART.read_text())
    assert changed == 1
    small = tmp_path / "quickstart.py"
    small.write_text(source)
    runpy.run_path(str(small))
    assert without_numbers(capsys.readouterr().out) == without_numbers(pages.blocks(pages.README, "text")[0])


class TestCommands:
    """The dialogues of the first study."""

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
        assert f"$ taut init bracket\n{done('init', 'bracket')}" == first_study("console")[0]

    def test_excerpts_of_the_example(self) -> None:
        assert first_study("toml")[0] in template.content("study.toml").decode()
        assert first_study("py") == [template.content("stress.py").decode()]

    def test_run(self, small: Path) -> None:
        begin, end = first_study("console")[1].split("\n...\n")
        command, *first = begin.splitlines()
        assert command == "$ taut run bracket/study.toml --plain"
        printed = without_numbers(done(*command.split()[2:]))
        assert printed[: len(first)] == without_numbers("\n".join(first))
        last = without_numbers(end.partition("\n\n")[2])
        said = ("best measured", "raising", "lowering", "the ", "note", "outlook")  # not after every budget
        tail = printed[next(k for k, line in enumerate(printed) if line.startswith("Finished")) :]
        words = [[line.split()[:1] for line in lines if line and not line.startswith(said)] for lines in (tail, last)]
        assert words[0] == words[1] and len(words[0]) == 11


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


PAGES = [pages.README, pages.ROOT / "CONTRIBUTING.md", *sorted(pages.DOCS.glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    made = {f"pictures/{name}.svg" for name in PICTURES}  # by make docs
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert target in made or (page.parent / target).exists(), target
