"""A small study of a problem whose answer is known, and what came out of it as plain numbers."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from taut.bench import BenchProblem
from taut.bench import problem as bench_problem
from taut.data.rows import Recommendation, RelevanceRow, Suggestion
from taut.problem.problem import Problem
from taut.study.study import Study

PROBLEM = "test_function_2"
COSTS = {"f": 1.0, "c1": 2.0, "c2": 10.0, "c3": 2.0}
"""The constraint that does not matter, c2, is the expensive one."""

Watch = Callable[[Study, Suggestion], object]
"""Called after every decision that was carried out."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is about to be run."""

    bench: BenchProblem
    study: Study
    budget: float


@dataclass(frozen=True, slots=True)
class Account:
    """The evaluations of one function. spent: after the initial design."""

    function: str
    cost: float
    initial: int
    chosen: int
    spent: float


@dataclass(frozen=True, slots=True)
class Result:
    """The answer, how good it is, and what it cost. Costs are after the initial design."""

    bench: BenchProblem
    method: str
    seed: int
    budget: float
    spent: float
    decisions: int
    best: Recommendation
    value: float
    """True objective at the recommended point."""
    feasible: bool
    """Is the recommended point truly feasible?"""
    opportunity_cost: float
    accounts: tuple[Account, ...]
    relevance: tuple[RelevanceRow, ...]

    @property
    def initial_cost(self) -> float:
        """Of the initial design, which is not part of the budget."""
        return sum(account.initial * account.cost for account in self.accounts)

    @property
    def objective_evaluations(self) -> int:
        return self.accounts[0].chosen

    @property
    def coupled_cost(self) -> float:
        """What as many evaluations of the objective cost if every constraint is evaluated with each."""
        return self.objective_evaluations * sum(account.cost for account in self.accounts)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return {
            "problem": self.bench.name,
            "method": self.method,
            "seed": self.seed,
            "budget": self.budget,
            "spent": self.spent,
            "decisions": self.decisions,
            "answer": {
                "point": self.best.point,
                "objective": dict(zip(("mean", "sd"), self.best.objective, strict=True)),
                "feasibility": self.best.feasibility,
                "constraints": {
                    name: dict(zip(("mean", "sd", "probability"), belief, strict=True))
                    for name, belief in self.best.constraints.items()
                },
                "note": self.best.note,
            },
            "truth": {
                "objective_at_answer": self.value,
                "answer_is_feasible": self.feasible,
                "opportunity_cost": self.opportunity_cost,
                "optimum": self.bench.optimum,
                "solution": self.bench.solution,
                "binding": list(self.bench.binding),
            },
            "functions": [asdict(account) for account in self.accounts],
            "relevance": [asdict(row) for row in self.relevance],
            "coupled": {"objective_evaluations": self.objective_evaluations, "cost": self.coupled_cost},
        }


def prepare(seed: int, budget: float, method: str) -> Case:
    """A fresh study of the demonstration problem."""
    bench = bench_problem(PROBLEM, costs=COSTS)
    return Case(bench, Study(bench.problem, method=method, seed=seed), budget)


def run(case: Case, watch: Watch | None = None) -> Result:
    """Run the study to the end of its budget and compare its answer with the truth."""
    bench, study = case.bench, case.study
    best = study.run(bench.functions, case.budget, callback=watch)
    return Result(
        bench=bench,
        method=study.method,
        seed=study.seed,
        budget=case.budget,
        spent=study.spent,
        decisions=sum(not suggestion.initial for suggestion in study.suggestions),
        best=best,
        value=bench.functions[bench.problem.objective.name](best.point),
        feasible=bench.is_feasible(best.point),
        opportunity_cost=bench.opportunity_cost(best.point),
        accounts=accounts(bench.problem, study),
        relevance=tuple(study.relevance()),
    )


def accounts(problem: Problem, study: Study) -> tuple[Account, ...]:
    """One account per function; for a problem without groups, where each function has its own cost."""
    counts = study.counts
    first = {suggestion.number for suggestion in study.suggestions if suggestion.initial}
    initial = dict.fromkeys(problem.functions, 0)
    for row in study.observations:
        if row.suggestion in first:
            initial[row.function] += 1
    found = []
    for name in problem.functions:
        cost, chosen = problem.function(name).cost, counts[name] - initial[name]
        found.append(Account(name, cost, initial[name], chosen, cost * chosen))
    return tuple(found)
