"""Asking and telling by hand: what is said and taken; a bad call gives one sentence, and changes nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from studies import GOOD, assert_mistake, call, contents, done

import taut

# Suggestion 1 asks for mass (told 1.5), 2 for stress (failed), 3 for drag and lift (drag told 2.0), 4 for mass (open).
BAD: dict[str, tuple[list[str], tuple[str, ...]]] = {
    # Values.
    "nothing": (["4"], ("NAME=VALUE", "'mass'")),
    "no equals sign": (["4", "mass"], ("NAME=VALUE", "'mass'")),
    "only a number": (["4", "1.5"], ("NAME=VALUE", "'1.5'")),
    "seconds of nobody": (["4", "mass=1.5", "--seconds", "12"], ("NAME=SECONDS", "'12'")),
    "seconds of another": (["4", "mass=1.5", "--seconds", "stress=12"], ("seconds of 'mass'", "'stress'")),
    "seconds below 0": (["4", "mass=1.5", "--seconds", "mass=-2"], ("0 or more", "-2")),
    "spaces around": (["4", "mass", "=", "1.5"], ("NAME=VALUE",)),
    "empty value": (["4", "mass="], ("mass", "''")),
    "empty name": (["4", "=1.5"], ("''",)),
    "colon": (["4", "mass:1.5"], ("NAME=VALUE",)),
    "nan": (["4", "mass=nan"], ("'nan'", "mass=fail")),
    "NaN": (["4", "mass=NaN"], ("'NaN'", "mass=fail")),
    "inf": (["4", "mass=inf"], ("'inf'", "mass=fail")),
    "-inf": (["4", "mass=-inf"], ("'-inf'",)),
    "Infinity": (["4", "mass=Infinity"], ("'Infinity'",)),
    "overflow": (["4", "mass=1e400"], ("1e400", "mass=fail")),
    "too large": (["4", "mass=1e200"], ("1e+150",)),
    "too many digits": (["4", "mass=" + "9" * 5000], ("mass",)),
    "text": (["4", "mass=heavy"], ("'heavy'",)),
    "decimal comma": (["4", "mass=1,5"], ("'1,5'", "decimal dot")),
    "unit": (["4", "mass=1.5kg"], ("'1.5kg'",)),
    "hexadecimal": (["4", "mass=0x10"], ("'0x10'",)),
    "underscore": (["4", "mass=1_000"], ("'1_000'",)),
    "spaces inside": (["4", "mass= 1.5"], ("' 1.5'",)),
    "other digits": (["4", "mass=٣"], ("decimal dot",)),
    "true": (["4", "mass=true"], ("'true'",)),
    "None": (["4", "mass=None"], ("'None'", "mass=fail")),
    "failed": (["4", "mass=failed"], ("'failed'", "mass=fail")),
    "FAIL": (["4", "mass=FAIL"], ("'FAIL'", "mass=fail")),
    "two values": (["4", "mass=1.5=2"], ("'1.5=2'",)),
    "a list": (["4", "mass=[1, 2]"], ("'[1, 2]'",)),
    "code": (["4", "mass=__import__('os')"], ("mass",)),
    "newline": (["4", "mass=1\n2"], ("mass",)),
    "zero byte": (["4", "mass=1\0"], ("mass",)),
    # Names.
    "unknown": (["4", "weight=1.5"], ("'weight'",)),
    "misspelt": (["4", "mas=1.5"], ("'mas'", "the closest is 'mass'")),
    "wrong case": (["4", "Mass=1.5"], ("'Mass'",)),
    "a parameter": (["4", "width=1.5"], ("'width'",)),
    "a group": (["3", "cfd=1.5"], ("'cfd'",)),
    "twice": (["4", "mass=1.5", "mass=1.5"], ("'mass'", "twice")),
    "twice and different": (["4", "mass=1.5", "mass=2.5"], ("'mass'", "twice")),
    "not asked for": (["4", "stress=1.5"], ("Suggestion 4", "'stress'", "not asked for")),
    "one of two not asked for": (["4", "mass=1.5", "stress=1.5"], ("Suggestion 4", "'stress'")),
    "good and unknown": (["4", "mass=1.5", "weight=1"], ("'weight'",)),
    "good and nan": (["3", "lift=1.5", "drag=nan"], ("'nan'",)),
    # A second value.
    "another value": (["1", "mass=2.5"], ("Suggestion 1", "1.5", "2.5")),
    "failure after a value": (["1", "mass=fail"], ("Suggestion 1", "1.5")),
    "value after a failure": (["2", "stress=1.5"], ("Suggestion 2", "failed")),
    "good and another value": (["3", "lift=1.0", "drag=3.0"], ("Suggestion 3", "'drag'", "2.0")),
    # Numbers of suggestions.
    "unknown number": (["99", "mass=1.5"], ("Suggestion 99", "1 to 4")),
    "number 0": (["0", "mass=1.5"], ("Suggestion 0",)),
    "negative number": (["-1", "mass=1.5"], ("-1",)),
    "negative number after --": (["--", "-1", "mass=1.5"], ("'-1'",)),
    "half a number": (["1.5", "mass=1.5"], ("'1.5'",)),
    "number in words": (["four", "mass=1.5"], ("'four'",)),
    "number forgotten": (["mass=1.5"], ("'mass=1.5'",)),
    "order": (["mass=1.5", "4"], ("'mass=1.5'",)),
    "huge number": (["9" * 40, "mass=1.5"], ("number of a suggestion",)),
    "number of 18 digits": (["9" * 18, "mass=1.5"], ("Suggestion",)),
    "empty number": (["", "mass=1.5"], ("''",)),
    "hash": (["#4", "mass=1.5"], ("'#4'",)),
    "unknown option": (["4", "mass=1.5", "--force"], ("--force",)),
}


@pytest.fixture(scope="module")
def study(folder: Path) -> str:
    place = folder / "tells"
    place.mkdir()
    path = place / "study.toml"
    path.write_text(GOOD)
    for _ in range(4):
        done("ask", str(path))
    done("tell", str(path), "1", "mass=1.5")
    done("tell", str(path), "2", "stress=fail", "--note", "no convergence")
    done("tell", str(path), "3", "drag=2.0")
    return str(path)


@pytest.mark.parametrize("what", BAD)
def test_bad_tell_is_one_sentence_and_changes_nothing(what: str, study: str) -> None:
    args, words = BAD[what]
    database = Path(study).with_name("bracket.db")
    before = contents(database)
    assert_mistake(call("tell", study, *args), *words)
    assert contents(database) == before


@pytest.mark.parametrize("args", [["1", "mass=1.5"], ["1", "mass=15e-1"], ["2", "stress=fail"], ["3", "drag=2"]])
def test_repeating_is_harmless(args: list[str], study: str) -> None:
    database = Path(study).with_name("bracket.db")
    before = contents(database)
    done("tell", study, *args)
    assert contents(database) == before


BENCH = """\
[study]
name = "bench"
method = "cei+"
budget = 2
initial = 3

