"""A real Dask cluster: a scheduler and worker processes that talk over TCP."""

import gc
import json
import os
import signal
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import fakes
import pytest
import toy

import taut
from taut.app.run import pools

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> "Iterator[distributed.LocalCluster]":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about ports and the like: theirs, not ours
        with distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            worker_dashboard_address=None,
        ) as started:
            yield started


def located(point: dict[str, float]) -> float:
    """Leaves a trace of where it ran."""
    import os

    time.sleep(0.1)
    return float(os.getpid())


def test_an_executor_of_a_client(cluster: "distributed.LocalCluster") -> None:
    problem = taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"))
    study = taut.Study(problem, toy.ToyPolicy(), initial=2)
    with distributed.Client(cluster, set_as_default=False) as client:
        study.run({"f": located}, budget=4, executor=client.get_executor(pure=False))
    workers = {row.value for row in study.observations}
    assert study.counts == {"f": 6} and len(workers) == 2 and os.getpid() not in workers
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)
    assert any("1 pending" in row.note for row in study.suggestions)  # decided while the other was under way


def mixed(point: dict[str, object]) -> float:
    """Refuses what is not of the declared types."""
    assert type(point["ribs"]) is int and point["wire"] in (0.5, 0.8, 2) and point["material"] in ("steel", 7)
    assert isinstance(point["length"], float)
    return float(point["ribs"]) * float(point["wire"]) + point["length"]  # type: ignore[arg-type]


def test_whole_numbers_catalogues_and_choices_arrive_as_declared(cluster: "distributed.LocalCluster") -> None:
    kinds = [taut.Integer("ribs", 1, 5), taut.Ordinal("wire", (0.5, 0.8, 2)), taut.Choice("material", ("steel", 7))]
    objective = taut.Objective("f", goal="minimize")
    limits = [taut.Constraint("c", at_least=1.0), taut.Constraint("k", at_most=4.0, formula="ribs * wire")]
    problem = taut.Problem([*kinds, taut.Real("length", 0.0, 1.0)], objective, limits)
    study = taut.Study(problem, method="random", seed=1, initial=4)
    with distributed.Client(cluster, set_as_default=False) as client:
        study.run({"f": mixed, "c": mixed}, budget=8, executor=client.get_executor(pure=False))
    assert study.counts["f"] >= 4 and all(row.value is not None for row in study.observations)
    assert all(row.point["ribs"] * row.point["wire"] <= 4.0 for row in study.suggestions)
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)


def test_taut_run_on_a_cluster(cluster: "distributed.LocalCluster", tmp_path: Path) -> None:
    path = fakes.write(tmp_path, initial=2, budget=6)
    code, end, err = fakes.run(path, "--dask", cluster.scheduler_address)
    assert (code, err) == (0, "")
    assert end["spent"] == 6.0 and end["pending"] == []
    assert all(row.value is not None for row in taut.Study.open(tmp_path / "study.db").observations)


def test_two_interrupts_end_the_programs_on_the_cluster(cluster: "distributed.LocalCluster", tmp_path: Path) -> None:
    slow = "import os, time; open('pid.txt', 'w').write(str(os.getpid())); os.rename('pid.txt', 'pid'); time.sleep(60)"
    path = fakes.write(tmp_path, {"f": slow}, initial=2)
    process = fakes.start(path, "--json", "--dask", cluster.scheduler_address)
    fakes.until(lambda: list(tmp_path.glob("fake.runs/*/pid")), 60.0)
    programs = [int(each.read_text()) for each in tmp_path.glob("fake.runs/*/pid")]
    process.send_signal(signal.SIGTERM)  # as good as two
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1 and "stopped by the user" in err and not json.loads(out)["finished"]
    fakes.until(lambda: not any(map(fakes.alive, programs)))


@pytest.mark.parametrize("way", ["killed", "closing"])
def test_a_worker_that_ends_is_replaced(cluster: "distributed.LocalCluster", tmp_path: Path, way: str) -> None:
    slow = (
        "import json, os, time\n"
        "open('pid.txt', 'w').write(f'{os.getpid()} {os.getppid()}'); os.rename('pid.txt', 'pid')\n"
        "time.sleep(60 if os.getcwd().endswith('1-f-1') else 0); print(json.dumps({'f': 1.0}))"
    )
    path = fakes.write(tmp_path, {"f": slow}, initial=1, budget=3)
    process = fakes.start(path, "--json", "--dask", cluster.scheduler_address)
    trace = tmp_path / "fake.runs" / "1-f-1" / "pid"
    fakes.until(trace.exists, 60.0)
    program, worker = map(int, trace.read_text().split())
    if way == "killed":
        os.kill(worker, signal.SIGKILL)
    else:  # as after a SIGTERM: its work is given to others, but it waits for what it runs
        nanny = next(each for each in cluster.workers.values() if each.pid == worker)
        cluster.loop.add_callback(nanny.kill, timeout=30)
    fakes.until(lambda: not fakes.alive(program))  # it does not go on beside its successor
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert json.loads(out)["evaluations"]["f"] == {"told": 2, "failed": 0}
    assert (tmp_path / "fake.runs" / "1-f-2").is_dir()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1"])
def test_an_address_without_a_scheduler(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.app.run.pools.CONNECT_SECONDS", 0.5)
    path = fakes.write(tmp_path)
    code, _, err = fakes.run(path, "--dask", address)
    assert code == 2 and repr(address) in err and err.count("\n") == 1


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1"])
def test_no_client_is_left_behind(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is thrown away while the next one is made waits for it for ever, and that one for it."""
    monkeypatch.setattr(pools, "CONNECT_SECONDS", 0.5)
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(taut.StudyError, match="no answer there"), pools.dask(address, None):
            pass
        clients = [each for each in gc.get_objects() if isinstance(each, distributed.Client)]
        assert [client.status for client in clients if client.status != "closed"] == []
    finally:
        gc.enable()


def test_somebody_who_takes_the_connection_and_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "CONNECT_SECONDS", 0.5)
    found: list[str] = []

    def attempt(address: str) -> None:
        try:
            with pools.dask(address, None):
                pass
        except taut.StudyError as error:
            found.append(str(error))

    with socket.create_server(("127.0.0.1", 0)) as silent:
        thread = threading.Thread(target=attempt, args=(f"tcp://127.0.0.1:{silent.getsockname()[1]}",), daemon=True)
        thread.start()
        thread.join(20)
        assert not thread.is_alive()
    assert "no answer there (TimeoutError: nothing in 0.5 s)" in found[0]
