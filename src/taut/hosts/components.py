"""Runs those parts of an OpenMDAO model that are asked for, each at most once per point, and takes their times.

OpenMDAO's own relevance is not used: it follows declared partial derivatives, and a model without derivatives declares
none, so that what an output depends on would not be run. Here everything counts that is connected. While the model
runs, the parts that are not to be run get a `_solve_nonlinear` that does nothing.
"""

import copy
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from openmdao.core.analysis_error import AnalysisError
from openmdao.core.component import Component
from openmdao.core.explicitcomponent import ExplicitComponent
from openmdao.core.indepvarcomp import IndepVarComp
from openmdao.solvers.nonlinear.nonlinear_block_gs import NonlinearBlockGS
from openmdao.solvers.nonlinear.nonlinear_runonce import NonlinearRunOnce

from taut.base.arrays import Array
from taut.hosts.dataflow import Nodes

SOLVE = "_solve_nonlinear"
Key = tuple[Any, ...]
"""A point, by its numbers."""


@dataclass(frozen=True)
class Node:
    """A component, or a group that solves all of its own together. components: their paths."""

    path: str
    system: Any
    components: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """What is kept and used again: a node, or a group that iterates over several."""

    path: str
    system: Any
    nodes: tuple[Node, ...]

    @property
    def names(self) -> Nodes:
        return frozenset(node.path for node in self.nodes)


def parts(model: Any) -> tuple[Part, ...]:
    """Everything that computes something, in the order in which it is run."""
    return tuple(_parts(model))


def _parts(system: Any) -> Iterator[Part]:
    if isinstance(system, Component) or not isinstance(system.nonlinear_solver, NonlinearRunOnce):
        nodes = tuple(_nodes(system))
        if nodes:
            yield Part(system.pathname, system, nodes)
        return
    for each in system.system_iter(recurse=False):
        yield from _parts(each)


def _nodes(system: Any) -> Iterator[Node]:
    """Gauss-Seidel iterates over those that are needed; other solvers, and residuals by apply_nonlinear, over all."""
    solver = None if isinstance(system, Component) else system.nonlinear_solver
    once = isinstance(solver, NonlinearRunOnce)
    if once or (isinstance(solver, NonlinearBlockGS) and not solver.options["use_apply_nonlinear"]):
        for each in system.system_iter(recurse=False):
            yield from _nodes(each)
        return
    inside = [system] if solver is None else system.system_iter(recurse=True, typ=Component)
    computing = tuple(each.pathname for each in inside if not isinstance(each, IndepVarComp))
    if computing:
        yield Node(system.pathname, system, computing)


@dataclass
class State:
    """What a part gave at a point. nodes: those that were run."""

    nodes: Nodes
    outputs: Array
    discrete: dict[str, dict[str, Any]]

    @staticmethod
    def of(part: Part, nodes: Nodes) -> "State":
        discrete = {each.pathname: dict(each._discrete_outputs.items()) for each in _components(part)}
        return State(nodes, part.system._outputs.asarray(copy=True), copy.deepcopy(discrete))

    def restore(self, part: Part) -> None:
        part.system._outputs.set_val(self.outputs)
        for each in _components(part):
            for name, value in self.discrete[each.pathname].items():
                each._discrete_outputs[name] = copy.deepcopy(value)


def _components(found: Part | Node) -> Iterator[Any]:
    yield from found.system.system_iter(include_self=True, recurse=True, typ=Component)


@dataclass(frozen=True)
class Starts:
    """Outputs of components that iterate, from which they start the next time; design variables are none of them."""

    outputs: tuple[tuple[Any, Array], ...]

    @staticmethod
    def of(part: Part) -> "Starts":
        inside = [each for each in _components(part) if not isinstance(each, IndepVarComp)]
        return Starts(tuple((each, each._outputs.asarray(copy=True)) for each in inside))

    def restore(self) -> None:
        for each, outputs in self.outputs:
            each._outputs.set_val(outputs)


def _iterates(part: Part) -> bool:
    return not isinstance(part.system, ExplicitComponent)


def _check_converged(part: Part) -> None:
    """A solver that may end without convergence leaves the last numbers it had, and no error."""
    if _iterates(part) and not np.isfinite(part.system._residuals.asarray()).all():
        raise AnalysisError(f"{part.path!r} ended with residuals that are nan or infinite")


