"""Repetitions side by side: resumed, killed, on a cluster; and how far they are."""

import os
import random
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from taut_paper import runner
from taut_paper.experiments import SCALES, Repetition, plan
from taut_paper.repetition import Step
from taut_paper.results import FILES, Store, load, publish

COMMAND = [sys.executable, "-W", "error", "-m", "taut", "bench", "run"]
SMALL = ["mystery", "--budget", "6", "--seeds", "4", "--methods", "cei,random", "--presets", "default", "--plain"]
KILLS = 3


class Silent:
    """Watches and counts."""

    def __init__(self) -> None:
        self.begun: tuple[int, int] | None = None
        self.ended: list[Repetition] = []
        self.errors: list[str] = []

    def begin(self, total: int, done: int) -> None:
        self.begun = (total, done)

    def finished(self, repetition: Repetition, steps: list[Step], seconds: float) -> None:
        self.ended.append(repetition)

    def failed(self, repetition: Repetition, error: BaseException) -> None:
        self.errors.append(f"{repetition.label}: {error}")


def small(methods: str = "random", seeds: int = 2) -> list[Repetition]:
    quick = SCALES["quick"]
    return plan(["mystery"], quick, budget=4.0, seeds=range(seeds), methods=methods.split(","), presets=["default"])


def tables(folder: Path) -> bytes:
    """The results without their times."""
    publish(load(folder), folder / "table.parquet", times=False)
    return (folder / "table.parquet").read_bytes()


def run(folder: Path, repetitions: list[Repetition], watcher: Silent) -> runner.Outcome:
    """In a thread, which is started sooner than a process."""
    with ThreadPoolExecutor(1) as executor:
        return runner.run_all(Store(folder), repetitions, nullcontext((executor, 1)), watcher)


def test_what_is_finished_is_not_run_again(tmp_path: Path) -> None:
    first, second = Silent(), Silent()
    run(tmp_path, small(seeds=2), first)
    outcome = run(tmp_path, small(seeds=3), second)
    assert first.begun == (2, 0) and second.begun == (3, 2)
    assert [each.seed for each in second.ended] == [2] and (outcome.before, outcome.ran) == (2, 1)


def test_a_repetition_that_fails_is_reported_and_the_others_go_on(tmp_path: Path) -> None:
    runs = small(seeds=3)
    runs[1] = replace(runs[1], problem="no such problem")
    watcher = Silent()
    outcome = run(tmp_path, runs, watcher)
    assert outcome.ran == 2 and outcome.failures == (runs[1].label,)
    assert "no such problem" in watcher.errors[0]
    assert [trace.repetition.seed for trace in load(tmp_path)] == [0, 2]


def test_two_runs_may_share_a_folder(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as both:
        ends = list(both.map(lambda seeds: run(tmp_path, small(seeds=seeds), Silent()), (3, 4)))
    assert [end.failures for end in ends] == [(), ()] and len(load(tmp_path)) == 4


def test_killed_at_random_moments_the_table_is_that_of_a_run_in_one_go(tmp_path: Path) -> None:
    rng = random.Random(5)
    subprocess.run([*COMMAND, *SMALL, "--workers", "2", "--out", str(tmp_path / "whole")], check=True, timeout=300)
    begun = time.monotonic()
    killed = 0
    while killed < KILLS:
        process = subprocess.Popen(
            [*COMMAND, *SMALL, "--workers", "2", "--out", str(tmp_path / "killed")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(timeout=rng.uniform(0.3, 2.0))
            if killed < KILLS:  # it was too fast to be killed: take some results away, so that there is work again
                forget(tmp_path / "killed", rng)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)  # the process alone: its workers must end by themselves
            process.wait()
            killed += 1
        assert time.monotonic() - begun < 400
    subprocess.run([*COMMAND, *SMALL, "--workers", "2", "--out", str(tmp_path / "killed")], check=True, timeout=300)
    assert len(load(tmp_path / "killed")) == 8
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")


def forget(folder: Path, rng: random.Random) -> None:
    """Delete half of the repetitions."""
    paths = sorted((folder / FILES).glob("*/*/*/*.json"))
    for path in rng.sample(paths, len(paths) // 2):
        path.unlink()


def children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("number", "pause"), [(signal.SIGKILL, 1.0), (signal.SIGINT, 0.1), (signal.SIGINT, 2.0), (signal.SIGTERM, 1.0)]
)
def test_no_worker_outlives_its_run(tmp_path: Path, number: signal.Signals, pause: float) -> None:
    long = [*COMMAND, "mystery", "--scale", "code", "--methods", "dckg", "--workers", "2", "--out", str(tmp_path)]
    process = subprocess.Popen(
        long, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while len(workers := children(process.pid)) < 3:  # two workers and the tracker of resources
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(pause)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does: to all of them
    else:
        process.send_signal(number)
    _, error = process.communicate(timeout=120)
    if number == signal.SIGINT:
        assert process.returncode == 1 and error.strip() == "Error: stopped before the end."
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_worker_that_dies_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    long = [*COMMAND, "mystery", "--scale", "code", "--methods", "dckg", "--plain", "--out", str(tmp_path)]
    process = subprocess.Popen(long, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while len(children(process.pid)) < 2:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(1.0)
    for pid in children(process.pid):
        if "resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_text():
            os.kill(pid, signal.SIGKILL)
    _, error = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "has died" in error and "The same command goes on." in error and "Traceback" not in error


# --- A cluster


@pytest.fixture
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about ports and the like: theirs, not ours
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
            worker_dashboard_address=None,
        ) as started:  # fmt: skip
            yield started


def test_a_cluster_gives_the_same_table(cluster: Any, tmp_path: Path) -> None:
    for name, pool in (("here", runner.pool_of(2)), ("there", runner.pool_of(None, cluster.scheduler_address))):
        runner.run_all(Store(tmp_path / name), small("cei,random"), pool, Silent())
    assert len(load(tmp_path / "here")) == 4 and tables(tmp_path / "here") == tables(tmp_path / "there")


# --- How far


def test_status_counts_what_was_asked_for(tmp_path: Path) -> None:
    store, runs = Store(tmp_path), small("cei,random", seeds=3)
    store.ask(runs[:2])
    store.ask(runs)
    first, second = (Step(cost, (), (), (), (1.0, 1.0), 4.0, 20.0, 40.0) for cost in (0.0, 1.0))
    store.add(runs[0], [first])
    store.add(runs[2], [first, second])
    cei, uniform = runner.status(tmp_path)
    assert cei == {
        "experiment": "mystery", "method": "cei", "preset": "default", "budgets": [4.0], "seeds": [0, 1],
        "missing": [2], "seconds": 90.0,
    }  # fmt: skip
    assert (uniform["method"], uniform["seeds"], uniform["missing"], uniform["seconds"]) == (
        "random",
        [],
        [0, 1, 2],
        None,
    )


def test_status_has_the_experiments_in_their_order(tmp_path: Path) -> None:
    runs = plan(["test_function_2", "mystery-c=5", "mystery"], SCALES["quick"], seeds=[0], methods=["cei", "dckg"])
    Store(tmp_path).ask(runs)
    found = [(row["experiment"], row["preset"]) for row in runner.status(tmp_path) if row["method"] == "dckg"]
    assert found == [
        ("mystery", "default"), ("mystery", "paper"), ("test_function_2", "default"), ("test_function_2", "paper"),
        ("mystery-c=5", "default"), ("mystery-c=5", "paper"),
    ]  # fmt: skip
