"""taut best: the recommendation of the study, and which constraints matter."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import toy
from studies import GOOD, assert_mistake, call, done

import taut
from taut.app.look.answer import answer
from taut.data.dataset import Proposal, Request
from taut.plot.limits import gain_dict


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
        assert text.startswith("bracket: best point after spending 0 (initial design: 21)\n  width   ")
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
        gain = there.gain({"stress": {"at_most": 1e6}})
        assert found["gain"] == (None if gain is None else gain_dict(gain))
        assert done("best", study) == before

    def test_limits_that_cannot_be_read(self, study: str) -> None:
        for text in ("stress=3", "stress<=", "<=3", "stress<=much", "3<=stress<=4"):
            assert_mistake(call("best", study, "--with", text), "--with", "NAME<=VALUE")
        twice = call("best", study, "--with", "stress<=3", "--with", "stress <= 4")
        assert_mistake(twice, "--with", "one limit <= for 'stress'", "another in 'stress <= 4'")
        assert_mistake(call("best", study, "--with", "stres<=3"), "'stres'")
        assert_mistake(call("best", study, "--with", "mass<=3"), "'mass'", "has no limit")


class TestTrust:
    """How far to trust the answer, in one line."""

    def played(self, values: dict[str, float | None]) -> tuple[taut.Study, str]:
        """The words about a study in which the recommendation is the one point it knows."""
        study = toy.study(initial=1)
        suggestion = study.ask()
        study.tell(suggestion, values)
        return study, answer("toy", study).trust

    def test_verified(self) -> None:
        study, words = self.played({"f": 1.0, "c": -1.0, "g": 2.0})
        assert words.startswith("verified: every function was evaluated here, and every constraint held as measured; ")
        assert words.endswith("no prediction has been put to the test yet")
        found = answer("toy", study).to_dict()
        assert (found["verified"], found["measured"]) == (True, {"f": 1.0, "c": -1.0, "g": 2.0})
        assert found["incumbent"]["objective"] == 1.0 and found["incumbent"]["suggestions"] == (1,)
        assert found["trust"] == words
        stricter = answer("toy", study, {"g": {"at_least": 3.0}})
        assert stricter.trust.startswith("not verified: as measured here, g is 2, 1 below its limit of 3")

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            ({"f": 1.0, "c": -1.0}, "g was not evaluated at this very point; to do so costs 3"),
            ({"f": 1.0}, "c and g were not evaluated at this very point; to do so costs 3.5"),
            (
                {"f": 1.0, "c": 1.0, "g": 2.0},
                "as measured here, c is 1, 1 above its limit of 0; another whole design costs 4.5",
            ),
            ({"f": 1.0, "c": -1.0, "g": None}, "g failed at this very point; another whole design costs 4.5"),
        ],
    )
    def test_not_verified(self, values: dict[str, float | None], words: str) -> None:
        study, found = self.played(values)
        assert found.startswith(f"not verified: {words}; ")
        assert answer("toy", study).incumbent is None

    def test_a_failure_among_repeats(self) -> None:
        study, _ = self.played({"f": 1.0, "c": -1.0, "g": 2.0})
        study.add(study.suggestions[0].point, {"g": None})
        assert answer("toy", study).trust.startswith("not verified: g failed at this very point; ")

    def test_how_the_last_predictions_fared(self) -> None:
        class Predicting(toy.ToyPolicy):
            def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
                made = super().suggest(request, rng)
                return replace(
                    made, memory=made.memory | {"predicted": {made.functions[0]: [0.0, 1.0, None, 0.0, 1.0]}}
                )

        study = toy.study(initial=0, method=Predicting())
        for k in range(25):
            suggestion = study.ask()
            (name,) = suggestion.functions
            shift = {"f": 0.0, "c": 0.0, "g": 1.0}[name]  # in inner form these are k and -k
            study.tell(suggestion, {name: shift + (9.0 if k in (3, 20) else 1.0)})
        assert answer("toy", study).trust.endswith("; 19 of the last 20 predictions were within 2 sd")


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