@dataclass
class Runner:
    """solve: runs the model. keep: paths of the parts whose outputs are kept for every point."""

    parts: tuple[Part, ...]
    solve: Callable[[], object]
    keep: frozenset[str] = frozenset()
    times: dict[str, float] = field(default_factory=dict)
    """Seconds of the parts that ran the last time."""
    valid: dict[str, Nodes] = field(default_factory=dict)
    """By part: the nodes whose outputs in the model belong to the point that it is at."""
    _at: Key | None = None
    _kept: dict[tuple[Key, str], State] = field(default_factory=dict)
    _failed: dict[tuple[Key, str], tuple[Nodes, str]] = field(default_factory=dict)
    """What was to be run of a part at a point, and why it could not be."""
    _good: dict[str, Starts] = field(default_factory=dict)
    """By part that iterates: where it last ended well, or began."""

    def run(self, nodes: Nodes, at: Key) -> None:
        """Run these nodes at the point that the model is set to, unless it is known what they give there.

        Raises AnalysisError where one of them failed before: what several responses need is not to fail for each.
        """
        if at != self._at:
            self._at, self.valid = at, {}
        self.times = {}
        for part in self.parts:
            tried, why = self._failed.get((at, part.path), (None, ""))
            if tried is not None and tried <= part.names & nodes:
                raise AnalysisError(why)
        wanted = {part.path: part.names & nodes for part in self.parts}
        due = {part.path for part in self.parts if wanted[part.path] and not self._found(part, wanted[part.path])}
        with ExitStack() as gates:
            for part in self.parts:
                gates.enter_context(_solved_by(part.system, self._gate(part, wanted[part.path], part.path in due)))
                for node in part.nodes:
                    if node.system is not part.system and node.path not in nodes:
                        gates.enter_context(_solved_by(node.system, lambda _: None))
            try:
                self.solve()
            finally:
                self._keep(due)

    def _found(self, part: Part, wanted: Nodes) -> bool:
        """Is it in the model, or was it kept? Then it is there now."""
        if wanted <= self.valid.get(part.path, frozenset()):
            return True
        state = self._kept.get((self._at or (), part.path))
        if state is None or not wanted <= state.nodes:
            return False
        state.restore(part)
        self.valid[part.path] = state.nodes
        return True

    def _gate(self, part: Part, wanted: Nodes, due: bool) -> "Callable[[Callable[[], None]], None]":
        def solve(original: Callable[[], None]) -> None:
            if not due:
                return
            before = self.valid.pop(part.path, frozenset())  # in pieces, if it fails
            if _iterates(part):
                self._good.setdefault(part.path, Starts.of(part))
            begun = time.perf_counter()
            try:
                original()
                _check_converged(part)
            except AnalysisError as error:
                self._failed[self._at or (), part.path] = wanted, str(error)
                self._begin_again(part)
                raise
            finally:
                self.times[part.path] = self.times.get(part.path, 0.0) + time.perf_counter() - begun
            self.valid[part.path] = before | wanted
            if _iterates(part):
                self._good[part.path] = Starts.of(part)

        return solve

    def _begin_again(self, part: Part) -> None:
        """Where an iteration gave up is no place for the next one to start from, at whatever point."""
        if part.path in self._good:
            self._good[part.path].restore()

    def _keep(self, due: set[str]) -> None:
        for part in self.parts:
            if part.path in due & self.keep and part.path in self.valid:
                self._kept[self._at or (), part.path] = State.of(part, self.valid[part.path])

    def stale(self, constant: Nodes) -> list[Any]:
        """The components whose outputs in the model do not belong to the point that it is at."""
        found = []
        for part in self.parts:
            fresh = self.valid.get(part.path, frozenset()) | constant
            for node in part.nodes:
                if node.path not in fresh:
                    found += list(_components(node))
        return [each for each in found if not isinstance(each, IndepVarComp)]


@contextmanager
def _solved_by(system: Any, gate: "Callable[[Callable[[], None]], None]") -> Iterator[None]:
    """Whoever solves the system calls the gate, with what it does by itself."""
    before, original = system.__dict__.get(SOLVE), getattr(system, SOLVE)
    setattr(system, SOLVE, lambda: gate(original))
    try:
        yield
    finally:
        if before is None:
            delattr(system, SOLVE)
        else:
            setattr(system, SOLVE, before)


@contextmanager
def hidden(model: Any, stale: list[Any]) -> Iterator[None]:
    """With nan where values are of another point, so that nobody records or prints them as if they were of this one."""
    vectors = (model._outputs, model._inputs)
    kept = [vector.asarray(copy=True) for vector in vectors]
    for system in stale:
        system._outputs.set_val(float("nan"))
        system._inputs.set_val(float("nan"))
    try:
        yield
    finally:
        for vector, values in zip(vectors, kept, strict=True):
            vector.set_val(values)


def connections(model: Any) -> Mapping[str, str]:
    """By input, the output that it reads; all by their full names."""
    found: Mapping[str, str] = model._conn_global_abs_in2out
    return found
