"""taut init: what it writes runs as it is, and nothing is overwritten."""

import os
import tomllib
from pathlib import Path

import pytest
from studies import assert_mistake, call, done

from taut.app.studyfile import file as studyfile
from taut.app.studyfile import template


class TestInit:
    def test_what_it_writes_is_right(self, tmp_path: Path) -> None:
        text = done("init", str(tmp_path / "new" / "bracket"))
        assert [line.split()[0] for line in text.splitlines()] == ["wrote", "wrote", "wrote", "Next:"]
        file = studyfile.load(tmp_path / "new" / "bracket" / "study.toml")
        assert file.problem.functions == ("mass", "stress", "deflection", "slenderness")
        assert studyfile.require_runnable(file) == 60.0
        for program in file.programs:
            assert Path(studyfile.argv(file, program)[1]).is_file()

    def test_here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert done("init").endswith("Next: taut run study.toml\n")
        assert sorted(os.listdir()) == ["deflection.py", "stress.py", "study.toml"]

    @pytest.mark.parametrize("name", ["study.toml", "stress.py"])
    def test_never_overwrites(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_text("mine")
        assert_mistake(call("init", str(tmp_path)), f"'{name}'", "taut init NAME")
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "mine")]

    def test_not_even_a_dangling_link(self, tmp_path: Path) -> None:
        (tmp_path / "deflection.py").symlink_to(tmp_path / "nowhere")
        assert_mistake(call("init", str(tmp_path)), "'deflection.py'")
        assert len(list(tmp_path.iterdir())) == 1

    def test_impossible_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        for folder in (tmp_path / "file", tmp_path / "file" / "below", "a\0b"):
            assert_mistake(call("init", str(folder)), "folder")


def test_the_files_are_part_of_the_package() -> None:
    root = Path(__file__).parents[3]
    patterns = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["taut"]
    covered = {path for pattern in patterns for path in (root / "src/taut").glob(pattern)}
    data = {path for path in (root / "src/taut").rglob("*.*") if path.suffix not in (".py", ".pyc")}
    assert {template.FOLDER / f"{name}.txt" for name in template.NAMES} <= data <= covered
