"""What went wrong, run by run: where to look when a bar is missed."""

from collections.abc import Iterable, Iterator, Sequence

from store.rows import Row

from arena.figures import CERTAIN
from arena.record import covered

WORST = 20
"""So many of the worst predictions are listed."""


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """False answers, missing or false verified ones, another incumbent than ours, uncovered objectives, misses."""
    for row in rows:
        for fault in of(row):
            yield f"{_name(row)}: {fault}"
    yield from worst(rows)


def of(row: Row) -> Iterator[str]:
    """The faults of one run's answer."""
    said = row["answer"]
    if said["probability"] >= CERTAIN and not said["feasible"]:
        yield f"FALSE at P {said['probability']:.5f}, {reason(row)}"
    if said["verified"] and not said["feasible"]:
        yield f"verified and FALSE, {reason(row)}"
    if row["verifiable"] and row["verify"] and row["possible"] and not said["verified"]:
        yield f"not verified, P {said['probability']:.4f}; a design was measured whole: {row['held'] is not None}"
    if row["verifiable"] and (row["incumbent"] or {}).get("oc") != (row["held"] or {}).get("oc"):
        yield "the incumbent is not the best design that was measured whole"
    if not covered(row):
        f = next(iter(said["truth"].values()))
        yield f"objective at the answer is {f}, said {said['mean']} +- {said['sd']:.2g}"
    if row["spent"] < 0.9 * row["budget"]:
        yield f"stopped after {row['spent']:g} units: {row['ended']}"


def reason(row: Row) -> str:
    """What cannot be computed, or is violated, at the answer, with what was said of it."""
    said = row["answer"]
    found = [f"{name} cannot be computed" for name, value in said["truth"].items() if value is None]
    for name, (mean, sd, _) in said["constraints"].items():
        value = said["truth"][name]
        if value is not None and value > 0.0:
            found.append(f"{name} is {value:.3g}, said {mean:.3g} +- {sd:.2g}")
    return "; ".join(found)


def worst(rows: Iterable[Row], count: int = WORST) -> list[str]:
    """The predictions that missed most."""
    all_of = [(abs(each[1]), each, row) for row in rows for each in row["z"]]
    found = sorted(all_of, key=lambda entry: -entry[0])[:count]
    return [
        f"{_name(row)}: {name} missed by {z:.3g} sd, {data} values, {spent:g} units spent"
        for _, (name, z, _, _, data, spent, *_), row in found
    ]


def _name(row: Row) -> str:
    return f"{row['case']} {row['problem']} seed {row['seed']}"
