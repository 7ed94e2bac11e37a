"""Several processes and machines at one study.

TAUT_PAIRS=125 makes the stress test one of 1,000 pairs.
"""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import toy

import taut

TESTS = Path(__file__).parent.parent
PROCESSES, PAIRS = 8, int(os.environ.get("TAUT_PAIRS", "12"))


def script(*arguments: object) -> list[str]:
    return [sys.executable, "-W", "error", *map(str, arguments)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the stress test forks")
def test_many_askers_and_tellers(place: str) -> None:
    run = subprocess.run(
        script(TESTS / "askers.py", place, PROCESSES, PAIRS), capture_output=True, text=True, timeout=1200
    )
    assert (run.returncode, run.stderr) == (0, "")
    study = taut.Study.open(place, toy.ToyPolicy())
    suggestions, observations = study.suggestions, study.observations
    assert [row.number for row in suggestions] == list(range(1, PROCESSES * PAIRS + 2))
    assert len(observations) == sum(len(row.functions) for row in suggestions)
    assert [study.replay(row.number) for row in suggestions] == list(suggestions)
    assert study.spent == pytest.approx(sum(row.cost for row in suggestions if not row.initial))


def test_the_same_suggestions_in_another_process(place: str) -> None:
    straight = toy.study(seed=5)
    toy.play(straight, 12)
    toy.play(toy.study(seed=5, storage=place), 7)
    code = (
        f"import sys; sys.path.insert(0, {str(TESTS)!r}); import taut, toy\n"
        f"study = taut.Study.open({place!r}, toy.ToyPolicy())\n"
        "assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)\n"
        "toy.play(study, 5)"
    )
    run = subprocess.run(script("-c", code), capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    reopened = toy.study(seed=5, storage=place)
    assert (reopened.suggestions, reopened.observations) == (straight.suggestions, straight.observations)
    assert reopened.ask() == straight.ask()


def test_of_different_values_told_at_once_one_is_kept(place: str) -> None:
    asked = toy.study(initial=1, storage=place).ask()
    barrier, refused = threading.Barrier(4), []

    def tell(teller: int) -> None:
        study = toy.study(initial=1, storage=place)
        barrier.wait()
        try:
            study.tell(asked, {"f": float(teller), "c": 1.0, "g": 1.0})
        except taut.ValueRefusedError as error:
            assert "'f' already has the value" in str(error)
            refused.append(teller)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(tell, range(4)))
    values = {row.function: row.value for row in toy.study(initial=1, storage=place).observations}
    assert len(refused) == 3
    assert values == {"f": ({0.0, 1.0, 2.0, 3.0} - set(refused)).pop(), "c": 1.0, "g": 1.0}


def test_the_same_value_told_at_once_is_harmless(place: str) -> None:
    asked = toy.study(initial=1, storage=place).ask()
    barrier = threading.Barrier(4)

    def tell(_: int) -> None:
        study = toy.study(initial=1, storage=place)
        barrier.wait()
        study.tell(asked, {"f": 1.5, "c": None})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(tell, range(4)))
    assert [(row.function, row.value) for row in toy.study(initial=1, storage=place).observations] == [
        ("f", 1.5),
        ("c", None),
    ]


def test_two_runs_share_a_budget(place: str) -> None:
    toy.study(storage=place)

    def run(_: int) -> None:
        taut.Study.open(place, toy.ToyPolicy()).run(toy.FUNCTIONS, budget=30)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, range(2)))
    study = taut.Study.open(place, toy.ToyPolicy())
    assert 29.5 < study.spent <= 30
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)
