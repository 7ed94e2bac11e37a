"""A study on a real SLURM, through dask-jobqueue: jobs are killed in the middle, and nothing is lost or paid twice.

    PYTHONPATH=tests python -m cluster.check [--keep FOLDER]

It starts a SLURM of one node on this machine (Debian: slurm-wlm, munge), runs cluster.py of docs/cluster.md and
`taut run --dask` with it, cancels a job by scancel, kills the worker in another, waits for the end and counts.
What it prints is what docs/cluster.md shows. It ends with 1 if a promise is broken, and stops the daemons in any case.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pages

import taut
from cluster import journal, slurm

BUDGET = 40
SECONDS = 3.0
"""So long does each program take."""
PATIENCE = 300.0
"""Seconds that anything may take on a busy machine."""
KILLS: tuple[Callable[[journal.Place], list[str]], ...] = (
    lambda place: ["scancel", place[0]],  # as a user, a preemption or the end of the wall time does
    lambda place: ["kill", "-KILL", place[1]],  # as a system without memory does: the worker, at once
)


def wait_for(what: str, found: Callable[[], Any], still: Callable[[], bool]) -> Any:
    """Until something is there; `still`: may it come yet?"""
    end = time.monotonic() + PATIENCE
    while not (value := found()):
        if time.monotonic() > end or not still():
            raise TimeoutError(f"waited in vain for {what}")
        time.sleep(0.2)
    return value


def show(command: list[str], environment: dict[str, str]) -> None:
    """Run a command, and print it with what it printed."""
    print("$", *command, flush=True)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True)
    print(done.stdout + done.stderr, end="", flush=True)


@contextmanager
def process(
    command: list[str], folder: Path, environment: dict[str, str], out: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """In the background; interrupted in the end, as by Ctrl-C."""
    with out.open("wb") as file:
        started = subprocess.Popen(command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT)
    try:
        yield started
    finally:
        if started.poll() is None:
            started.send_signal(signal.SIGINT)
        try:
            started.wait(60)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def kill_one(
    folder: Path, kill: Callable[[journal.Place], list[str]], environment: dict[str, str], alive: Callable[[], bool]
) -> None:
    """Kill a job or a worker with a program in it, and wait until that evaluation has been started again."""
    before = journal.read(folder)
    running = wait_for("a running program", lambda: newly(before, journal.read(folder)), alive)
    key, place = next(iter(running.items()))
    show(["squeue"], environment)
    show(kill(place), environment)
    print(f"(job {place[0]} was evaluating {key[1]} of suggestion {key[0]})", flush=True)
    wait_for("its second start", lambda: journal.read(folder).started[key] > 1, alive)


def newly(before: journal.Journal, now: journal.Journal) -> dict[journal.Key, journal.Place]:
    """What was started since then and runs: it is in the middle, not at its end."""
    return {key: place for key, place in now.running.items() if key not in before.started}


def run(folder: Path, environment: dict[str, str]) -> str:
    """The study from the first point to the budget, with the kills; what `taut run` printed."""
    study = journal.write(folder / "bracket", BUDGET, SECONDS)
    (folder / "cluster.py").write_text(pages.block(pages.DOCS / "cluster.md", "python", "SLURMCluster("))
    show(["sinfo"], environment)
    address, shown = folder / "address.txt", folder / "run.txt"
    print("$ python cluster.py &")
    with process([sys.executable, "cluster.py"], folder, environment, address) as cluster:
        wait_for("the address of the cluster", lambda: "tcp://" in address.read_text(), lambda: cluster.poll() is None)
        where = next(line for line in address.read_text().splitlines() if line.startswith("tcp://"))
        command = ["taut", "run", "bracket/study.toml", "--dask", where, "--workers", "2", "--plain"]
        print(where, "$ " + " ".join(command), sep="\n", flush=True)
        with process([sys.executable, "-m", *command], folder, environment, shown) as ours:
            for kill in KILLS:
                kill_one(study.parent, kill, environment, lambda: ours.poll() is None)
            code = ours.wait(2 * PATIENCE)
        assert cluster.poll() is None, address.read_text()
    said = shown.read_text()
    print(said, flush=True)
    assert code == 0, f"taut run ended with {code}"
    return said


def judge(folder: Path) -> None:
    """Nothing lost, nothing paid twice, every value the right one, every decision one that can be computed again."""
    kept = taut.Study.open(folder / "bracket" / "bracket.db")
    found = journal.read(folder / "bracket")
    rows = [(row.suggestion, row.function) for row in kept.observations]
    asked = [(row.number, name) for row in kept.suggestions for name in row.functions]
    assert len(set(rows)) == len(rows), "an evaluation was recorded twice"
    assert sorted(rows) == sorted(asked), "an evaluation was lost"
    assert not any(row.value is None for row in kept.observations), "an evaluation failed"
    assert set(found.ended) == set(rows) and set(found.ended.values()) == {1}, "a program ended twice"
    again = sum(found.started.values()) - len(rows)
    assert again == len(KILLS), f"{again} programs were started again, {len(KILLS)} were killed"
    for row in kept.observations:
        width, height, bolts = (row.point[name] for name in ("width", "height", "bolts"))
        stress, sag = 1.2e7 / (width * height**2), 3.8e7 / (width * height**3) + 12.0 / bolts
        assert row.value == {"stress": stress, "deflection": sag}[row.function]
    assert kept.spent <= BUDGET and kept.recommend().verified
    assert all(kept.replay(row.number) == row for row in kept.suggestions)
    print(f"{len(rows)} evaluations recorded, each once; {again} were started again after their job was killed")
    print(f"spent {kept.spent:g} of {BUDGET}; every suggestion computed again and the same; the answer is verified")


def left_over(environment: dict[str, str]) -> str:
    asked = ["squeue", "--noheader", "--states=all", "--format=%i %T"]
    said = subprocess.run(asked, env=environment, capture_output=True, text=True, check=True).stdout
    return "".join(line for line in said.splitlines(True) if line.split()[1] in ("PENDING", "RUNNING"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="an empty folder for the study and the logs, which then stays")
    wanted = parser.parse_args()
    if absent := slurm.missing():
        print(f"SLURM: {', '.join(absent)} not found; install Debian's packages slurm-wlm and munge.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="taut-slurm-") as made:
        folder = (wanted.keep or Path(made)).resolve()
        (folder / "slurm").mkdir(parents=True)
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        with slurm.started(folder / "slurm") as environment:
            run(folder, environment)
            wait_for("the end of all jobs", lambda: not left_over(environment), lambda: True)
        judge(folder)
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
