"""The demonstration: a small study in memory of a problem whose answer is known, and how its answer compares."""

import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from taut.app.look.answer import Answer, answer, beliefs
from taut.app.look.status import Account, accounts
from taut.app.look.text import VERDICTS, columns
from taut.app.run.monitor import Monitor
from taut.app.studyfile.file import StudyOptions
from taut.base.numbers import probability
from taut.bench import BenchProblem, problem
from taut.plot.limits import to_dict
from taut.problem.design import usual_size
from taut.study.programs import PythonProgram
from taut.study.study import Study
from taut.study.worker import Plan, RunListener

PROBLEM = "test_function_2"
COSTS = {"f": 1.0, "c1": 2.0, "c2": 10.0, "c3": 2.0}
"""The constraint that does not matter, c2, is the expensive one."""
WORDS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
COUPLED = ("pesc-coupled", "ckg", "cei", "random")


@dataclass(frozen=True, slots=True)
class Result:
    """The answer, how good it is, and what it cost. Costs are after the initial design."""

    bench: BenchProblem
    method: str
    seed: int
    budget: float
    decisions: int
    answer: Answer
    accounts: tuple[Account, ...]

    @property
    def opportunity_cost(self) -> float:
        """What recommending this point loses against the best one."""
        return self.bench.opportunity_cost(self.answer.best.point)

    @property
    def feasible(self) -> bool:
        """Is the recommended point truly feasible?"""
        return self.bench.is_feasible(self.answer.best.point)

    @property
    def value(self) -> float:
        """True objective at the recommended point."""
        return self.bench.functions[self.answer.objective](self.answer.best.point)

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
        return {
            "problem": self.bench.name,
            "method": self.method,
            "seed": self.seed,
            "budget": self.budget,
            "spent": self.answer.spent,
            "decisions": self.decisions,
            "answer": beliefs(self.answer.best),
            "truth": {
                "objective_at_answer": self.value,
                "answer_is_feasible": self.feasible,
                "opportunity_cost": self.opportunity_cost,
                "optimum": self.bench.optimum,
                "solution": self.bench.solution,
                "binding": list(self.bench.binding),
            },
            "functions": [asdict(account) for account in self.accounts],
            "relevance": [to_dict(row) for row in self.answer.relevance],
            "coupled": {"objective_evaluations": self.objective_evaluations, "cost": self.coupled_cost},
        }


def prepare(seed: int, budget: float, method: str) -> tuple[BenchProblem, Monitor]:
    """A fresh study of the demonstration problem, ready to be watched."""
    bench = problem(PROBLEM, costs=COSTS)
    study = Study(bench.problem, method=method, seed=seed)
    options = StudyOptions("Test Function 2", usual_size(bench.problem), "memory", method, seed, budget=budget)
    return bench, Monitor("taut demo", study, options, budget)


def truth(bench: BenchProblem) -> PythonProgram:
    """A program that evaluates the formulas of a test problem."""
    calls = {name: bench.functions[name] for name in bench.problem.functions}
    return PythonProgram("truth", tuple(calls), lambda point: {name: call(point) for name, call in calls.items()}, True)


def run(bench: BenchProblem, monitor: Monitor, watch: RunListener | None = None) -> Result:
    """Run the study to the end of its budget. watch: a view that passes everything on to the monitor."""
    study, options = monitor.study, monitor.options
    study.work([truth(bench)], monitor.budget, plan=Plan(watch or monitor, verify=True))
    history = monitor.rows().history
    found = answer(options.name, study, budget=monitor.budget), accounts(bench.problem, history)
    return Result(bench, options.method, options.seed, monitor.budget, history.chosen, *found)


def result_lines(result: Result) -> Iterator[str | Text]:
    """Answer against truth, cost per function, which constraints mattered, and what coupling would have cost."""
    yield from _section("Answer", _answer(result), answer_sentences(result))
    initial = WORDS["initial"].format(points=result.accounts[0].initial, cost=result.initial_cost)
    yield from _section("What was evaluated", _evaluations(result), initial)
    yield from _section("Which constraints mattered", _relevance(result), WORDS["columns"])
    yield Text(coupled_sentence(result), style="bold")
    if result.method not in COUPLED:
        yield Text(WORDS["try_coupled"], style="dim")


def _section(title: str, table: Iterator[tuple[str, ...]], note: str) -> list[str | Text]:
    return [Text(title, style="bold"), "", *columns([*table]), "", Text(note, style="dim"), ""]


def answer_sentences(result: Result) -> str:
    """How the answer compares with what was predicted and with the best possible."""
    best = result.answer.best
    mean, sd = best.objective
    predicted = WORDS["predicted"].format(mean=mean, sd=sd, probability=probability(best.feasibility))
    truth = WORDS["feasible" if result.feasible else "infeasible"]
    if best.verified:
        predicted = WORDS["verified"].format(mean=best.measured[result.answer.objective])
    return f"{predicted} {truth.format(loss=result.opportunity_cost, penalty=result.bench.penalty)}"


def coupled_sentence(result: Result) -> str:
    """What evaluating everything together would have cost for as many objective evaluations."""
    n, coupled, spent = result.objective_evaluations, result.coupled_cost, result.answer.spent
    if not result.decisions:
        return WORDS["nothing"].format(budget=result.budget, method=result.method)
    if not n:
        return WORDS["constraints_only"].format(spent=spent)
    bill = WORDS["bill"].format(functions=len(result.accounts), n=n, plural="s" * (n > 1), coupled=coupled)
    if coupled == spent:
        return bill + WORDS["equal"]
    kind, change = ("saves", 1.0 - spent / coupled) if coupled > spent else ("more", spent / coupled - 1.0)
    return bill + WORDS[kind].format(spent=spent, change=change)


def _answer(result: Result) -> Iterator[tuple[str, ...]]:
    yield "", "found", "truth"
    for name, value in result.answer.best.point.items():
        yield name, f"{value:.6f}", f"{result.bench.solution[name]:.6f}"
    yield "objective f", f"{result.value:.6f}", f"{result.bench.optimum:.6f}"
    yield "opportunity cost", f"{result.opportunity_cost:.2g}", "0"


def _evaluations(result: Result) -> Iterator[tuple[str, ...]]:
    yield "function", "cost of one", "initial", "chosen", "spent"
    for row in result.accounts:
        yield row.function, f"{row.cost:g}", str(row.initial), str(row.chosen), f"{row.spent:g}"
    initial, chosen = sum(row.initial for row in result.accounts), sum(row.chosen for row in result.accounts)
    yield "total", "", str(initial), str(chosen), f"{result.answer.spent:g}"


def _relevance(result: Result) -> Iterator[tuple[str, ...]]:
    yield "constraint", "matters", "binds", "verdict", "truth", "chosen", "spent", "coupled"
    for row in result.answer.relevance:
        judged = (probability(row.matters), probability(row.binds), VERDICTS[row.verdict])
        truth = "binds" if row.constraint in result.bench.binding else "slack"
        yield row.constraint, *judged, truth, str(row.evaluations), f"{row.cost:g}", f"{row.coupled_cost:g}"
