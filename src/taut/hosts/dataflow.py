"""What has to be run for a response, what responses share, and which of that is a setup.

A node is the smallest thing that is run or left out: a component, or a group that solves all of its own together. A
part is what is kept and used again: a node, or a group that iterates over several nodes. Nothing here knows of a host.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

WORTH = 0.01
"""Share of a whole pass from which something that responses share is a setup: less is not worth its bookkeeping."""

Nodes = frozenset[str]


@dataclass(frozen=True)
class Flow:
    """Who reads from whom."""

    reads: Mapping[str, Nodes]
    """By node: the nodes that it reads from."""
    first: Mapping[str, Nodes]
    """By output: the nodes that read it."""

    @staticmethod
    def of(connections: Mapping[str, str], node_of: Mapping[str, str]) -> "Flow":
        """connections: by input, the output that it reads. node_of: by component, its node; others are sources."""
        reads: dict[str, set[str]] = {node: set() for node in node_of.values()}
        first: dict[str, set[str]] = {}
        for target, source in connections.items():
            reader, giver = node_of.get(component(target)), node_of.get(component(source))
            if reader is None:
                continue
            first.setdefault(source, set()).add(reader)
            if giver is not None and giver != reader:
                reads[reader].add(giver)
        return Flow({k: frozenset(v) for k, v in reads.items()}, {k: frozenset(v) for k, v in first.items()})

    def upstream(self, node: str | None) -> Nodes:
        """The node and all that it depends on; nothing for a source."""
        return frozenset() if node is None else _closure([node], self.reads)

    def downstream(self, outputs: Iterable[str]) -> Nodes:
        """All nodes that depend on these outputs."""
        readers: dict[str, set[str]] = {}
        for node, givers in self.reads.items():
            for giver in givers:
                readers.setdefault(giver, set()).add(node)
        return _closure([node for output in outputs for node in self.first.get(output, ())], readers)


def component(variable: str) -> str:
    """The component of a variable: all of its name but the last part."""
    return variable.rpartition(".")[0]


def _closure(start: Iterable[str], following: Mapping[str, Iterable[str]]) -> Nodes:
    found, left = set(start), list(start)
    while left:
        for node in following.get(left.pop(), ()):
            if node not in found:
                found.add(node)
                left.append(node)
    return frozenset(found)


@dataclass(frozen=True)
class Bundle:
    """Responses that need the same nodes: whoever computes one has computed all."""

    responses: tuple[str, ...]
    nodes: Nodes
    name: str = ""
    """If it has several: what computes the first."""


def bundles(needs: Mapping[str, Nodes], sources: Mapping[str, str]) -> tuple[Bundle, ...]:
    """The responses by what they need, in the order of the first of each. sources: the output that each is."""
    found: dict[Nodes, list[str]] = {}
    for response, nodes in needs.items():
        found.setdefault(nodes, []).append(response)
    return tuple(Bundle(tuple(names), nodes, component(sources[names[0]])) for nodes, names in found.items())


@dataclass(frozen=True)
class Shared:
    """A set-up: parts that all of these bundles (by number) need, and that are run once per point."""

    bundles: frozenset[int]
    parts: frozenset[str]
    weight: float = field(default=0.0, compare=False)


Owners = Mapping[str, frozenset[int]]
"""By part: the numbers of the bundles that need the same of it."""


def owners(found: Sequence[Bundle], parts: Mapping[str, Nodes]) -> Owners:
    """parts: by name, their nodes. Of a part of which bundles need different nodes, the largest family that agrees."""
    result: dict[str, frozenset[int]] = {}
    for part, nodes in parts.items():
        families: dict[Nodes, list[int]] = {}
        for number, bundle in enumerate(found):
            if bundle.nodes & nodes:
                families.setdefault(bundle.nodes & nodes, []).append(number)
        if families:
            result[part] = max(map(frozenset, families.values()), key=len)
    return result


def of_family(family: frozenset[int], owned: Owners, weights: Mapping[str, float]) -> Shared:
    """What all bundles of a family need."""
    parts = frozenset(part for part, numbers in owned.items() if family <= numbers)
    return Shared(family, parts, math.fsum(weights.get(part, 0.0) for part in parts))


def setups(owned: Owners, weights: Mapping[str, float]) -> tuple[Shared, ...]:
    """Disjoint families of bundles that share most: a function has one setup only.

    weights: what a part costs. A family of m bundles saves (m - 1) times the weight of what all of them need; the one
    that saves most is taken first, then the next that has no bundle in common with it. What other families share is
    used again as well, but counts as the cost of each.
    """
    total = math.fsum(weights.get(part, 0.0) for part in owned)
    families = sorted({family for family in owned.values() if len(family) > 1}, key=sorted)
    candidates = [of_family(family, owned, weights) for family in families]
    candidates = [each for each in candidates if each.weight > WORTH * total]
    candidates.sort(key=lambda each: (len(each.bundles) - 1) * each.weight, reverse=True)
    taken: list[Shared] = []
    for each in candidates:
        if all(each.bundles.isdisjoint(other.bundles) for other in taken):
            taken.append(each)
    return tuple(sorted(taken, key=lambda each: min(each.bundles)))
