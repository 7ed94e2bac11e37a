"""What may happen to a study. Each event takes the scene and a source of chance, and counts itself."""

import os
import random
import signal
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from chaos.proxy import How, Order
from chaos.runs import now
from chaos.scene import Scene

import taut

Event = Callable[[Scene, random.Random], None]


def kill_run(scene: Scene, rng: random.Random, group: bool = False) -> None:
    """SIGKILL at any moment, its start included."""
    _moment(scene, rng)
    if living := scene.living():
        run = rng.choice(living)
        scene.kill(run, group)
        scene.happened("group" if group else "run", run.name)


def kill_group(scene: Scene, rng: random.Random) -> None:
    """SIGKILL of a run with all that is in its process group."""
    kill_run(scene, rng, group=True)


def kill_at_first(scene: Scene, rng: random.Random) -> None:
    """A run is killed by its first program, in its first millisecond; which would take long."""
    slot = rng.randrange(len(scene.slots))
    if scene.alive(scene.slots[slot]):
        scene.kill(scene.slots[slot])
        scene.happened("run", scene.slots[slot].name)
    run = scene.slots[slot] = scene.start(slow=True)
    if not scene.until(lambda: not scene.alive(run), 5.0):  # there was nothing for it to do
        scene.kill(run)
    elif run.code == -signal.SIGKILL:
        scene.last(run)
        scene.happened("first", run.name)


def kill_program(scene: Scene, rng: random.Random) -> None:
    """SIGKILL between its start and its end."""
    scene.until(lambda: scene.programs() or not scene.living(), 2.0)
    time.sleep(rng.uniform(0.0, scene.setting.seconds))
    if running := scene.programs():
        chosen = rng.choice(running).process
        scene.shot[chosen] = now()
        try:
            os.kill(chosen, signal.SIGKILL)
        except ProcessLookupError:
            del scene.shot[chosen]
        else:
            scene.happened("program", str(chosen))


def crash_server(scene: Scene, rng: random.Random) -> None:
    """The database server stops at once, and is started again a little later; a run may be killed meanwhile."""
    assert scene.server is not None
    _moment(scene, rng)
    if not scene.living():
        return
    with _trouble(scene):
        scene.server.crash()
        time.sleep(rng.choice([0.0, rng.uniform(0.0, 1.5)]))
        if rng.random() < 0.3:
            kill_run(scene, rng)
        scene.server.start()
    scene.happened("server")


def stop_run(scene: Scene, rng: random.Random) -> None:
    """SIGSTOP until its leases have run out, then SIGCONT. It lives all the time, and so do its leases here."""
    scene.until(lambda: scene.programs() or not scene.living(), 2.0)
    _moment(scene, rng)
    if living := scene.living():
        run = rng.choice(living)
        with suppress(ProcessLookupError):
            os.kill(run.process, signal.SIGSTOP)
            time.sleep(scene.setting.lease * rng.uniform(1.2, 3.0))
            os.kill(run.process, signal.SIGCONT)
            scene.happened("stop", run.name)


def shift_clock(scene: Scene, rng: random.Random) -> None:
    """The clock of this machine is put forward or back."""
    scene.until(lambda: scene.programs() or not scene.living(), 2.0)
    if scene.living():
        seconds = rng.choice([1.0, -1.0]) * rng.choice([100.0, 3600.0, 1e6])
        scene.shift(scene.shifted + seconds)
        scene.happened("forward" if seconds > 0.0 else "back", f"{seconds:g} s")
        time.sleep(rng.uniform(0.0, 10.0 * scene.setting.seconds))


def fill_disk(scene: Scene, rng: random.Random) -> None:
    """Nothing can be written for a second or two."""
    _moment(scene, rng)
    if living := [run.process for run in scene.living()]:
        with _trouble(scene):
            scene.disk.fill(living)
            time.sleep(rng.choice([0.05, 0.2, rng.uniform(0.2, 1.5)]))
            scene.disk.free(living)
        scene.happened("disk")


def lose(scene: Scene, rng: random.Random, how: How) -> None:
    """A COMMIT to one of the tables is not heard of."""
    assert scene.proxy is not None
    if not scene.living():
        return
    order = Order(rng.choice(tables()), how, rng.choice([0, 0, 1, 3]))
    with _trouble(scene):
        scene.proxy.lose(order)
        try:
            scene.until(lambda: order.done.is_set() or not scene.living(), 5.0)
        finally:
            scene.proxy.lose(None)
        if order.done.is_set():
            scene.happened(f"{how}-{order.table}")
            time.sleep(rng.uniform(0.0, 0.1))


@cache
def tables() -> tuple[str, ...]:
    """Those into which runs write while they work."""
    text = (Path(taut.__file__).parent / "storage" / "schema.toml").read_text()
    return tuple(name for name in tomllib.loads(text) if name not in ("taut_schema", "study"))


EVENTS: dict[str, Event] = {
    "run": kill_run,
    "group": kill_group,
    "first": kill_at_first,
    "program": kill_program,
    "server": crash_server,
    "stop": stop_run,
    "clock": shift_clock,
    "disk": fill_disk,
    "broken": lambda scene, rng: lose(scene, rng, "broken"),
    "unsent": lambda scene, rng: lose(scene, rng, "unsent"),
    "silent": lambda scene, rng: lose(scene, rng, "silent"),
}
WEIGHTS = {"run": 5.0, "group": 2.0, "program": 5.0, "first": 1.5}
"""Of the chances; 1 for the others, which take longer."""
NEEDS = dict.fromkeys(("server", "broken", "unsent", "silent"), "postgresql") | {"disk": "sqlite"}
"""Events that only one kind of storage knows."""


def _moment(scene: Scene, rng: random.Random) -> None:
    """Some time, often just after something happened."""
    if rng.random() < 0.7:
        before = scene.setting.seconds
        known = len(scene.evaluations)
        scene.until(lambda: len(scene.evaluations) > known or not scene.living(), 5.0)
        time.sleep(rng.uniform(0.0, 2.0 * before))
    else:
        time.sleep(rng.choice([rng.uniform(0.0, 0.05), rng.uniform(0.0, 0.3)]))


@contextmanager
def _trouble(scene: Scene) -> Iterator[None]:
    began = now()
    try:
        yield
    finally:
        scene.troubles.append((began, now()))
