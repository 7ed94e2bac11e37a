"""The benchmark of noise: the noise is what it says, a run is scored at every budget, and the page counts right."""

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    try:
        import noise

        return noise
    finally:
        sys.path.pop(0)


def values(bench: ModuleType, case: str, name: str, point: dict[str, float], count: int = 400) -> np.ndarray:
    noisy = bench.Noisy(bench.Run("now", "dckg", case, 3))
    return np.array([noisy(name, point) for _ in range(count)])


def test_noise_is_a_share_of_the_spread_on_the_functions_of_the_case(bench: ModuleType) -> None:
    point = {"x1": 1.0, "x2": 2.0}
    spread = bench.spreads("mystery")["c"][0]
    assert values(bench, "mystery-c-20", "c", point).std() == pytest.approx(0.2 * spread, rel=0.1)
    assert np.ptp(values(bench, "mystery-c-20", "f", point)) == 0.0
    assert values(bench, "mystery-all-05", "f", point).std() > 0.0


def test_uneven_noise_grows(bench: ModuleType) -> None:
    near, far = ({"x1": x, "x2": 2.0} for x in (0.5, 4.5))
    few, many = (values(bench, "mystery-across-20", "c", point).std() for point in (near, far))
    assert many > 6.0 * few
    noisy = bench.Noisy(bench.Run("now", "dckg", "mystery-size-20", 0))
    assert noisy.noise("f", near, -20.0) == pytest.approx(4.0 * noisy.noise("f", near, 5.0))


def test_two_methods_meet_the_same_noise(bench: ModuleType) -> None:
    point = {"x1": 1.0, "x2": 2.0}
    one, two = (bench.Noisy(bench.Run("now", method, "mystery-all-20", 3)) for method in ("dckg", "cei"))
    assert [one("f", point), one("c", point), one("f", point)] == [two("f", point), two("c", point), two("f", point)]
    assert len({one("f", point) for _ in range(5)}) == 5


def test_a_run_has_an_answer_at_every_budget(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "MARKS", (6.0, 9.0))
    row = bench.trial(bench.Run("now", "cei", "mystery-c-20", 0))
    for score, budget in zip(row["scores"], bench.MARKS, strict=True):
        assert budget - 2.0 < score["spent"] <= budget
        mean, sd, true = score["said"]
        assert score["z"] == pytest.approx((true - mean) / sd) and score["oc"] >= 0.0
        assert score["feasible"] or score["oc"] > 40.0


def row(method: str, oc: float, probability: float, feasible: bool, **more: object) -> dict[str, object]:
    score = {"spent": 120.0, "oc": oc, "probability": probability, "feasible": feasible, "z": 0.5, **more}
    kept = {"label": "now", "method": method, "case": "mystery-c-20", "seed": 0, "given": False, "verify": True}
    return {**kept, "scores": [score, score], "ask_seconds": 1.0, "asks": 10}


def test_the_page_counts(bench: ModuleType) -> None:
    runs = [row("dckg", 0.1, 0.97, True), row("dckg", 41.0, 0.91, False)]
    said = re.sub(" {2,}", " ", bench.noise_page.promises(bench.noise_page.groups(runs)))
    assert "| 240 | all | 2 | 0.940 | 0.500 |" in said
    other = {"spent": 120.0, "oc": 9.0, "probability": 0.5, "feasible": False, "z": 0.0}
    found = bench.noise_page.groups([*runs, row("nei", 0.2, 1.0, True, probable=other)])
    assert [name for _, _, name in found] == ["now dckg", "now nei", "now nei-probable"]
    assert found["mystery-c-20", False, "now nei-probable"][0]["scores"][0]["oc"] == 9.0
