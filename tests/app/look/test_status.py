"""taut status: what was spent and evaluated, and what waits."""

import json
from pathlib import Path

import pytest
import toy
from studies import GOOD, done

import taut
from taut.app.look.status import Account, accounts
from taut.app.studyfile import file as studyfile


class TestStatus:
    def test_not_started(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD)
        assert "not started yet" in done("status", str(path))
        found = json.loads(done("status", str(path), "--json"))
        assert (found["started"], found["suggestions"], found["spent"]) == (False, 0, 0.0)
        assert [each.name for each in tmp_path.iterdir()] == ["study.toml"]

    def test_numbers(self, study: str) -> None:
        found = json.loads(done("status", study, "--json"))
        assert (found["initial_done"], found["initial_size"], found["suggestions"]) == (2, 5, 3)  # one mass is known
        table = {row.pop("function"): tuple(row.values()) for row in found["counts"]}
        assert table == {
            "mass": (1.0, 1, 0, 0, 1),
            "stress": (20.0, 0, 1, 0, 0),
            "drag": (5.0, 0, 0, 1, 0),
            "lift": (5.0, 0, 0, 1, 1),
        }
        [waiting] = found["open"]
        assert (waiting["suggestion"], waiting["functions"], waiting["running"]) == (3, ["drag", "lift"], [])

    def test_lines(self, study: str) -> None:
        lines = done("status", study).splitlines()
        assert lines[0] == "bracket: minimize mass subject to stress, drag, lift"
        assert lines[2] == "spent 0 of 40 (initial design: 21), 0 pending; initial design 2 of 5"
        assert lines[5].split() == ["mass", "1", "1", "0", "0", "1"]
        assert lines[-1].startswith("  3  drag, lift  at width=")

    def test_many_that_wait(self, folder: Path) -> None:
        path = folder / "many.toml"
        path.write_text(
            '[study]\nname="a"\ninitial=25\n[parameters.x]\nlow=0\nhigh=1\n[objective]\nname="f"\ngoal="minimize"\n'
        )
        study = studyfile.open_study(studyfile.load(path))
        for _ in range(25):
            suggestion = study.ask()
        lines = done("status", str(path)).splitlines()
        assert lines[0] == "a: minimize f"
        assert lines[-1] == "  and 5 more"
        study.tell(suggestion, {"f": 2.0})
        assert "\nf = 2 +- " in done("best", str(path))

    def test_says_what_runs(self, study: str, monkeypatch: pytest.MonkeyPatch) -> None:
        from taut.storage.base import Lease
        from taut.storage.database import DatabaseStorage

        leases = {(3, "drag"): Lease("a", True), (3, "lift"): Lease("b", False)}
        monkeypatch.setattr(DatabaseStorage, "leases", lambda self: leases)
        assert done("status", study).splitlines()[-1].startswith("  3  drag (running), lift  at ")


def test_accounts_share_the_cost_of_a_group() -> None:
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f"),
        [taut.Constraint("c", at_most=0.0), taut.Constraint("d", at_most=0.0)],
        [taut.Group("cd", ("c", "d"), cost=5.0)],
    )
    study = taut.Study(problem, toy.ToyPolicy(coupled=True), initial=1)
    for values in ({"f": 1.0, "c": 1.0, "d": 1.0}, {"f": 1.0, "c": 1.0, "d": None}, {"c": 1.0}):
        study.tell(study.ask(), values)
    found = accounts(problem, study.history)
    assert found == (Account("f", 1.0, 1, 1, 1.0), Account("c", 5.0, 1, 2, 5.0), Account("d", 5.0, 1, 1, 5.0))
    assert sum(account.spent for account in found) == study.spent
