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
