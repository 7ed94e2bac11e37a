"""The benchmark of measured costs: true costs vary as it says, and its oracle is right."""

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    try:
        import measured_costs

        return measured_costs
    finally:
        sys.path.pop(0)


@pytest.mark.parametrize("kind", ["line", "bowl"])
def test_costs_vary_a_hundredfold(kind: str, bench: ModuleType) -> None:
    field = bench.Field.of(kind, ("f", "c"), 2, 3)
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], *field.centre])
    for k in range(2):
        logs = field.log(k, corners)[0]
        assert np.exp(logs.max() - logs.min()) == pytest.approx(100.0)


@pytest.mark.parametrize("kind", ["line", "bowl"])
def test_the_oracle_knows_its_gradient(kind: str, bench: ModuleType) -> None:
    oracle = bench.Oracle(bench.Field.of(kind, ("f", "c"), 2, 3), {})
    x, h = np.random.default_rng(0).random((5, 2)), 1e-6
    value, gradient = oracle.log_costs_with_gradient(["f", "c"], x)
    least, most = oracle.range(["f", "c"])
    assert (oracle.costs(["f", "c"], x) >= least).all() and (oracle.costs(["f", "c"], x) <= most).all()
    assert sum(oracle.parts(["f", "c"], x[0]).values()) == pytest.approx(np.exp(value[0]))
    for i, unit in enumerate(np.eye(2)):
        up, down = (np.log(oracle.costs(["f", "c"], x + step * unit)) for step in (h, -h))
        assert gradient[:, i] == pytest.approx((up - down) / (2.0 * h), abs=1e-6)


def test_a_table(bench: ModuleType) -> None:
    rows = [
        {"problem": "mystery", "field": "line", "arm": arm, "seed": seed, "spent": spent, "reached": spent < 30.0}
        for arm, both in {"told": (10.0, 20.0), "measured": (11.0, 22.0), "constant": (20.0, 30.0)}.items()
        for seed, spent in enumerate(both)
    ]
    (line,) = bench.table(rows).splitlines()[2:]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[:3] == ["Mystery", "line", "2"] and cells[3:6] == ["15.0", "16.5", "25.0 (1 never)"]
    assert cells[6:] == ["1.10 (median 1.10)", "1.67 (median 1.75)"]


def test_the_page_has_the_table_of_what_is_kept(bench: ModuleType) -> None:
    page = bench.PAGE.read_text()
    assert f"{bench.BEGIN}\n{bench.table(bench.Store(bench.OUT, bench.KEY).rows())}\n{bench.END}" in page