[parameters.x]
low = 0.0
high = 1.0

[objective]
name = "f"
goal = "minimize"

[[constraints]]
name = "c"
at_most = 0.0
"""


def test_before_the_study_began(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(GOOD)
    assert_mistake(call("tell", str(path), "1", "mass=1.5"), "none yet", "taut ask")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["study.toml"]


@pytest.mark.parametrize("args", [["1", "mass=7"], []])
def test_real_process(args: list[str], study: str) -> None:
    database = Path(study).with_name("bracket.db")
    before = contents(database)
    command = [sys.executable, "-m", "taut", "tell", study, *args]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("Error: ") and run.stderr.count("\n") == 1
    assert contents(database) == before


class TestGoodOnes:
    @pytest.fixture
    def fresh(self, tmp_path: Path) -> str:
        path = tmp_path / "study.toml"
        path.write_text(GOOD)
        for _ in range(3):
            done("ask", str(path))
        return str(path)

    def test_parts_come_one_by_one(self, fresh: str) -> None:
        assert done("tell", fresh, "3", "lift=-1.5e-3") == "suggestion 3: lift = -0.0015 (open: drag)\n"
        assert done("tell", fresh, "3", "drag=fail") == "suggestion 3: drag failed (complete)\n"

    def test_json(self, fresh: str) -> None:
        assert json.loads(done("tell", fresh, "3", "lift=.5", "drag=fail", "--json")) == {
            "suggestion": 3,
            "values": {"lift": 0.5, "drag": None},
            "open": [],
        }

    def test_note_is_kept(self, fresh: str, tmp_path: Path) -> None:
        done("tell", fresh, "2", "stress=fail", "--note", "mesh broke")
        done("export", fresh, "-o", str(tmp_path / "x.json"))
        rows = json.loads((tmp_path / "x.json").read_text())
        assert rows[1]["taut_error"] == "mesh broke"
        assert rows[1]["taut_failed"] == "stress"


class TestAmend:
    @pytest.fixture
    def told(self, tmp_path: Path) -> str:
        path = tmp_path / "study.toml"
        path.write_text(GOOD)
        for _ in range(3):
            done("ask", str(path))
        done("tell", str(path), "2", "stress=fail", "--note", "mesh broke")
        done("tell", str(path), "3", "drag=2", "lift=fail")
        return str(path)

    def test_failures_are_opened_again(self, told: str) -> None:
        assert done("retry", told, "3", "drag") == "nothing has failed there; nothing was changed\n"
        assert done("retry", told, "drag") == "nothing has failed there; nothing was changed\n"
        assert done("retry", told, "lift") == "open again: lift of suggestion 3\n"
        done("tell", told, "3", "lift=fail")
        assert done("retry", told, "3") == "open again: lift of suggestion 3\n"
        found = json.loads(done("retry", told, "--json"))
        assert found == {"evaluations": [{"suggestion": 2, "function": "stress"}]}
        assert done("tell", told, "2", "stress=1.5") == "suggestion 2: stress = 1.5 (complete)\n"

    def test_a_value_is_replaced_and_the_export_says_so(self, told: str, tmp_path: Path) -> None:
        assert done("correct", told, "3", "drag=2.5") == "replaced: drag of suggestion 3\n"
        assert done("correct", told, "3", "drag=2.5") == "these values are known already; nothing was changed\n"
        done("retry", told, "2")
        done("export", told, "-o", str(tmp_path / "x.json"))
        rows = json.loads((tmp_path / "x.json").read_text())
        assert (rows[2]["drag"], rows[1]["stress"], rows[1]["taut_failed"]) == (2.5, None, None)
        assert rows[2]["taut_amended"].startswith("drag: 2.0, now 2.5 (")
        assert rows[1]["taut_amended"].startswith("stress: failed, now open again (")
        assert rows[0]["taut_amended"] is None

    @pytest.mark.parametrize(
        ("words", "parts"),
        [
            (["correct", "1", "mass=2"], ("Suggestion 1", "'mass'", "taut tell")),
            (["correct", "x", "mass=2"], ("taut correct", "'x'")),
            (["correct", "3"], ("taut correct", "NAME=VALUE")),
            (["correct", "3", "drag=soon"], ("taut correct: drag", "'soon'")),
            (["retry", "x"], ("mass", "'x'")),
            (["retry", "1x"], ("taut retry", "'1x'", "number")),
            (["retry", "drag", "3"], ("taut retry", "'drag'", "number")),
            (["retry", "3", "dragg"], ("'dragg'", "'drag'")),
            (["retry", "77"], ("Suggestion 77",)),
        ],
    )
    def test_mistakes(self, told: str, words: list[str], parts: tuple[str, ...]) -> None:
        before = contents(Path(told).with_name("bracket.db"))
        assert_mistake(call(words[0], told, *words[1:]), *parts)
        assert contents(Path(told).with_name("bracket.db")) == before


class TestAsk:
    def test_says_what_to_do(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD)
        text = done("ask", str(path))
        asked = json.loads(done("ask", str(path), "--json"))
        assert "suggestion 1: evaluate mass at\n  width " in text
        assert f"then: taut tell {path} 1 mass=...\n" in text
        assert (asked["suggestion"], asked["functions"], asked["initial"]) == (2, ["stress"], True)
        same = taut.Study.open(str(tmp_path / "bracket.db")).suggestions
        assert [row.number for row in same] == [1, 2]
        assert asked["parameters"] == same[1].point

    def test_budget_is_the_end(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD.replace("initial = 2", "initial = 0"))
        cost = 0.0
        while (result := call("ask", str(path), "--json")).exit_code == 0:
            cost += json.loads(result.stdout)["cost"]
        assert 0.0 < cost <= 40.0
        assert_mistake(result, "[study] budget", "taut best")
        path.write_text(GOOD.replace("initial = 2", "initial = 0").replace("budget = 40", "budget = 80"))
        done("ask", str(path))

    def test_the_last_part_of_a_budget_is_for_a_verified_answer(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(BENCH)
        notes = []
        while (result := call("ask", str(path), "--json")).exit_code == 0:
            asked = json.loads(result.stdout)
            x = asked["parameters"]["x"]
            values = {"f": (x - 0.3) ** 2, "c": 0.4 - x}
            done(
                "tell", str(path), str(asked["suggestion"]), *(f"{name}={values[name]}" for name in asked["functions"])
            )
            notes.append(asked["note"])
        assert any("verifying the recommendation" in note for note in notes)
        assert json.loads(done("best", str(path), "--json"))["verified"]

    def test_without_a_budget(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD.replace("initial = 2", "initial = 0").replace("budget = 40\n", ""))
        for _ in range(4):
            done("ask", str(path))
