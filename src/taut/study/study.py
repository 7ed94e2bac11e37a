"""The conversation with the user: ask, tell, recommend.

A study holds its rows in a storage and nothing else: each answer is computed from the rows. Suggestion number
k (from 1) is a function of the seed, k, and the rows visible when it was asked for; replay computes it again.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from typing import Any

from taut.base.errors import StudyError, listed
from taut.data import ledger
from taut.data.considered import Considered, considered
from taut.data.history import History, Moment
from taut.data.results import FunctionCheck, Incumbent, Outlook, Prediction, Recommendation, RelevanceRow
from taut.data.rows import Observation, Suggestion
from taut.problem.design import MOST, Kind, usual_size
from taut.problem.design import initial_design as make_design
from taut.problem.known import Formulas
from taut.problem.problem import Problem
from taut.storage import Where, open_storage
from taut.storage.base import ALL, Leases
from taut.storage.leases import Owner, asking
from taut.storage.owner import new as new_owner
from taut.storage.sharing import AwayError, retry_on_conflict
from taut.study import amendments, checks, declaration, frame, loop
from taut.study import method as methods
from taut.study import programs as evaluate
from taut.study.decision import Decision
from taut.study.ending import ended
from taut.study.method import Policy
from taut.study.questions import Limits, Question, incumbent, question, stopping, verifying
from taut.study.reader import Reader
from taut.study.views import Views
from taut.study.worker import Plan, Worker


class Study(Views):
    """Ask where and what to evaluate, tell what came out, get a recommendation.

    problem: what is optimised. method: the name of a method (or an object with the methods of Policy).
    seed: a whole number >= 0. initial: size of the initial design, by default max(6, 2 (d + 1)).
    storage: None for memory; the path of a file or a URL to keep the study, or to go on with the one it holds.
    preset, options: passed to the method. initial_design: "coupled" (all functions at each initial point) or
    "independent" (own points for each function or group).
    """

    def __init__(
        self,
        problem: Problem,
        method: str | Policy = "dckg",
        seed: int = 0,
        initial: int | None = None,
        storage: Where = None,
        preset: str | None = None,
        initial_design: Kind = "coupled",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(problem, Problem):
            raise StudyError(f"Study: problem must be a taut.Problem, got {problem!r}.")
        self.seed = checks.whole("seed", seed)
        size = usual_size(problem) if initial is None else checks.whole("initial", initial, MOST)
        checks.one_of("initial_design", initial_design, ("coupled", "independent"))
        options = checks.options(options, preset)
        policy, self.method = methods.find(method, preset, options)
        self._storage = open_storage(storage)
        settings = {"method": self.method, "seed": self.seed, "initial": size, "preset": preset}
        settings |= {"initial_design": initial_design, "options": options}
        self.problem = problem = declaration.agree(self._storage, problem, settings)
        design = make_design(problem, initial_design, size, self.seed)
        self._decision = Decision(problem, policy, self.seed, design)
        self._reader = Reader(problem, self._storage)

    @classmethod
    def open(cls, storage: Where, method: Policy | None = None, formulas: Formulas | None = None) -> "Study":
        """The study in a storage, with its own problem and settings.

        method: the same object again, if the study was made with an object and not with the name of a method.
        formulas: by name, known functions that are Python functions; a storage keeps texts only.
        """
        opened = open_storage(storage)
        problem, settings = declaration.stored(opened, formulas)
        named = methods.stored(settings["method"]) if method is None else method
        return cls(problem, storage=opened, **settings | {"method": named})

    def __repr__(self) -> str:
        functions = f"{self.problem.objective.goal} {listed(self.problem.functions[:1])}"
        if self.problem.constraints:
            functions += f" subject to {listed(self.problem.functions[1:])}"
        return f"<taut.Study: {functions}, method {self.method!r}, seed {self.seed}>"

    def ask(self, remaining: float | None = None, budget: float | None = None, verify: bool = False) -> Suggestion:
        """The next point and the functions to evaluate there.

        remaining: budget left, None for unlimited. budget: instead of it, what all suggestions after the initial design
        may cost together, those of others at work on the same study included. verify: keep the last part of it for a
        verified answer, as run does.
        """
        left = math.inf if remaining is None else checks.amount("remaining", remaining)
        total = math.inf if budget is None else checks.amount("budget", budget)
        suggestion = self._next(left, total, Plan(verify=verify))
        if suggestion is None:
            moment = self._moment()
            least = None if self.finished else self._decision.cheapest(moment)
            raise checks.nothing_left(self.problem, self.method, _left(moment, left, total), least)
        return suggestion

    def tell(
        self,
        suggestion: Suggestion | int,
        values: checks.Values,
        note: str = "",
        seconds: Mapping[str, float] | None = None,
    ) -> None:
        """Take values of any of the functions asked for; None means that the function failed there.

        All values are checked before any is taken. Repeating a value is harmless. note: why it failed. seconds: how
        long each took; that of a setup under its own name, on top of the function's.
        """
        checked = checks.values(self.problem, values)
        times = checks.seconds(self.problem, seconds, checked)

        def step() -> None:
            with self._reader as history:
                row = checks.find(suggestion, history)
                for name in checked:
                    if name not in row.functions:
                        got = f"{name!r}, which was not asked for"
                        way_out = "use study.add or taut add for a value measured on top"
                        expected = f"values of {listed(row.functions)}"
                        raise StudyError.of(f"Suggestion {row.number}", expected, got, way_out)
                for name, value in checked.items():
                    checks.check_repeat(row.number, name, value, history.answers)
                new = ledger.told(row, checked, history.answers, str(note), history.reopened, times)
            self._storage.add_observations(new)

        retry_on_conflict(step)

    def add(self, point: Mapping[str, Any] | Any, values: checks.Values | None = None) -> None:
        """Take values (or a table, see to_pandas) measured elsewhere: data, not cost; points but for rounding one."""
        with self._reader as history:
            rows = frame.elsewhere(self.problem, point, values, history.designs)
        self._storage.add_observations(rows)

    def retry(self, number: Suggestion | int | None = None, name: str | None = None) -> list[tuple[int, str]]:
        """Open failures (of one suggestion, function or group) again, for the next run or tell; what was opened."""
        return amendments.retry(self._storage, self._reader, number, name)

    def correct(self, suggestion: Suggestion | int, values: checks.Values) -> list[str]:
        """Replace values that were told by mistake (None: it failed there); the functions that have another one now."""
        checked = checks.values(self.problem, values)
        return amendments.correct(self._storage, self._reader, suggestion, checked)

    def recommend(self, limits: Limits | None = None) -> Recommendation:
        """The best point according to what is known now, with what is believed about it.

        limits: what if these were the limits? {"stress": {"at_most": 260.0}}; nothing is stored.
        """
        return self._question(limits).recommendation()

    def incumbent(self, limits: Limits | None = None) -> Incumbent | None:
        """The best design that was evaluated whole and held as measured, if there is one; limits: as in recommend."""
        return incumbent(self._reader, limits)

    def predict(self, point: Mapping[str, Any]) -> Prediction:
        """What is believed of every function at a point."""
        return self._question().prediction(point)

    def check(self) -> list[FunctionCheck]:
        """One record per function: how its predictions have fared, and what its model takes for certain."""
        return self._question().check()

    def relevance(self, limits: Limits | None = None) -> list[RelevanceRow]:
        """One row per constraint: does it matter, and what did it cost? limits: as in recommend."""
        return self._question(limits).relevance()

    def outlook(self, budget: float | None = None) -> Outlook:
        """What more evaluations are expected to bring. budget: for all of them together; None: as at the last one."""
        return self._question().outlook(budget)

    def _question(self, limits: Limits | None = None) -> Question:
        return question(self._reader, self._decision.policy, self.seed, self._decision.cache, limits)

    @property
    def spent(self) -> float:
        """Cost of everything told or failed after the initial design."""
        with self._reader as history:
            return history.spent

    @property
    def counts(self) -> dict[str, int]:
        """Evaluations per function, initial design included; values measured elsewhere are not counted."""
        with self._reader as history:
            return {name: history.tallies[name].told + history.tallies[name].failed for name in self.problem.functions}

    @property
    def finished(self) -> bool:
        """Is everything worth knowing known, or under way?

        Never with real parameters, or noisy functions, unless every function has a formula.
        """
        return self._decision.exhausted(self._moment())

    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """All suggestions, by number."""
        return tuple(self._storage.rows()[0])

    @property
    def observations(self) -> tuple[Observation, ...]:
        """All observations, in the order they came in."""
        return tuple(self._storage.rows()[1])

    @property
    def history(self) -> History:
        """All rows, brought up to date, with what follows from them; one object, to be read by one thread."""
        with self._reader as history:
            return history

    def decision(self, number: int) -> tuple[Considered, ...]:
        """What was considered for suggestion `number`: the best of every set, the decision first; empty if unknown."""
        with self._reader as history:
            return considered(self.problem, checks.find(number, history))

    def replay(self, number: int) -> Suggestion:
        """Compute suggestion `number` again from the rows that were visible when it was made."""
        with self._reader as history:
            row, (suggestions, observations) = checks.find(number, history), history.lists()
        then = History(self.problem)
        then.extend([each for each in suggestions if each.number < row.number], observations[: row.seen])
        left = math.inf if row.remaining is None else row.remaining
        again = self._decision.make(then.moment(), left, verifying(row), stopping(row))
        if again is None:
            raise StudyError(f"Suggestion {number}: expected to find it again, got none within {left!r}.")
        return again

    def run(
        self,
        functions: Mapping[str, evaluate.Function],
        budget: float,
        executor: Executor | None = None,
        workers: int | None = None,
        callback: "Callable[[Study, Suggestion], object] | None" = None,
        verify: bool = True,
        stop: float | None = None,
    ) -> Recommendation:
        """Ask, evaluate and tell until the budget (cost after the initial design, in total) is used.

        functions: a callable per function, taking the point as a dict; a group may have one under its own
        name that returns a dict. A callable that raises or returns no finite number has failed there.
        Suggestions that are still pending are evaluated first. executor: keeps `workers` evaluations under way; as
        soon as one ends, the next is decided on. callback: called with the study and each suggestion that is complete.
        verify: keep part of the budget, so that the answer is a design at which every function was evaluated and every
        constraint held. stop: end as soon as all that is left is expected to gain less than this, in the objective's
        unit; the note of the answer says so.
        """
        programs = evaluate.programs(self.problem, functions)
        workers = checks.workers(executor, workers)
        checks.callback(callback)
        complete = None if callback is None else lambda row: callback(self, row)
        plan = Plan(
            complete=complete, verify=checks.flag("verify", verify), stop=checks.stop(stop, self._decision.policy)
        )
        self.work(programs, budget, executor, workers, plan)
        return ended(self._question(), self.history, budget, plan.stop, plan.verify)

    def work(
        self,
        programs: Sequence[evaluate.Program],
        budget: float,
        executor: Executor | None = None,
        workers: int = 1,
        plan: Plan = Plan(),  # noqa: B008  (immutable)
    ) -> bool:
        """The same for programs of any kind, one for each function.

        True at the end, False if the plan's listener stopped it. Others may work on the same study: what one has taken
        on, the others leave alone while it lives.
        """
        bundles = (bundle.name for bundle in self.problem.bundles)
        budget = checks.budget(budget, self._decision.least_budget, self.method, bundles)
        with suppress(AwayError):  # the run waits for that one
            self.require_writable()
        with Owner(self._storage, plan.lease) as owner:
            ask = partial(self._next, math.inf, budget, plan, owner)
            worker = Worker(self._storage, self._reader, owner, programs, ask, plan)
            return loop.drive(worker, executor, workers, plan)

    def require_writable(self) -> None:
        """Raise StorageError, before anything is paid for, if nothing can be written to the storage."""
        self._storage.renew(new_owner(), 0.0)

    def leases(self) -> Leases:
        """Who took on which evaluation: the last lease on each (suggestion number, function) that a run took on."""
        return {key: lease for key, lease in self._storage.leases().items() if key[1] != ALL}

    def _next(
        self, remaining: float, budget: float, plan: Plan, owner: Owner | None = None, patient: bool = False
    ) -> Suggestion | None:
        """Make and store the next suggestion, for at most what remains, and what remains of the budget for all.

        owner: of the run that asks; None if somebody asks by hand. patient: may it wait for what is under way?
        """

        def step() -> Suggestion | None:
            moment = self._moment()
            row = self._decision.make(moment, _left(moment, remaining, budget), plan.verify, plan.stop, patient)
            if row is not None and owner is not None:
                self._storage.add_suggestion(row, owner.name, owner.seconds)
                owner.keep()
            elif row is not None:
                self._storage.add_suggestion(row)
            return row

        with asking(self._storage):  # one after the other, so that each knows of the one before
            return retry_on_conflict(step)

    def _moment(self) -> Moment:
        with self._reader as history:
            return history.moment()


def _left(moment: Moment, remaining: float, budget: float) -> float:
    """What the next suggestion may cost."""
    return min(remaining, max(0.0, ledger.remaining(moment.committed, budget)))
