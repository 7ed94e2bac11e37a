"""taut bench run: side by side, killed and resumed, on a cluster, and with its mistakes."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from taut.app.cli.main import main
from taut.base.errors import StorageError
from taut_paper import packed, runner
from taut_paper.experiments import SCALES, Repetition, plan
from taut_paper.repetition import Step
from taut_paper.results import Store, load
from taut_paper.running import ranges

COMMAND = [sys.executable, "-W", "error", "-m", "taut", "bench", "run"]
SMALL = ["mystery", "--budget", "6", "--seeds", "4", "--methods", "cei,random", "--presets", "default", "--plain"]
KILLS = 10


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


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments])


def small(methods: str = "random", seeds: int = 2) -> list[Repetition]:
    quick = SCALES["quick"]
    return plan(["mystery"], quick, budget=4.0, seeds=range(seeds), methods=methods.split(","), presets=["default"])


def tables(folder: Path) -> bytes:
    """The results without their times."""
    packed.write(Store(folder), folder / "table.parquet", times=False)
    return (folder / "table.parquet").read_bytes()


def test_what_is_finished_is_not_run_again(tmp_path: Path) -> None:
    first, second = Silent(), Silent()
    with runner.here(2) as executor:
        runner.run_all(Store(tmp_path), small(seeds=2), executor, 2, first)
        outcome = runner.run_all(Store(tmp_path), small(seeds=3), executor, 2, second)
    assert first.begun == (2, 0) and second.begun == (3, 2)
    assert [run.seed for run in second.ended] == [2] and (outcome.before, outcome.ran) == (2, 1)


def test_other_settings_in_the_same_folder_are_refused_before_anything_runs(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(small()[0], [Step(0.0, (), (), (), (1.0, 1.0), 4.0, 0.0, 0.0)])
    longer = plan(["mystery"], SCALES["quick"], seeds=[0], methods=["random"], presets=["default"])
    with pytest.raises(StorageError, match="stored with budget 4 .* now 60 .* another folder"):
        runner.missing(store, longer)


def test_a_repetition_that_fails_is_reported_and_the_others_go_on(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor
    from dataclasses import replace

    runs = small(seeds=3)
    runs[1] = replace(runs[1], problem="no such problem")
    watcher = Silent()
    with ThreadPoolExecutor(1) as pool:
        outcome = runner.run_all(Store(tmp_path), runs, pool, 1, watcher)
    assert outcome.ran == 2 and outcome.failures == (runs[1].label,)
    assert "no such problem" in watcher.errors[0]
    assert sorted(key[-1] for key in Store(tmp_path).finished()) == [0, 2]


def test_killed_at_random_moments_the_table_is_that_of_a_run_in_one_go(tmp_path: Path) -> None:
    rng = random.Random(5)
    subprocess.run([*COMMAND, *SMALL, "--workers", "2", "--out", str(tmp_path / "whole")], check=True, timeout=300)
    begun = time.monotonic()
    killed, counts = 0, [0]
    while killed < KILLS:
        process = subprocess.Popen(
            [*COMMAND, *SMALL, "--workers", "2", "--out", str(tmp_path / "killed")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(timeout=rng.uniform(0.1, 3.0))
            if killed < KILLS:  # it was too fast to be killed: take some results away, so that there is work again
                forget(tmp_path / "killed", rng)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)  # the process alone: its workers must end by themselves
            process.wait()
            killed += 1
        if (tmp_path / "killed" / "results.sqlite").exists():
            counts.append(len(Store(tmp_path / "killed").finished()))
        assert time.monotonic() - begun < 400
    subprocess.run([*COMMAND, *SMALL, "--workers", "2", "--out", str(tmp_path / "killed")], check=True, timeout=300)
    assert len(Store(tmp_path / "killed").finished()) == 8
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")


def forget(folder: Path, rng: random.Random) -> None:
    """Delete half of the repetitions."""
    import sqlite3

    keys = sorted(Store(folder).finished())
    with sqlite3.connect(folder / "results.sqlite") as db:
        for key in rng.sample(keys, len(keys) // 2):
            for table in ("repetitions", "steps", "times"):
                db.execute(f"DELETE FROM {table} WHERE experiment=? AND method=? AND preset=? AND seed=?", key)


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


# --- The command line


def test_run_and_status(tmp_path: Path) -> None:
    arguments = ["mystery", "--budget", "4", "--seeds", "0-1,3", "--methods", "random", "--out", str(tmp_path)]
    done = invoke("run", *arguments, "--presets", "default", "--json")
    assert done.exit_code == 0 and json.loads(done.stdout) == {"before": 0, "ran": 3, "failed": []}
    again = invoke("run", *arguments, "--presets", "default")
    assert again.exit_code == 0 and "3 of 3 repetitions are finished, 0 to run" in again.stdout
    rows = json.loads(invoke("status", "--json", "--out", str(tmp_path)).stdout)
    took = rows[0].pop("seconds")
    expected = {"experiment": "mystery", "method": "random", "preset": "default", "budgets": [4.0], "seeds": [0, 1, 3]}
    assert rows == [expected | {"missing": []}] and took > 0.0
    shown = invoke("status", "--out", str(tmp_path)).stdout.splitlines()
    assert shown[1].split() == ["mystery", "random", "default", "4", "3", "0", f"{took:.1f}", "0-1,3"]
    assert shown[2] == "3 of 3 repetitions are finished"


def test_status_of_a_run_that_was_stopped(tmp_path: Path) -> None:
    store, runs = Store(tmp_path), small(methods="random,cei", seeds=3)
    store.ask(runs)
    store.add(runs[0], [Step(0.0, (), (), (), (1.0, 1.0), 4.0, 20.0, 40.0)])
    rows = json.loads(invoke("status", "--json", "--out", str(tmp_path)).stdout)
    found = [(row["method"], row["seeds"], row["missing"]) for row in rows]
    assert runs[0].method == "cei" and found == [("cei", [0], [1, 2]), ("random", [], [0, 1, 2])]
    shown = invoke("status", "--out", str(tmp_path)).stdout.splitlines()[-1]
    assert shown == "1 of 6 repetitions are finished; the others take about 5 min of CPU time"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "mistery"], "closest is 'mystery'"),
        (["run", "mystery", "--scale", "huge"], "Scale 'huge' is unknown"),
        (["run", "mystery", "--seeds", "x"], "seeds: expected a count"),
        (["run", "mystery", "--budget", "-3"], "budget: expected a positive number"),
        (["run", "mystery", "--methods", "bo"], "Method 'bo' is unknown"),
        (["status"], "expected results.sqlite there"),
    ],
)
def test_mistakes_are_one_sentence(tmp_path: Path, arguments: list[str], words: str) -> None:
    ended = invoke(*arguments, "--out", str(tmp_path / "results"))
    assert ended.exit_code == 2 and words in ended.stderr and len(ended.stderr.strip().splitlines()) == 1


def test_export_writes_the_compact_table(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(small()[0], [Step(0.0, (), (), (), (1.0, 1.0), 4.0, 0.0, 0.0)])
    target = tmp_path / "published" / "steps.parquet"
    done = invoke("export", "--out", str(tmp_path), "-o", str(target))
    assert done.exit_code == 0 and done.stdout == f"wrote 1 rows to {target}\n" and len(load(target.parent)) == 1


def test_numbers_in_short() -> None:
    assert ranges([5, 0, 1, 2]) == "0-2,5" and ranges([]) == "" and ranges([4]) == "4"


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
    common = ["mystery", "--budget", "4", "--seeds", "2", "--methods", "cei,random", "--presets", "default"]
    here = invoke("run", *common, "--out", str(tmp_path / "here"))
    there = invoke("run", *common, "--out", str(tmp_path / "there"), "--dask", cluster.scheduler_address)
    assert here.exit_code == 0 and there.exit_code == 0, there.output
    assert tables(tmp_path / "here") == tables(tmp_path / "there")
