"""libEnsemble, Optimas and Xopt: the same suggestions for the same seed and data. Needs all three: make hosts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("gest_api")

from gest_api.vocs import VOCS  # noqa: E402

from taut.hosts.gest import TautGenerator  # noqa: E402
from taut.hosts.requests import REQUEST  # noqa: E402

ROWS = 22
Row = tuple[float, float, int, int]


def f(point: dict[str, Any]) -> float:
    return (point["x"] - 1.0) ** 2 + point["y"] / point["n"] + point["k"]


def c(point: dict[str, Any]) -> float:
    if point["y"] > 2.9:
        raise ArithmeticError("cannot be computed there")
    return 1.0 - point["x"] * point["y"]


def d(point: dict[str, Any]) -> float:
    return point["x"] + point["y"] - 0.3 * point["n"]


def made(**given: Any) -> TautGenerator:
    vocs = VOCS(
        variables={"x": [-2.0, 2.0], "y": [0.0, 3.0], "n": {1, 2, 3}},
        objectives={"f": "MINIMIZE"},
        constraints={"c": ["LESS_THAN", 0.0], "d": ["BOUNDS", -1.0, 3.0]},
        constants={"k": 0.5},
    )
    return TautGenerator(vocs, **{"costs": {"c": 4.0, "d": 2.0}, "seed": 3, "initial": 4} | given)


def row(entry: Any) -> Row:
    return float(entry["x"]), float(entry["y"]), int(entry["n"]), int(entry[REQUEST])


def by_hand() -> list[Row]:
    generator = made()
    simulator, found = generator.simulator({"f": f, "c": c, "d": d}), []
    for _ in range(ROWS):
        (given,) = generator.suggest(1)
        generator.ingest([given | simulator(given)])
        found.append(row(given))
    return found


def in_xopt() -> list[Row]:
    from xopt import Evaluator, Xopt

    generator = made()
    xopt = Xopt(generator=generator, evaluator=Evaluator(function=generator.simulator({"f": f, "c": c, "d": d})))
    for _ in range(ROWS):
        xopt.step()
    assert REQUEST in xopt.yaml()  # its dump
    return [row(entry) for entry in xopt.data.to_dict("records")]


def libensemble(generator: TautGenerator, simulator: Any, most: int = ROWS) -> Any:
    from libensemble import Ensemble
    from libensemble.alloc_funcs.start_only_persistent import only_persistent_gens
    from libensemble.specs import AllocSpecs, ExitCriteria, GenSpecs, LibeSpecs, SimSpecs

    return Ensemble(
        libE_specs=LibeSpecs(comms="threads", nworkers=1, gen_on_manager=True, disable_log_files=True),
        gen_specs=GenSpecs(generator=generator, vocs=generator.vocs, initial_batch_size=1, batch_size=1),
        sim_specs=SimSpecs(simulator=simulator, vocs=generator.vocs),
        alloc_specs=AllocSpecs(alloc_f=only_persistent_gens),
        exit_criteria=ExitCriteria(sim_max=most),
    )


def in_libensemble() -> list[Row]:
    generator = made()
    history, _, flag = libensemble(generator, generator.simulator({"f": f, "c": c, "d": d})).run()
    assert flag == 0
    return [row(entry) for entry in history[history["sim_ended"]][:ROWS]]


def in_optimas() -> list[Row]:
    from optimas.explorations import Exploration

    from taut.hosts.optimas import parts

    made_here = made()
    generator, evaluator = parts(made_here, made_here.simulator({"f": f, "c": c, "d": d}))
    run = Exploration(generator=generator, evaluator=evaluator, max_evals=ROWS, sim_workers=1, libe_comms="threads")
    run.run()
    return [row(entry) for entry in run.history.sort_values("sim_id").to_dict("records")]


HOSTS = {"xopt": in_xopt, "libensemble": in_libensemble, "optimas": in_optimas}


@pytest.fixture(scope="module")
def expected() -> list[Row]:
    return by_hand()


@pytest.mark.parametrize("host", HOSTS)
def test_every_host_gets_the_same_suggestions(
    host: str, expected: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(host)
    monkeypatch.chdir(tmp_path)
    run: Callable[[], list[Row]] = HOSTS[host]
    assert run() == expected
    assert {code for *_, code in expected[12:]} >= {0, 1} and len(expected) == ROWS


def run_in(host: str, generator: TautGenerator, simulator: Any, most: int) -> None:
    if host == "xopt":
        from xopt import Evaluator, Xopt

        xopt = Xopt(generator=generator, evaluator=Evaluator(function=simulator))
        for _ in range(most):
            xopt.step()
    elif host == "libensemble":
        libensemble(generator, simulator, most).run()
    else:
        from optimas.explorations import Exploration

        from taut.hosts.optimas import parts

        Exploration(*parts(generator, simulator), max_evals=most, sim_workers=1, libe_comms="threads").run()


@pytest.mark.parametrize("host", HOSTS)
def test_constants_of_any_kind_travel(host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """libEnsemble takes what has no type for a float; here is nothing but one function, too."""
    pytest.importorskip(host)
    monkeypatch.chdir(tmp_path)
    numbers = {} if host == "optimas" else {"size": {1, 2.5}}
    table = {} if host == "xopt" else {"table": (1.0, 2.0)}  # a cell of its frame holds no table
    generator = TautGenerator(
        VOCS(
            variables={"x": [-2.0, 2.0], "one": {7}, **numbers},
            objectives={"f": "MINIMIZE"},
            constants={"mesh": "fine", "k": 2, **table},
        ),
        method="random",
    )
    seen: list[dict[str, Any]] = []
    run_in(host, generator, generator.simulator({"f": lambda point: seen.append(point) or point["x"]}), 5)
    assert all(point["mesh"] == "fine" and point["k"] == 2 and point["one"] == 7 for point in seen)
    assert all(point.get("table", (1.0, 2.0)) == (1.0, 2.0) for point in seen)
    assert {point.get("size", 1) for point in seen} <= {1, 2.5}
    rows = generator.study.observations
    assert len(rows) >= 4 and all(row.value is not None for row in rows)


def test_several_workers_at_once() -> None:
    """Three at a time in Xopt: everything that was suggested comes back to its suggestion."""
    pytest.importorskip("xopt")
    from concurrent.futures import ThreadPoolExecutor

    from xopt import Evaluator, Xopt

    generator = made(method="random")
    simulator = generator.simulator({"f": f, "c": c, "d": d})
    with ThreadPoolExecutor(3) as pool:
        xopt = Xopt(generator=generator, evaluator=Evaluator(function=simulator, executor=pool, max_workers=3))
        for _ in range(6):
            xopt.step()
    assert sum(generator.study.counts.values()) == 18 == len(xopt.data)


def test_a_forgotten_output_raises_in_libensemble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It hands out zeros for what a simulator leaves out; none of them becomes a value."""
    pytest.importorskip("libensemble")
    monkeypatch.chdir(tmp_path)
    generator = made()

    def forgetful(inputs: dict[str, Any]) -> dict[str, float]:
        return {"f": f(inputs)}

    with pytest.raises(Exception, match="taut_seconds|not asked for"):
        libensemble(generator, forgetful).run()
    assert generator.study.observations == ()
