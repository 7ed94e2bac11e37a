"""How good the choices of dckg are: each is valued by the accurate reference, relative to the best that could be found.

The rivals of a choice are those of a search 20 times as large, and of searches with other random numbers, on the same
belief. All are valued with the same inner points and the same scenarios.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from speed import polish, reference
from speed.cases import Case, request_of, running_study, setting, study_of
from taut.data.dataset import Request
from taut.policy import make
from taut.policy.context import Context
from taut.policy.options import OPTIONS

OWN = {name: False for name in ("instalments", "finish", "sceptical") if name in OPTIONS}
"""What is judged is the search for the best value per cost: without the rules that choose something else on purpose."""
LARGER = {"raw": 1920, "starts": 80, "search_raw": 4096, "search_starts": 64}
FINER = {"inner": 1024, "vectors": 32, "raw": 384, "starts": 16, "search_raw": 4096, "search_starts": 64}
OTHERS = 5
"""Searches with the default options and other random numbers."""
SCENARIOS, CHECK = 512, 2048
CLOSE = 0.8
"""Choices above this share of the best by the first valuation are valued again with more scenarios."""


def situation(case: Case, seed: int) -> Request:
    """What the judged decision gets to see."""
    if case.steps:
        return request_of(running_study(case, seed))
    return request_of(study_of(setting(case, seed), "dckg", seed))


def contenders(request: Request, names: Sequence[str], seed: int, others: int = OTHERS) -> list[dict[str, Any]]:
    """The decision itself first, then its rivals: label, x, S (positions in `names`) and CPU seconds of each."""
    searches: list[tuple[str, Mapping[str, Any], list[int]]] = [("own", {}, [seed, 0])]
    searches += [("larger", LARGER, [seed, 1]), ("finer", FINER, [seed, 2])]
    searches += [(f"other{i}", {}, [seed, 100 + i]) for i in range(others)]
    found = []
    for label, options, stream in searches:
        policy = make("dckg", None, {**OWN, **options})
        start = time.process_time()
        proposal = policy.suggest(request, np.random.default_rng(stream))
        S = [names.index(name) for name in proposal.functions]
        found.append(
            {
                "label": label,
                "x": [float(u) for u in proposal.point],
                "S": S,
                "cost": request.problem.cost(proposal.functions),
                "seconds": time.process_time() - start,
                "note": proposal.note,
            }
        )
    return found


def unit(case: Case, seed: int, others: int = OTHERS) -> dict[str, Any]:
    """One judged decision: all contenders with their values, and the share of the best that was reached."""
    request = situation(case, seed)
    # The same random numbers as the judged decision, so that penalty M and recommendation are its own.
    context = Context.of(request, make("dckg", None, OWN).settings, np.random.default_rng([seed, 0]))
    found = contenders(request, context.names, seed, others)
    belief = belief_of(context)
    start = time.process_time()
    centres = np.vstack([context.optimum.x, context.optimum.maxima[:24], *(entry["x"] for entry in found)])
    inner = polish.points(belief, centres, context.optimum.metric, context.observed_points, seed)
    choices = [(np.array(entry["x"]), entry["S"]) for entry in found]
    values, refined = polish.value_all(belief, choices, inner, SCENARIOS, seed)
    rates = [value / entry["cost"] for value, entry in zip(values, found, strict=True)]
    for entry, rate, (x, S) in zip(found, rates, choices, strict=True):
        entry["rough"] = rate
        again = rate >= CLOSE * max(rates) and len([k for k in S if k]) > 1
        entry["rate"] = reference.Candidate(refined, x, S, CHECK, seed).value() / entry["cost"] if again else rate
    best = max(entry["rate"] for entry in found)
    return {
        "share": found[0]["rate"] / best if best > 0.0 else 1.0,
        "gain": best / belief.processes[0].scale,
        "best": max(found, key=lambda entry: entry["rate"])["label"],
        "contenders": found,
        "valuation_seconds": time.process_time() - start,
    }


def belief_of(context: Context) -> reference.Belief:
    """The belief of a decision in the terms of the reference."""
    intervals = [reference.Interval(b.lower, b.upper) for b in context.bounds]
    return reference.Belief(context.surrogate.processes, intervals, context.utility.M)
