"""What taut check shows of the models of a stored study."""

import json
from pathlib import Path

from studies import GOOD, call, done

from taut.app.look.check import records
from taut.app.studyfile.file import load


def test_nothing_is_made_for_a_study_that_has_not_begun(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(GOOD)
    assert records(load(path)) == ()
    assert [each.name for each in tmp_path.iterdir()] == ["study.toml"]


def test_one_record_for_each_function(study: str) -> None:
    found = json.loads(done("check", study, "--no-run", "--json"))
    assert [row["function"] for row in found["functions"]] == ["mass", "stress", "drag", "lift"]
    assert [(row["values"], row["failures"], row["predictions"]) for row in found["functions"]] == [
        (2, 0, 0),
        (0, 1, 0),
        (0, 0, 0),
        (1, 0, 0),
    ]
    assert (found["point"], found["programs"], found["by_hand"], found["failed"]) == (None, [], ["stress"], [])
    assert call("check", study, "--no-run").stdout.startswith("function  values")
