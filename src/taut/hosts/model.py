"""What an OpenMDAO model offers to a driver: design variables, responses, and what has to be run for each of them."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from openmdao.core.analysis_error import AnalysisError
from openmdao.core.driver import RecordingDebugging

from taut.base.arrays import Array
from taut.base.errors import ProblemError, listed
from taut.base.numbers import shown
from taut.hosts import dataflow
from taut.hosts.components import Runner, connections, hidden, parts
from taut.hosts.dataflow import Flow, Nodes, component
from taut.hosts.declare import Goals
from taut.hosts.responses import UNBOUNDED, Design, Response, Variable


class Model:
    """A driver's model. It is moved to a point, and those nodes are run there that somebody asks for."""

    def __init__(self, driver: Any) -> None:
        self.driver, self.model = driver, driver._problem().model
        self.design = Design.of([self._variable(name, meta) for name, meta in driver._designvars.items()])
        self.goals = _goals(driver)
        self.parts = parts(self.model)
        self._metas = {**driver._objs, **driver._cons}
        node_of = {each: node.path for part in self.parts for node in part.nodes for each in node.components}
        flow = Flow.of(connections(self.model), node_of)
        sources = {name: meta["source"] for name, meta in self._metas.items()}
        above = {name: flow.upstream(node_of.get(component(source))) for name, source in sources.items()}
        varied = [meta["source"] for meta in driver._designvars.values()]
        moving = flow.downstream(varied)
        self.constant: Nodes = frozenset().union(*above.values()) - moving
        """What responses need and no design variable changes."""
        self.fixed = [name for name in above if not above[name] & moving and sources[name] not in varied]
        """Responses that no design variable changes."""
        needs = {name: above[name] & moving for name in above if name not in self.fixed}
        self.bundles = dataflow.bundles(needs, sources)
        self.owned = dataflow.owners(self.bundles, self.nodes_by_part)
        keep = frozenset(part for part, numbers in self.owned.items() if len(numbers) > 1)
        self.runner = Runner(self.parts, driver._run_solve_nonlinear, keep)

    @property
    def nodes_by_part(self) -> dict[str, Nodes]:
        return {part.path: part.names for part in self.parts}

    def arrays(self, responses: Iterable[str]) -> dict[str, Array]:
        """What the model says of these responses now, in their units and without scaling."""
        found = {name: self.driver._get_voi_val(name, self._metas[name], {}, driver_units=True) for name in responses}
        return {name: np.atleast_1d(np.asarray(value, dtype=float)).ravel() for name, value in found.items()}

    def move(self, point: Mapping[str, Any]) -> None:
        """Set the design variables."""
        for name, value in self.design.values(point).items():
            meta = self.driver._designvars[name]
            self.driver._set_design_var(name, _like(self._whole(meta), value) if meta["discrete"] else value)

    def where(self) -> dict[str, Any]:
        """The point that the model is at, moved into the bounds."""
        found = {}
        for name, meta in self.driver._designvars.items():
            discrete = meta["discrete"]
            value = self._whole(meta) if discrete else self.driver._get_voi_val(name, meta, {}, driver_units=True)
            found[name] = np.atleast_1d(value).ravel()
        return self.design.point(found)

    def _whole(self, meta: Mapping[str, Any]) -> Any:
        """What a discrete variable is now: an int, or an array of them."""
        return self.model._discrete_outputs[meta["source"]]

    def _variable(self, name: str, meta: Mapping[str, Any]) -> Variable:
        if not meta["discrete"]:
            return Variable(name, *_sides(meta, meta["size"]))
        if meta["indices"] is not None:
            way = "leave indices out; entries with equal bounds stay there"
            raise ProblemError.of(f"Design variable {name!r}", "a whole discrete input", "some of its entries", way)
        now = self._whole(meta)
        if np.asarray(now).dtype.kind not in "iu":
            way = "declare it with add_discrete_input(name, 3); taut varies whole numbers and real ones"
            raise ProblemError.of(f"Design variable {name!r}", "an int, or an array of them", shown(now), way)
        return Variable(name, *_sides(meta, np.size(now)), True)

    def evaluate(self, nodes: Nodes, point: Mapping[str, Any]) -> str:
        """Run these nodes at a point and have it recorded; what went wrong, or nothing."""
        self.move(point)
        return self.recorded(lambda: self.runner.run(nodes, tuple(point.values())))

    def recorded(self, run: Any, whole: bool = False) -> str:
        """The same for any way to run. whole: everything that the model has is run by it."""
        driver, trouble, gone = self.driver, "", None
        with RecordingDebugging(driver._get_name(), driver.iter_count, driver):
            try:
                run()
            except AnalysisError as error:
                trouble = f"AnalysisError: {error}"
            if not whole:
                gone = hidden(self.model, self.runner.stale(self.constant))
                gone.__enter__()
        if gone is not None:
            gone.__exit__(None, None, None)  # now that it is recorded
        driver.iter_count += 1
        return trouble


def _goals(driver: Any) -> Goals:
    if len(driver._objs) != 1:
        way = "give the others as constraints, or weigh them"
        raise ProblemError.of("TautDriver", "one objective", listed(driver._objs), way)
    ((name, meta),) = driver._objs.items()
    if meta["size"] != 1:
        way = "give the index of one of them to add_objective"
        raise ProblemError.of(f"Objective {name!r}", "one number", f"an array of {meta['size']}", way)
    scaler = meta["total_scaler"]
    negative = scaler is not None and float(np.asarray(scaler).flat[0]) < 0.0
    constrained = [Response(each, *_sides(cons, cons["size"] or 1)) for each, cons in driver._cons.items()]
    return Goals.of(name, "maximize" if negative else "minimize", constrained, driver.options["entries"])


def _like(now: Any, value: Array) -> Any:
    """Whole numbers [n] as the model has them: a component that reads one number is not to get an array."""
    return int(value[0]) if np.ndim(now) == 0 else value.astype(int).reshape(np.shape(now))


def _sides(meta: Mapping[str, Any], size: int) -> tuple[Array, Array]:
    return _side(meta, "lower", -math.inf, size), _side(meta, "upper", math.inf, size)


def _side(meta: Mapping[str, Any], side: str, none: float, size: int) -> Array:
    """Infinite where there is no bound; [size]."""
    bound = np.asarray(none if meta[side] is None else meta[side], dtype=float).ravel()
    found = np.broadcast_to(bound, (size,))
    return np.where(np.abs(found) < UNBOUNDED, found, none)
