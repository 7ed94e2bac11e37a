"""One study of a case, and its answer run again by the solvers themselves."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks.real.cache import Cache, Run, compute
from benchmarks.real.cases import CASES, violated

import taut
from taut_paper import versions

Line = dict[str, Any]
Again = Callable[[str, str, Mapping[str, float]], Run]


def source() -> str:
    """Which taut this is."""
    return f"{taut.__version__}+{versions.source()}"


@dataclass
class Tally:
    """The functions of a case for a study, which count what they did."""

    case: str
    kept: Cache
    runs: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    cpu: dict[str, float] = field(default_factory=dict)
    complete: dict[tuple[float, ...], set[str]] = field(default_factory=dict)
    """The functions that have a value, per point."""

    def functions(self) -> dict[str, Callable[[Mapping[str, float]], float]]:
        return {name: partial(self.value, name) for name in CASES[self.case].problem.functions}

    def value(self, name: str, point: Mapping[str, float]) -> float:
        found = self.kept.run(self.case, name, point)
        self.runs[name] += 1
        self.cpu[name] = self.cpu.get(name, 0.0) + found.cpu
        if found.value is None:
            self.failures[name] += 1
            raise RuntimeError(found.note)
        self.complete.setdefault(tuple(point.values()), set()).add(name)
        return found.value


def run(name: str, seed: int, units: float, kept: Cache, method: str = "dckg", again: Again = compute) -> Line:
    """One line of the results; `again` computes without the disk."""
    tally, head = Tally(name, kept), {"case": name, "seed": seed, "units": units, "method": method, "taut": source()}
    study = taut.Study(CASES[name].problem, method=method, seed=seed)
    used, begun = time.process_time(), time.monotonic()
    try:
        best = study.run(tally.functions(), budget=units)
    except taut.TautError as error:  # a study that stops is a result
        return head | {"error": f"{type(error).__name__}: {error}", "answer": None, "incumbent": None} | _cost(tally)
    cpu, seconds = time.process_time() - used, time.monotonic() - begun
    spent = {"spent": study.spent, "decisions_cpu": round(cpu, 2), "seconds": round(seconds, 1)}
    answer = checked(name, best.point, tally, again) | reported(best) | {"errors": {}}
    answer["errors"] = errors(CASES[name].problem.objective.name, answer)
    known = study.incumbent() if hasattr(study, "incumbent") else None
    incumbent = None if known is None else checked(name, known.point, tally, again)
    return head | {"answer": answer, "incumbent": incumbent} | spent | _cost(tally)


def checked(name: str, point: Mapping[str, float], tally: Tally, again: Again) -> Line:
    """Every function computed anew at a point: do all constraints hold as measured?"""
    runs = {function: again(name, function, point) for function in CASES[name].problem.functions}
    values = {function: found.value for function, found in runs.items()}
    bad = violated(CASES[name].problem, values)
    whole = tally.complete.get(tuple(point.values()), set()) >= set(values)
    notes = {function: found.note for function, found in runs.items() if found.note}
    return {"point": dict(point), "again": values, "violated": bad, "holds": not bad, "whole": whole, "notes": notes}


def reported(best: taut.Recommendation) -> Line:
    """What the study said of its answer; verified is None where it does not say."""
    believed = {name: [mean, sd] for name, (mean, sd, _) in best.constraints.items()}
    line = {"feasibility": best.feasibility, "objective": list(best.objective), "constraints": believed}
    return line | {"verified": getattr(best, "verified", None), "note": best.note}


def errors(objective: str, answer: Line) -> dict[str, float | None]:
    """(value - mean)/sd per function at the answer; 0 where both agree, None without a value."""
    believed = {objective: answer["objective"], **answer["constraints"]}
    return {name: _error(answer["again"][name], *each) for name, each in believed.items()}


def _error(value: float | None, mean: float, sd: float) -> float | None:
    if value is None:
        return None
    return 0.0 if abs(value - mean) <= 1e-9 * (1.0 + abs(value)) else (value - mean) / max(sd, 1e-300)


def _cost(tally: Tally) -> Line:
    return {
        "runs": dict(tally.runs),
        "failures": dict(tally.failures),
        "solver_cpu": {name: round(cpu, 2) for name, cpu in tally.cpu.items()},
    }
