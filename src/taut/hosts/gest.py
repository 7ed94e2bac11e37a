"""A gest-api generator: taut inside libEnsemble, Optimas and Xopt.

    generator = TautGenerator(vocs, costs={"f": 1.0, "c": 5.0}, seed=0)
    generator.vocs                                 # to be given to the host: it has the variable taut_request as well
    generator.simulator({"f": f, "c": c})          # to be run by the host: calls what is asked for

gest-api has no word for "only c at this point". The request travels as a variable (requests.py), and what was not asked
for comes back as nan.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from gest_api import Generator

from taut.base.errors import StudyError, TautError
from taut.base.numbers import Cost, as_float, shown
from taut.data.results import Recommendation
from taut.data.rows import Suggestion
from taut.hosts.requests import ID, REQUEST, SECONDS, GestError, Requests, absent, answered, number_of
from taut.hosts.simulator import Simulator
from taut.hosts.vocs import fixed, problem_of, renamed, with_requests
from taut.problem.functions import Group, Setup
from taut.problem.problem import Problem
from taut.storage import Where
from taut.study.programs import Function
from taut.study.study import Study

SAME = 1e-12
"""Relative to the number itself, whatever its unit: one that comes back this close is the one that was given out."""


class TautGenerator(Generator):  # type: ignore[misc]
    """Suggests where to evaluate what; see taut.Study for method, seed, initial, storage, preset and options.

    vocs: variables, one objective, constraints. costs: by output, 1 where not given; or "measured". groups, setups: of
    outputs that come together or share a step. budget: what may be asked for after the initial design, None for any
    amount. verify: keep part of the budget so that the answer is measured whole.
    """

    returns_id = True

    def __init__(
        self,
        vocs: Any,
        costs: Mapping[str, Cost] | str | None = None,
        groups: Iterable[Group] = (),
        setups: Iterable[Setup] = (),
        method: str = "dckg",
        seed: int = 0,
        initial: int | None = None,
        storage: Where = None,
        budget: float | None = None,
        verify: bool = False,
        preset: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._declared = (costs or {}, tuple(groups), tuple(setups))
        super().__init__(vocs)
        self.study = Study(self._problem, method, seed, initial, storage, preset, options=options)
        self._requests = Requests.of(self._problem)
        self.vocs = with_requests(vocs, self._requests)
        """To be given to the host."""
        self._fixed, self._names = fixed(self.vocs), renamed(self.vocs)
        self._budget, self._verify = budget, verify
        history = self.study.history
        left = [(row, history.missing(row)) for _, row in sorted(history.open.items())]
        self._waiting = [each for row, missing in left for each in self._rows(row, missing)]

    def __deepcopy__(self, memo: Any) -> "TautGenerator":
        """Itself: a study is one thing, and hosts that copy what they are given go on with the same."""
        return self

    def _validate_vocs(self, vocs: Any) -> None:
        try:
            self._problem: Problem = problem_of(vocs, *self._declared)
        except GestError:
            raise
        except TautError as error:
            raise GestError(str(error)) from error

    def simulator(self, functions: Mapping[str, Function]) -> Simulator:
        """What the host is to run. functions: as for taut.Study.run; they get variables and constants, a dict."""
        return Simulator(self._problem, functions, self._fixed, self.vocs.observables, self._names)

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """So many rows, each for one program at one point; None: those of one suggestion."""
        wanted = max(1, len(self._waiting)) if num_points is None else _count(num_points)
        while len(self._waiting) < wanted:
            try:
                row = self.study.ask(budget=self._budget, verify=self._verify)
            except StudyError as error:
                raise GestError(f"suggest: expected {wanted} points, got {len(self._waiting)}. {error}") from error
            self._waiting += self._rows(row, row.functions)
            wanted = len(self._waiting) if num_points is None else wanted
        given, self._waiting = self._waiting[:wanted], self._waiting[wanted:]
        return [self._names.to_theirs(each) for each in given]

    def ingest(self, results: list[dict[str, Any]]) -> None:
        """Take what came out; rows without an id, of other points, are values measured elsewhere."""
        for result in map(self._names.to_ours, _rows_of(results)):
            self._check_fixed(result)
            known = self._known(result)
            if known is None:
                self._add(result)
                continue
            row, code = known
            answer = answered(result, self._requests.bundles[code], self._requests.outputs)
            share = None if answer.seconds is None else answer.seconds / len(answer.values)
            seconds = None if share is None else dict.fromkeys(answer.values, share)
            self._told(self.study.tell, row, answer.values, "", seconds)

    def recommend(self) -> Recommendation:
        """The best point now; more is in `study`."""
        return self.study.recommend()

    def _rows(self, row: Suggestion, functions: Iterable[str]) -> list[dict[str, Any]]:
        wanted = set(functions)
        codes = [code for code, bundle in enumerate(self._requests.bundles) if not wanted.isdisjoint(bundle)]
        return [{**row.point, **self._fixed, REQUEST: code, ID: self._requests.id(row.number, code)} for code in codes]

    def _known(self, result: Mapping[str, Any]) -> tuple[Suggestion, int] | None:
        """The suggestion and the code that a result answers, by its id, or by point and request; None if none."""
        given = result.get(ID)
        id = as_float(given)
        if absent(given) or (id is not None and id < 0):
            return self._matching(result)
        way = "leave _id out for points from elsewhere"
        if id is None or not id.is_integer():
            raise GestError.of("Result: '_id'", "one that was suggested", shown(given), way)
        number, code = self._requests.row(int(id))
        row = self.study.history.find(number)
        if row is None:
            raise GestError.of("Result: '_id'", "one that was suggested", shown(given), way)
        if self._requests.code_of(
            result.get(REQUEST, 0 if len(self._requests.bundles) == 1 else None)
        ) != code or not self._at(result, row):
            expected = f"{REQUEST}={code} at {row.point}"
            way = "hand every variable back as it was suggested"
            raise GestError.of(f"Result with _id {int(id)}", expected, shown(dict(result)), way)
        return row, code

    def _matching(self, result: Mapping[str, Any]) -> tuple[Suggestion, int] | None:
        if absent(result.get(REQUEST)):
            return None
        code = self._requests.code_of(result[REQUEST])
        history, bundle = self.study.history, set(self._requests.bundles[code])
        rows = [row for row in history.open.values() if not bundle.isdisjoint(history.missing(row))]
        return next(((row, code) for row in rows if self._at(result, row)), None)

    def _check_fixed(self, result: Mapping[str, Any]) -> None:
        """Values of other constants are values of another problem. Not every host hands them back."""
        for name, value in self._fixed.items():
            if name in result and not _same(result[name], value):
                way = "hand it to the simulator and back as it is; other constants need a generator of their own"
                raise GestError.of(f"Result: {name!r}", shown(value), shown(result[name]), way)

    def _at(self, result: Mapping[str, Any], row: Suggestion) -> bool:
        return all(_same(result.get(name), value) for name, value in row.point.items())

    def _add(self, result: Mapping[str, Any]) -> None:
        values: Mapping[str, float | None] = {}
        if absent(result.get(REQUEST)):
            values = _measured(result, self._problem.functions)
        else:
            asked = self._requests.bundles[self._requests.code_of(result[REQUEST])]
            computed = SECONDS in result  # by a simulator of ours: then what is nan has failed
            outputs = self._requests.outputs
            values = answered(result, asked, outputs).values if computed else _measured(result, asked)
        if values:
            point = {parameter.name: result.get(parameter.name) for parameter in self._problem.parameters}
            self._told(self.study.add, point, values)

    def _told(self, take: Any, *given: Any) -> None:
        try:
            take(*given)
        except TautError as error:
            raise GestError(str(error)) from error


def _count(num_points: object) -> int:
    number = as_float(num_points)
    if number is None or number < 0 or not number.is_integer():
        raise GestError.of("suggest: num_points", "a whole number of 0 or more", shown(num_points), "or leave it out")
    return int(number)


def _rows_of(results: Any) -> Iterable[Mapping[str, Any]]:
    if isinstance(results, Mapping) or not all(isinstance(each, Mapping) for each in results):
        raise GestError.of("ingest", "a list of dicts, one a row", shown(results), "write ingest([row])")
    return list(results)


def _measured(result: Mapping[str, Any], names: Iterable[str]) -> dict[str, float | None]:
    """Values measured elsewhere; nan, or None, is none."""
    for name in names:
        if name not in result:
            way = "give every output, nan where it was not measured"
            raise GestError.of(f"Result: {name!r}", "a number or nan", "nothing", way)
    return {name: number_of(name, result[name]) for name in names if not absent(result[name])}


def _same(came: object, given: object) -> bool:
    number, wanted = as_float(came), as_float(given)
    if number is None or wanted is None:
        return str(came) == str(given) or bool(np.array_equal(np.asarray(came), np.asarray(given)))
    return abs(number - wanted) <= SAME * abs(wanted)
