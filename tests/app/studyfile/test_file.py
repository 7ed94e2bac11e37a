"""What a right study file says, the study that belongs to it, and a file that changed since the study began."""

import sys
from pathlib import Path

import pytest
from studies import GOOD, SMALL

import taut
from taut.app.studyfile import file as studyfile
from taut.app.studyfile.file import ProgramEntry, RunSettings


def write(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text)
    return path


class TestLoad:
    def test_everything(self, tmp_path: Path) -> None:
        file = studyfile.load(write(tmp_path, GOOD))
        assert file.problem == taut.Problem(
            [taut.Real("width", 1.0, 9.0), taut.Real("height", 0.1, 10.0, log=True)],
            taut.Objective("mass", goal="minimize", cost=1),
            [
                taut.Constraint("stress", at_most=250.0, cost=20),
                taut.Constraint("drag", at_most=3.0, at_least=1.0),
                taut.Constraint("lift", at_least=0.5),
            ],
            [taut.Group("cfd", ["drag", "lift"], cost=5)],
        )
        assert file.programs == (
            ProgramEntry("mass", ("mass",), ("python", "mass.py"), None, 0, None, "[objective]"),
            ProgramEntry("stress", ("stress",), ("python", "stress.py"), 3600.0, 1, None, "[[constraints]] 'stress'"),
            ProgramEntry("cfd", ("drag", "lift"), ("python", "cfd.py"), None, 0, None, "[[groups]] 'cfd'"),
        )
        study = file.study
        assert (study.name, study.method, study.seed, study.initial, study.budget) == ("bracket", "random", 1, 2, 40.0)
        assert study.storage == str(tmp_path.resolve() / "bracket.db")

    def test_defaults(self, tmp_path: Path) -> None:
        file = studyfile.load(write(tmp_path, SMALL))
        study = file.study
        assert (study.method, study.seed, study.initial, study.initial_design) == ("dckg", 0, 6, "coupled")
        assert (study.budget, study.preset, study.options) == (None, None, {})
        assert study.storage == str(tmp_path.resolve() / "study.db")
        assert file.run == RunSettings()
        assert file.programs == ()
        assert file.problem.objective.cost == 1.0

    def test_usual_settings_are_those_of_a_study(self, tmp_path: Path) -> None:
        file = studyfile.load(write(tmp_path, SMALL.replace('name = "small one"', "name = 'a'\nstorage = 'a.db'")))
        taut.Study(file.problem, storage=str(tmp_path / "a.db"))
        studyfile.open_study(file)  # the same study

    def test_byte_order_mark_and_windows_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
        assert studyfile.load(path).study.name == "bracket"

    def test_options_reach_the_method(self, tmp_path: Path) -> None:
        text = GOOD.replace("[run]", "[study.options]\nraw = 32\n\n[run]").replace("seed = 1", 'preset = "paper"')
        file = studyfile.load(write(tmp_path, text))
        assert (file.study.preset, file.study.options) == ("paper", {"raw": 32})
        studyfile.open_study(file)
        assert taut.Study.open(file.study.storage).method == "random"

    def test_members_of_a_group_may_have_programs_of_their_own(self, tmp_path: Path) -> None:
        text = GOOD.replace('command = ["python", "cfd.py"]\n', "").replace(
            "at_least = 1.0\n", 'at_least = 1.0\ncommand = ["drag"]\nslots = 2\n'
        )
        file = studyfile.load(write(tmp_path, text))
        assert [(entry.name, entry.functions, entry.slots) for entry in file.programs] == [
            ("mass", ("mass",), None),
            ("stress", ("stress",), None),
            ("drag", ("drag",), 2),
        ]
        with pytest.raises(taut.StudyFileError, match="'lift': expected a command"):
            studyfile.require_runnable(file)

    def test_runnable(self, tmp_path: Path) -> None:
        assert studyfile.require_runnable(studyfile.load(write(tmp_path, GOOD))) == 40.0
        with pytest.raises(taut.StudyFileError, match=r"\[study\] budget"):
            studyfile.require_runnable(studyfile.load(write(tmp_path, GOOD.replace("budget = 40\n", ""))))
        with pytest.raises(taut.StudyFileError, match=r"\[objective\]: expected a command"):
            studyfile.require_runnable(studyfile.load(write(tmp_path, SMALL)))


class TestArgv:
    def argv(self, folder: Path, command: str) -> list[str]:
        text = GOOD.replace('["python", "mass.py"]', command)
        file = studyfile.load(write(folder, text))
        return studyfile.argv(file, file.programs[0])

    def test_files_beside_the_study(self, tmp_path: Path) -> None:
        (tmp_path / "mass.py").touch()
        (tmp_path / "data").mkdir()
        assert self.argv(tmp_path, '["solver", "mass.py", "data", "--x", "other.py"]') == [
            "solver",
            str(tmp_path / "mass.py"),
            str(tmp_path / "data"),
            "--x",
            "other.py",
        ]

    @pytest.mark.parametrize("word", ["", ".", "..", "x" * 1000, "$HOME", "*"])
    def test_other_words_stay(self, tmp_path: Path, word: str) -> None:
        assert self.argv(tmp_path, f'["solver", "{word}"]') == ["solver", word]

    def test_python_that_is_nowhere_else(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        assert self.argv(tmp_path, '["python", "mass.py"]') == [sys.executable, "mass.py"]
        (tmp_path / "python").touch(0o755)
        assert self.argv(tmp_path, '["python", "mass.py"]') == ["python", "mass.py"]

    def test_program_with_a_slash(self, tmp_path: Path) -> None:
        assert self.argv(tmp_path, '["./solve"]') == [str(tmp_path / "solve")]
        assert self.argv(tmp_path, '["/usr/bin/solve"]') == ["/usr/bin/solve"]
