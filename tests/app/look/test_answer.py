"""taut best: the recommendation of the study, and which constraints matter."""

import json
from pathlib import Path

from studies import GOOD, assert_mistake, call, done

import taut


class TestBest:
    def test_says_the_same_as_python(self, study: str) -> None:
        found = json.loads(done("best", study, "--json"))
        same = taut.Study.open(str(Path(study).with_name("bracket.db"))).recommend()
        assert found["point"] == same.point
        assert found["objective"]["mean"] == same.objective[0]
        assert found["feasibility"] == same.feasibility
        assert list(found["constraints"]) == [row["constraint"] for row in found["relevance"]]

    def test_lines(self, study: str) -> None:
        text = done("best", study)
        assert text.startswith("bracket: best point after spending 0\n  width   ")
        for name in ("stress", "drag", "lift"):
            assert f"\n{name} " in text

    def test_no_values_yet(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD)
        assert_mistake(call("best", str(path)), "none yet", "taut run")
        done("ask", str(path))
        assert_mistake(call("best", str(path)), "without any yet", "taut tell")
        done("tell", str(path), "1", "mass=fail")
        assert_mistake(call("best", str(path)), "without any yet")

    def test_what_if_a_limit_were_another(self, study: str) -> None:
        before, there = done("best", study), taut.Study.open(str(Path(study).with_name("bracket.db")))
        text = done("best", study, "--with", "stress <= 1e6", "--with", "lift>=0.01")
        assert text.startswith("what if stress <= 1e6 and lift>=0.01? Nothing is stored.\n\nbracket: best point")
        found = json.loads(done("best", study, "--with", "stress<=1e6", "--json"))
        assert found["point"] == there.recommend(limits={"stress": {"at_most": 1e6}}).point
        assert done("best", study) == before

    def test_limits_that_cannot_be_read(self, study: str) -> None:
        for text in ("stress=3", "stress<=", "<=3", "stress<=much", "3<=stress<=4"):
            assert_mistake(call("best", study, "--with", text), "--with", "NAME<=VALUE")
        assert_mistake(call("best", study, "--with", "stres<=3"), "'stres'")
        assert_mistake(call("best", study, "--with", "mass<=3"), "'mass'", "has no limit")


class TestPredict:
    def test_says_the_same_as_python(self, study: str) -> None:
        opened = taut.Study.open(str(Path(study).with_name("bracket.db")))
        point = opened.recommend().point
        words = [f"{name}={value!r}" for name, value in point.items()]
        found = json.loads(done("predict", study, *words, "--json"))
        same = opened.predict(point)
        assert found["point"] == point and found["objective"]["mean"] == same.objective[0]
        text = done("predict", study, *words)
        assert "feasible with probability" in text
        for name in opened.problem.functions:
            assert f"\n{name} " in text

    def test_mistakes(self, study: str) -> None:
        for words in (["width=1", "width=1"], ["width"], ["width=x"], ["nonsense=1"]):
            assert_mistake(call("predict", study, *words), "taut predict", "width=...")
        assert_mistake(call("predict", study), "width")
