"""What has to be run for what, and what is shared."""

import itertools

import numpy as np
import pytest

from taut.hosts.dataflow import Bundle, Flow, bundles, owners, setups

# ivc -> geo -> (cfd -> drag, fem -> stress); a constant table -> cfd; x also feeds price directly.
CONNECTIONS = {
    "geo.x": "ivc.x",
    "cfd.shape": "geo.shape",
    "cfd.table": "table.values",
    "table.size": "ivc.size",
    "drag.flow": "cfd.flow",
    "lift.flow": "cfd.flow",
    "fem.shape": "geo.shape",
    "stress.u": "fem.u",
    "price.x": "ivc.x",
}
NODES = {name: name for name in ("geo", "cfd", "drag", "lift", "fem", "stress", "price", "table")}
FLOW = Flow.of(CONNECTIONS, NODES)


def test_upstream_is_everything_it_depends_on() -> None:
    assert FLOW.upstream("stress") == {"stress", "fem", "geo"}
    assert FLOW.upstream("drag") == {"drag", "cfd", "geo", "table"}
    assert FLOW.upstream("price") == {"price"}
    assert FLOW.upstream(None) == frozenset()


def test_downstream_is_by_output_not_by_source_component() -> None:
    """ivc holds constants as well: what only reads those is not varied."""
    assert FLOW.downstream(["ivc.x"]) == {"geo", "cfd", "drag", "lift", "fem", "stress", "price"}
    assert FLOW.downstream(["ivc.size"]) == {"table", "cfd", "drag", "lift"}


def test_a_group_that_is_solved_together_is_one_node() -> None:
    """Then all that any of it reads is needed."""
    together = Flow.of(CONNECTIONS, NODES | {"drag": "both", "stress": "both"})
    assert together.upstream("both") == {"both", "cfd", "geo", "fem", "table"}


def test_a_ring_is_needed_whole() -> None:
    ring = Flow.of({"a.in": "b.out", "b.in": "a.out", "a.x": "ivc.x", "c.in": "b.out"}, {k: k for k in "abc"})
    assert ring.upstream("a") == {"a", "b"} and ring.upstream("c") == {"a", "b", "c"}
    assert ring.downstream(["ivc.x"]) == {"a", "b", "c"}


def test_closures_against_paths_in_random_graphs() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        edges = rng.random((7, 7)) < 0.2  # [reader, giver]
        connections = {f"n{i}.from{j}": f"n{j}.out" for i, j in zip(*np.nonzero(edges), strict=True)}
        flow = Flow.of(connections, {f"n{i}": f"n{i}" for i in range(7)})
        reach = np.linalg.matrix_power(np.eye(7, dtype=int) + edges, 7) > 0
        for i in range(7):
            assert flow.upstream(f"n{i}") == {f"n{j}" for j in range(7) if reach[i, j]}


def test_bundles_are_by_what_is_needed() -> None:
    needs = {"drag": frozenset({"cfd"}), "stress": frozenset({"fem"}), "lift": frozenset({"cfd"})}
    found = bundles(needs, {"drag": "cfd.drag", "stress": "fem.stress", "lift": "cfd.lift"})
    assert found == (
        Bundle(("drag", "lift"), frozenset({"cfd"}), "cfd"),
        Bundle(("stress",), frozenset({"fem"}), "fem"),
    )


PARTS = {name: frozenset({name}) for name in ("geo", "cfd", "fem", "a", "b", "c", "d")}
SOLVERS = {"a": "cfd", "b": "cfd", "c": "fem", "d": "fem"}
FOUR = [Bundle((name,), frozenset({name, "geo", solver})) for name, solver in SOLVERS.items()]


def test_owners() -> None:
    owned = owners(FOUR, PARTS)
    assert owned["geo"] == {0, 1, 2, 3} and owned["cfd"] == {0, 1} and owned["a"] == {0}


def test_a_part_of_which_others_need_other_nodes_is_not_shared_with_them() -> None:
    parts = {"loop": frozenset({"u", "v", "w"})}
    three = [Bundle((), frozenset(nodes)) for nodes in ("uv", "uv", "uw")]
    assert owners(three, parts)["loop"] == {0, 1}


@pytest.mark.parametrize(
    ("geo", "families"), [(1.0, [{0, 1}, {2, 3}]), (50.0, [{0, 1, 2, 3}]), (0.0, [{0, 1}, {2, 3}])]
)
def test_setups_are_what_saves_most(geo: float, families: list[set[int]]) -> None:
    weights = {"geo": geo, "cfd": 10.0, "fem": 5.0}
    found = setups(owners(FOUR, PARTS), weights)
    assert [each.bundles for each in found] == families
    assert found[0].parts == ({"geo", "cfd"} if len(families) == 2 else {"geo"})


def test_no_single_family_saves_more_than_those_taken() -> None:
    """On small cases; families are few."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        owned = {f"p{i}": frozenset(np.flatnonzero(rng.random(4) < 0.6).tolist()) for i in range(4)}
        weights = {part: float(rng.random()) for part in owned}
        found = setups(owned, weights)

        gains = {
            family: (len(family) - 1) * sum(weights[part] for part, numbers in owned.items() if family <= numbers)
            for family in owned.values()
            if len(family) > 1
        }
        assert sum(gains[each.bundles] for each in found) >= max(gains.values(), default=0.0) - 1e-12
        assert all(a.bundles.isdisjoint(b.bundles) for a, b in itertools.combinations(found, 2))


def test_what_costs_nearly_nothing_is_no_setup() -> None:
    owned = owners(FOUR, PARTS)
    assert setups(owned, {"geo": 1e-4, **dict.fromkeys("abcd", 1.0)}) == ()
