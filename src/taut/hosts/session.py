"""One study of an OpenMDAO model: how it is begun, worked on and finished."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openmdao.utils.om_warnings import DriverWarning, issue_warning

from taut.base.errors import ProblemError, StoppedError
from taut.base.numbers import finite
from taut.data.results import Recommendation
from taut.hosts import dataflow
from taut.hosts.declare import Declared, as_before, check_fixed, families, holds, limits, part_costs
from taut.hosts.model import Model
from taut.storage import open_storage
from taut.study import checks
from taut.study.programs import Outcome, Task, values_of
from taut.study.study import Study
from taut.study.worker import Plan, RunListener


class Session:
    """options: of the driver. The model is evaluated where it is; that is the first the study knows."""

    def __init__(self, options: Any, model: Model) -> None:
        self.options, self.model = options, model
        self.trouble: BaseException | None = None
        """An error that is none of the point's."""
        costs = part_costs(options["costs"], [part.path for part in model.parts])
        self._prepare()
        place = open_storage(options["storage"])
        there = place.load()
        point, start, weights = self._start() if there is None else ({}, {}, {})
        if there is None:
            shared = dataflow.setups(model.owned, weights if costs is None else costs)
        else:
            shared = as_before(families(there[0], model.goals, model.bundles), model.owned, costs)
        self.declared = Declared(model.design, model.goals, model.bundles, model.nodes_by_part, shared, costs)
        named = {name: options[name] for name in ("method", "seed", "initial", "preset")}
        self.study = Study(self.declared.problem(), storage=place, options=options["method_options"], **named)
        if start:
            self.study.add(point, start)

    def _prepare(self) -> None:
        """Run what no design variable changes, once; a limit that it breaks can never be met."""
        model = self.model
        if model.goals.objective in model.fixed:
            way = "connect it to one, or give another objective"
            raise ProblemError.of(f"Objective {model.goals.objective!r}", "a design variable behind it", "none", way)
        if model.constant:
            model.runner.run(model.constant, ())
        for name, entries in model.arrays(model.fixed).items():
            check_fixed(model.goals.limits[name], entries)

    def _start(self) -> tuple[dict[str, Any], dict[str, float | None], Mapping[str, float]]:
        """The point that the model is at, everything there (None: it failed), and the seconds of each part."""
        model, point = self.model, self.model.where()
        found: dict[str, float | None] = {}
        seconds: dict[str, float] = {}
        for bundle in model.bundles:
            trouble = model.evaluate(bundle.nodes, point)
            values = {} if trouble else model.goals.values(model.arrays(bundle.responses))
            found |= {name: finite(values.get(name)) for name in model.goals.functions(bundle.responses)}
            seconds |= model.runner.times
        return point, found, seconds

    def work(self) -> bool:
        """Until the budget is spent; False if failures stopped it before."""
        programs = [_Program(self, number) for number in range(len(self.model.bundles))]
        stop = checks.stop(self.options["stop"])
        plan = Plan(listener=_Watch(self), verify=self.options["verify"], stop=stop)
        try:
            self.study.work(programs, self.options["budget"], plan=plan)
        except StoppedError as error:
            issue_warning(str(error), category=DriverWarning)
            return False
        if self.trouble is not None:
            raise self.trouble
        return True

    def finish(self, best: Recommendation) -> bool:
        """Run the whole model at the answer and leave it there; does the answer hold?"""
        model = self.model
        model.move(best.point)
        trouble = model.recorded(model.driver._run_solve_nonlinear, whole=True)
        if trouble:
            issue_warning(f"The recommended design could not be computed: {trouble}", category=DriverWarning)
            return False
        values = model.goals.values(model.arrays(name for bundle in model.bundles for name in bundle.responses))
        broken = [each for each in self.study.problem.constraints if not holds(each, values[each.name])]
        if broken:
            said = "; ".join(f"{each.name} is {values[each.name]:.6g}, limits {limits(each)}" for each in broken)
            way = "Give a larger budget, or ask driver.study.relevance() which limits keep every design out."
            issue_warning(f"The recommended design does not hold: {said}. {way}", category=DriverWarning)
        return not broken


@dataclass
class _Program:
    """One bundle of responses, as a run of a study evaluates it."""

    session: Session
    number: int
    slots: int | None = None

    @property
    def name(self) -> str:
        first, *more = self.functions
        return f"{first} and {len(more)} more" if more else first

    @property
    def functions(self) -> tuple[str, ...]:
        return tuple(self.session.model.goals.functions(self.session.model.bundles[self.number].responses))

    def evaluate(self, task: Task) -> Outcome:
        model, bundle = self.session.model, self.session.model.bundles[self.number]
        try:
            trouble = model.evaluate(bundle.nodes, task.point)
        except BaseException as error:  # says nothing about the point: whoever called run_driver is to see it
            self.session.trouble = error
            return Outcome({}, interrupted=True)
        outcome = Outcome(dict.fromkeys(task.functions), trouble)
        if not trouble:
            outcome = values_of(model.goals.values(model.arrays(bundle.responses)), task.functions)
        times, shared = model.runner.times, self.session.declared.shared_by(self.number)
        setup = [seconds for part, seconds in times.items() if part in shared]
        seconds = math.fsum(times.values())
        return Outcome(outcome.values, outcome.note, seconds=seconds, setup=math.fsum(setup) if setup else None)


@dataclass
class _Watch(RunListener):
    """Stops a run after an error that is none of the point's."""

    session: Session

    def stop(self) -> bool:
        return self.session.trouble is not None
