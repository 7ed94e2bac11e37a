"""Studies with known functions: declared, kept, opened again, asked, told and exported."""

from pathlib import Path
from typing import Any

import pytest

import taut
from taut.app.look.export import table

FAST = {"inner": 32, "raw": 16, "starts": 2, "search_raw": 64, "search_starts": 4, "paths": 2}


def clearance(point: dict[str, Any]) -> float:
    return point["w"] - 0.3 * point["h"]


def problem(fit: object = clearance) -> taut.Problem:
    return taut.Problem(
        [taut.Real("w", 1.0, 9.0), taut.Real("h", 1.0, 9.0), taut.Choice("material", ("steel", "wood"))],
        taut.Objective("mass", goal="minimize", formula="density[material] * w * h"),
        [
            taut.Constraint("stress", at_most=10.0, cost=3.0),
            taut.Constraint("fit", at_least=0.5, formula=fit),  # type: ignore[arg-type]
        ],
        tables={"density": {"steel": 7.85, "wood": 0.7}},
    )


def stress(point: dict[str, Any]) -> float:
    return {"steel": 50.0, "wood": 200.0}[point["material"]] / (point["w"] * point["h"] ** 2)


def test_a_study_with_a_python_formula_is_opened_again(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    study = taut.Study(problem(), seed=1, initial=4, storage=place, options=FAST)
    study.run({"stress": stress}, budget=9.0)
    with pytest.raises(taut.TautError, match=r"Study.open\(storage, formulas=\{'fit': the_function\}\)"):
        taut.Study.open(place)
    with pytest.raises(taut.TautError, match="names of known functions"):
        taut.Study.open(place, formulas={"fit": clearance, "mass": clearance})
    again = taut.Study.open(place, formulas={"fit": clearance})
    assert again.recommend() == study.recommend()
    last = study.suggestions[-1]
    assert again.replay(last.number) == last
    assert taut.Study(problem(), seed=1, initial=4, storage=place, options=FAST).counts == study.counts


def test_known_functions_are_never_asked_for_and_always_measured() -> None:
    study = taut.Study(problem(), seed=0, initial=4, options=FAST)
    best = study.run({"stress": stress}, budget=12.0)
    assert study.counts == {"mass": 0, "stress": 8, "fit": 0} and study.spent == 12.0
    assert all(row.functions == ("stress",) and clearance(row.point) >= 0.5 for row in study.suggestions)
    density = {"steel": 7.85, "wood": 0.7}[best.point["material"]]
    assert best.objective == (density * best.point["w"] * best.point["h"], 0.0)
    assert best.constraints["fit"] == (clearance(best.point), 0.0, 1.0)
    assert best.verified and set(best.measured) == {"mass", "stress", "fit"}
    found = study.incumbent()
    assert found is not None and found.measured["fit"] == clearance(found.point)
    assert study.predict({"w": 1.0, "h": 9.0, "material": "wood"})["fit"] == (clearance({"w": 1.0, "h": 9.0}), 0.0, 0.0)
    rows = table(study.problem, study.history)
    assert rows["fit"] == [clearance(row.point) for row in study.suggestions] and None not in rows["mass"]
    assert [each.reason for each in study.check()][::2] == ["known", "known"]


def test_values_of_known_functions_are_refused_and_other_limits_can_be_asked_for() -> None:
    study = taut.Study(problem(), seed=0, initial=3, options=FAST)
    row = study.ask()
    for name in ("mass", "fit"):
        with pytest.raises(taut.TautError, match="it has a formula"):
            study.tell(row, {name: 1.0})
        with pytest.raises(taut.TautError, match="it has a formula"):
            study.add(row.point, {name: 1.0})
    study.tell(row, {"stress": stress(row.point)})
    study.add({"w": 1.0, "h": 9.0, "material": "steel"}, {"stress": 0.6})  # violates fit, and is worth knowing
    assert clearance(study.recommend().point) >= 0.5
    assert clearance(study.recommend({"fit": {"at_least": 4.0}}).point) >= 4.0
    with pytest.raises(taut.TautError, match="known constraints, got none"):
        study.recommend({"fit": {"at_least": 9.5}})


def test_a_function_that_can_be_computed_nowhere_is_found_out() -> None:
    def broken(point: dict[str, Any]) -> float:
        return float(point["width"])

    with pytest.raises(taut.TautError, match="it raised KeyError: 'width'"):
        taut.Study(problem(broken))


class Gap:
    """A callable with a state that may change: it cannot be hashed."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        self.share = [0.3]

    def __call__(self, point: dict[str, Any]) -> float:
        return point["w"] - self.share[0] * point["h"]


def test_a_formula_may_be_anything_that_can_be_called() -> None:
    plain, own = (taut.Study(problem(fit), seed=1, initial=3, options=FAST) for fit in (clearance, Gap()))
    assert [own.ask().point for _ in range(2)] == [plain.ask().point for _ in range(2)]


def test_a_run_of_formulas_alone_has_nothing_to_stop() -> None:
    limit = taut.Constraint("k", at_most=5.0, formula="w")
    declared = taut.Problem([taut.Real("w", 1.0, 9.0)], taut.Objective("mass", formula="w"), [limit])
    best = taut.Study(declared).run({}, budget=9.0, stop=0.1)
    assert best.verified and best.point["w"] == pytest.approx(5.0) and "left: all of it" not in best.note
