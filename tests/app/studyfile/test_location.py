"""Where a study file keeps its study, and a file that changed since the study began."""

from pathlib import Path

import pytest
from studies import GOOD, SMALL, assert_mistake, call, contents, done

from taut.app.studyfile import file as studyfile


def write(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text)
    return path


class TestPlace:
    def test_same_study_from_anywhere(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tmp_path, GOOD)
        done("ask", str(tmp_path / "study.toml"))
        monkeypatch.chdir(tmp_path)
        done("ask", "study.toml")
        (tmp_path / "sub").mkdir()
        monkeypatch.chdir(tmp_path / "sub")
        assert '"suggestion": 3' in done("ask", "../study.toml", "--json")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["bracket.db", "study.toml", "sub"]

    @pytest.mark.parametrize("storage", ["sub/x.db", "./x.db", "sub/../x.db"])
    def test_inside_the_folder(self, tmp_path: Path, storage: str) -> None:
        (tmp_path / "sub").mkdir()
        file = studyfile.load(write(tmp_path, GOOD.replace("bracket.db", storage)))
        assert file.study.storage == str((tmp_path / storage).resolve())

    def test_absolute_path_inside_the_folder(self, tmp_path: Path) -> None:
        file = studyfile.load(write(tmp_path, GOOD.replace("bracket.db", str(tmp_path / "x.db"))))
        assert file.study.storage == str(tmp_path.resolve() / "x.db")

    @pytest.mark.parametrize("scheme", ["postgresql+psycopg", "postgresql", "postgres"])
    def test_server(self, tmp_path: Path, scheme: str) -> None:
        file = studyfile.load(write(tmp_path, GOOD.replace("bracket.db", f"{scheme}://me:secret@host/db")))
        assert file.study.storage == f"{scheme}://me:secret@host/db"

    def test_on_a_server(self, tmp_path: Path, postgres: object) -> None:
        url = postgres.url()  # type: ignore[attr-defined]
        path = str(write(tmp_path, GOOD.replace("bracket.db", url)))
        done("ask", path)
        done("tell", path, "1", "mass=1.5")
        assert "mass      1     1" in done("status", path)
        Path(path).write_text(GOOD.replace("bracket.db", url).replace("seed = 1", "seed = 2"))
        assert_mistake(call("status", path), "[study] seed is 1 there and 2 in the file")

    def test_foreign_file(self, tmp_path: Path) -> None:
        (tmp_path / "bracket.db").write_text("my notes")
        path = write(tmp_path, GOOD)
        result = call("ask", str(path))
        assert result.exit_code == 2
        assert "expected a study written by taut" in result.stderr
        assert (tmp_path / "bracket.db").read_text() == "my notes"


WIDTH = '[parameters.width]\ntype = "real"\nlow = 1.0\nhigh = 9.0\n'


HEIGHT = "[parameters.height]\nlow = 0.1\nhigh = 10.0\nlog = true\n"


# A change to the file after the study began, and how the message names it.
CHANGES: dict[str, tuple[str, str, str]] = {
    "bound": ("high = 9.0", "high = 12.0", "[parameters.width] high is 9.0 there and 12.0 in the file"),
    "logarithm": ("log = true", "log = false", "[parameters.height] log is True there and False in the file"),
    "parameter renamed": ("[parameters.width]", "[parameters.depth]", "[parameters.width] is there and not in the"),
    "objective renamed": ('"mass"', '"weight"', "[objective] name is 'mass' there and 'weight' in the file"),
    "goal": ('"minimize"', '"maximize"', "[objective] goal is 'minimize' there and 'maximize' in the file"),
    "cost": ("cost = 20", "cost = 2", "[[constraints]] 'stress' cost is 20.0 there and 2.0 in the file"),
    "limit": ("at_most = 250.0", "at_most = 100", "[[constraints]] 'stress' at_most is 250.0 there and 100.0 in the"),
    "limit gone": ("at_least = 1.0\n", "", "[[constraints]] 'drag' at_least is 1.0 there and not given in the file"),
    "noise": ("cost = 20", 'cost = 20\nnoise = "learned"', "[[constraints]] 'stress' noise is not given there"),
    "constraint renamed": ('name = "stress"', 'name = "strain"', "[[constraints]] 'strain' is in the file and not"),
    "group": ("cost = 5\n", "cost = 6\n", "[[groups]] 'cfd' cost is 5.0 there and 6.0 in the file"),
    "method": ('method = "random"', 'method = "cei"', "[study] method is 'random' there and 'cei' in the file"),
    "seed": ("seed = 1", "seed = 2", "[study] seed is 1 there and 2 in the file"),
    "initial": ("initial = 2", "initial = 3", "[study] initial is 2 there and 3 in the file"),
    "design": ('"independent"', '"coupled"', "[study] initial_design is 'independent' there"),
    "preset": ("seed = 1", 'seed = 1\npreset = "paper"', "[study] preset is not given there and 'paper' in the file"),
    "options": ("seed = 1", "seed = 1\noptions = {raw = 9}", "[study] options is {} there and {'raw': 9} in the file"),
    "order": (
        f"{WIDTH}\n{HEIGHT}",
        f"{HEIGHT}\n{WIDTH}",
        "the order of the parameters is width, height there and height, width in the file",
    ),
}


@pytest.fixture(scope="module")
def begun(folder: Path) -> Path:
    place = folder / "begun"
    place.mkdir()
    path = write(place, GOOD)
    done("ask", str(path))
    return path


@pytest.mark.parametrize("what", CHANGES)
def test_changed_file_is_named(what: str, begun: Path) -> None:
    old, new, words = CHANGES[what]
    assert old in GOOD
    changed = begun.with_name("changed.toml")
    changed.write_text(GOOD.replace(old, new))
    before = contents(begun.with_name("bracket.db"))
    for args in (["ask"], ["tell", "1", "mass=1"], ["status"], ["best"], ["export", "-o", "x.csv"]):
        assert_mistake(call(args[0], str(changed), *args[1:]), "changed.toml'", words, "another storage")
    assert contents(begun.with_name("bracket.db")) == before


def test_many_changes_are_counted(begun: Path) -> None:
    changed = begun.with_name("changed.toml")
    changed.write_text(SMALL.replace("[study]", '[study]\nstorage = "bracket.db"'))
    assert_mistake(call("status", str(changed)), "more)")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("budget = 40", "budget = 400"),
        ("budget = 40\n", ""),
        ("timeout = 3600", "timeout = 60"),
        ('["python", "mass.py"]', '["mass"]'),
        ("workers = 1", "workers = 4"),
        ('name = "bracket"', 'name = "brackets"'),
        ("cost = 20", "cost = 20.0"),
    ],
)
def test_what_may_change(begun: Path, old: str, new: str) -> None:
    changed = begun.with_name("changed.toml")
    changed.write_text(GOOD.replace(old, new))
    done("status", str(changed))
