"""An OpenMDAO driver that runs only those components that the next response to be known needs.

    prob.driver = TautDriver(budget=600.0, seed=0)   # seconds, unless costs are given
    prob.run_driver()
    prob.driver.study                                # a taut.Study: relevance(), report(...), ...

Everything is in the units of the declarations, before scalers; an objective with a negative scaler is maximised.
"""

from typing import Any

from openmdao.core.driver import Driver

from taut.base.errors import ProblemError, StudyError
from taut.base.numbers import finite, shown
from taut.data.results import Recommendation
from taut.hosts.model import Model
from taut.hosts.session import Session
from taut.study.study import Study

SUPPORTED = ("optimization", "inequality_constraints", "two_sided_constraints", "integer_design_vars")


class TautDriver(Driver):  # type: ignore[misc]
    """Finds the best design by taut; see its options. A run leaves the model at the answer, evaluated whole."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for name in self.supports:
            self.supports[name] = name in SUPPORTED
        self.supports._read_only = True
        self.study: Study | None = None
        """The study of the last run."""
        self.recommendation: Recommendation | None = None
        """Its answer."""

    def _declare_options(self) -> None:
        say = self.options.declare
        say("budget", None, desc="what may be spent after the initial design: seconds, or in the unit of costs")
        say("costs", "measured", desc="'measured': seconds; or numbers by path of a component or group, else 0")
        say("method", "dckg", types=str, desc="the name of one of taut's methods")
        say("seed", 0, desc="a whole number of 0 or more")
        say("initial", None, desc="size of the initial design; None: by the number of design variables")
        say("storage", None, desc="a path or URL to keep the study, and to go on with the one there; None: memory")
        say("verify", True, types=bool, desc="keep part of the budget so that every response of the answer is measured")
        say("stop", None, desc="end when all that is left is expected to gain less than this, in the objective's unit")
        say("entries", 10, types=int, lower=1, desc="a response with more entries is one constraint: the worst of them")
        say("preset", None, desc="of the method")
        say("method_options", None, desc="a dict of options of the method")

    def _get_name(self) -> str:
        return "Taut"

    def _setup_driver(self, problem: Any) -> None:
        super()._setup_driver(problem)
        if problem.comm.size > 1:
            raise StudyError.of("TautDriver", "one process", f"{problem.comm.size}", "run it without mpirun")
        for name, meta in self._cons.items():
            if meta["equals"] is not None:
                way = "solve it inside the model (by a BalanceComp), or give a narrow lower and upper"
                got = f"equals={shown(meta['equals'])}"
                raise ProblemError.of(f"Constraint {name!r}", "lower and/or upper limits", got, way)

    def run(self) -> bool:
        """True if it failed: it was stopped by failures, or the answer does not hold when the whole model is run."""
        self.result.reset()
        self.iter_count = 0
        self._check_for_missing_objective()
        self._check_for_invalid_desvar_values()
        if finite(self.options["budget"]) is None:
            way = "write TautDriver(budget=600.0): seconds, or the unit of costs"
            raise StudyError.of("TautDriver: budget", "a number", shown(self.options["budget"]), way)
        session = Session(self.options, Model(self))
        self.study = session.study
        finished = session.work()
        self.recommendation = self.study.recommend()
        return not session.finish(self.recommendation) or not finished
