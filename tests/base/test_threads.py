"""BLAS uses one thread while a decision is made, and as many as before afterwards."""

import subprocess
import sys
from collections.abc import Iterator
from threading import Barrier, Thread

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  (brings its own BLAS)
from threadpoolctl import OpenBLASController, ThreadpoolController, threadpool_limits
from toy import ToyPolicy, problem

import taut
from taut.base.threads import ThreadLimit


def threads() -> set[int]:
    return {library.num_threads for library in ThreadpoolController().select(user_api="blas").lib_controllers}


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    """Two threads of BLAS, with no Python thread in control of their number."""
    limit = threadpool_limits(limits=2, user_api="blas")
    OpenBLASController.clear_controlling_thread(force=True)
    yield
    limit.restore_original_limits()
    OpenBLASController.clear_controlling_thread(force=True)


def test_one_inside_and_as_before_outside() -> None:
    limit = ThreadLimit()
    for _ in range(2):
        with limit():
            assert threads() == {1}
        assert threads() == {2}
    with pytest.raises(RuntimeError), limit():
        raise RuntimeError
    assert threads() == {2}


def test_decisions_that_overlap_share_the_limit() -> None:
    """The first to enter is the first to leave: neither may take the limit from the other or leave it behind."""
    limit, met, seen = ThreadLimit(), [Barrier(2) for _ in range(3)], []

    def first() -> None:
        with limit():
            met[0].wait(10)
            met[1].wait(10)
        met[2].wait(10)

    def second() -> None:
        met[0].wait(10)
        with limit():
            met[1].wait(10)
            met[2].wait(10)  # the first has left
            seen.append(threads())

    both = [Thread(target=first), Thread(target=second)]
    for each in both:
        each.start()
    for each in both:
        each.join(20)
    assert seen == [{1}] and threads() == {2}


def test_a_study_decides_with_one_thread() -> None:
    seen = []

    class Watching(ToyPolicy):
        def suggest(self, request: object, rng: np.random.Generator) -> object:  # type: ignore[override]
            seen.append(threads())
            return super().suggest(request, rng)  # type: ignore[arg-type]

    study = taut.Study(problem(), method=Watching(), initial=0)  # type: ignore[arg-type]
    study.ask()
    assert seen == [{1}] and threads() == {2}


def test_it_is_looked_up_only_when_something_is_decided() -> None:
    code = "import taut, sys; taut.Study; print('threadpoolctl' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
