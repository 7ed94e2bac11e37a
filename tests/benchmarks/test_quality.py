"""What the defaults buy (benchmarks/quality.py): a small real run, and the page from what is kept."""

import importlib
import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def quality(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("quality")


def row(label: str, seed: int, oc: float) -> dict[str, object]:
    behaves = {"stuck": oc > 1.0, "infeasible": False, "sure": True, "seconds": 0.2, "decisions": 4}
    return {
        "label": label, "method": "dckg", "case": "mystery", "seed": seed, "budget": 40.0, "oc": oc,
        "trajectory": [[0.0, 1.0], [20.0, 10.0 * oc], [32.0, oc]], "conduct": behaves,
    }  # fmt: skip


def test_variants_are_compared_early_and_at_the_end(quality: ModuleType) -> None:
    made = [row("default", seed, 1e-3) for seed in range(3)] + [row("whole", seed, 5.0) for seed in range(2)]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in quality.variants(made).splitlines()]
    assert lines[2][1:5] == [quality.TITLES["whole"], "2", "5.0e+01", "5.0e+00"] and lines[2][6] == "2 of 2"
    assert lines[3][1:5] == [quality.TITLES["default"], "3", "1.0e-02", "1.0e-03"] and lines[3][6] == "0 of 3"


def test_a_run_says_what_it_believed_and_is_not_repeated(
    quality: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cases = importlib.import_module("guarding.cases")
    monkeypatch.setitem(cases.UNITS, "paper", 4.0)
    out = tmp_path / "quality.jsonl"
    words = ["run", "--variants", "whole", "--cases", "mystery", "--seeds", "1", "--out", str(out)]
    assert quality.main(words) == 0
    before = out.read_bytes()
    assert quality.main(words) == 0 and out.read_bytes() == before
    (made,) = map(json.loads, before.splitlines())
    assert made["options"] == quality.VARIANTS["whole"] and set(made["made"]) >= {"taut", "source", "numpy"}
    found = quality.Conduct.read(made["conduct"])
    assert found.evaluations == 4 and found.repeats == 0 and found.decisions == made["asks"]
    assert sum(each[0] for each in found.said.promised) == len(made["trajectory"]) + 1


def test_the_page_is_of_what_is_kept(quality: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert quality.PAGE.read_text(encoding="utf-8") == quality.page()
    kept = replace(quality.KEPT, path=tmp_path / "quality.jsonl")
    kept.merge([row("default", 7, 1e-3)])
    monkeypatch.setattr(quality, "KEPT", kept)
    assert "seeds 7 to 7" in quality.page()
