"""One study from its start to its end, with all that happens to it, and what is found wrong in the end."""

import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from chaos import damage, invariants
from chaos.disk import Disk, Limited, Small
from chaos.events import EVENTS, NEEDS, WEIGHTS
from chaos.proxy import Proxy
from chaos.runs import Nursery, now
from chaos.scene import WHOLE_SECONDS, Hang, Scene, Setting
from servers import Server

import taut


@dataclass(frozen=True, slots=True)
class Theme:
    """A kind of study and what happens to it."""

    kinds: tuple[str, ...]
    """Of events; what the storage does not know is left out."""
    settings: dict[str, Any] = field(default_factory=dict)
    events: int = 8
    """At most so many in one study."""
    weight: float = 1.0


ANY = ("run", "group", "program", "first", "server", "broken", "unsent", "clock", "disk")
THEMES = {
    # One worker: decides as if nothing had happened.
    "alone": Theme(ANY, {"runs": 1}, events=30, weight=3.0),
    # Several runs, each started again when it was killed.
    "crowd": Theme(ANY, {"runs": 3, "workers": 2, "budget": 24.0}, events=40, weight=3.0),
    # All but one are killed and not started again: it has to do everything.
    "survivors": Theme(("survivor",), {"runs": 4, "budget": 18.0}, events=3, weight=2.0),
    "stopped": Theme(("stop",), {"runs": 2, "workers": 2, "lease": 1.0, "seconds": 0.1}, events=3),
    "clocks": Theme(("clock",), {"runs": 2, "seconds": 0.1, "budget": 12.0}, events=6),
    # A server that does not answer any more is only noticed after a while.
    "silence": Theme(("silent",), {"runs": 2, "limit": 120.0}, events=2, weight=0.3),
    "damages": Theme(("damage",), {"budget": 12.0}, events=25),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """What to do: everything follows from this, but for the moments at which things happen."""

    theme: str
    backend: str
    seed: int
    kinds: tuple[str, ...] = ()
    """Only these kinds of events; all of the theme if there are none."""
    events: int | None = None
    method: str = "random"
    real: float = 0.0
    memory: bool = True
    """Keep the folder in memory, if the machine has such a place?"""

    def possible(self) -> tuple[str, ...]:
        """The kinds of events that can happen in it."""
        kinds = [kind for kind in THEMES[self.theme].kinds if not self.kinds or kind in self.kinds]
        needs = NEEDS | {"damage": "sqlite"}
        return tuple(kind for kind in kinds if needs.get(kind, self.backend) == self.backend)


@dataclass(slots=True)
class Report:
    """What happened, and what should not have."""

    counts: Counter[str] = field(default_factory=Counter)
    studies: int = 0
    evaluations: int = 0
    acknowledged: int = 0
    repeated: int = 0
    """Programs that were started again because the first was lost with its run, or killed."""
    refused: int = 0
    """Runs that said in one line that the storage cannot be used, and were started again."""
    seconds: float = 0.0
    violations: list[tuple[str, str]] = field(default_factory=list)
    events: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"counts": dict(self.counts)}  # a Counter cannot be made from its pairs


def torment(trial: Trial, nursery: Nursery, server: Server | None, keep: Path | None = None) -> Report:
    """Run the study, disturb it, see it to its end, and check it. keep: where to leave the folders of bad ones."""
    began, rng = now(), random.Random(f"{trial.theme} {trial.seed}")
    with _scene(trial, nursery, server, keep) as scene:
        if trial.theme == "damages":
            _damages(scene, trial, rng)
        else:
            _disturb(scene, trial, rng)
        report = _report(scene)
    report.seconds = round(now() - began, 2)
    return report


@contextmanager
def _scene(trial: Trial, nursery: Nursery, server: Server | None, keep: Path | None) -> Iterator[Scene]:
    """A new folder with a study, gone afterwards."""
    setting = Setting(trial.seed, method=trial.method, real=trial.real, **THEMES[trial.theme].settings)
    memory = Path("/dev/shm")
    inside = memory if trial.memory and os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=inside, prefix="taut-chaos-") as text:
        folder = Path(text) / "study"
        if trial.backend == "sqlite":
            disk = _disk(trial, folder / "disk")
            place = str((folder / "disk" if isinstance(disk, Small) else folder) / "study.db")
            scene = Scene(folder, setting, nursery, place, place, disk=disk)
        else:
            assert server is not None
            proxy, place = Proxy(server.port), server.url()
            through = place.replace(f":{server.port}/", f":{proxy.port}/")
            scene = Scene(folder, setting, nursery, place, through, server, proxy)
        try:
            yield scene
            if scene.violations and keep is not None:
                shutil.copytree(folder, keep / f"{trial.theme}-{trial.backend}-{trial.seed}-{scene.name[:8]}")
        finally:
            _tidy(scene)


def _disk(trial: Trial, folder: Path) -> Disk:
    """Half of the studies whose disk is to be full get one of their own, if we may mount it."""
    if "disk" in trial.possible() and trial.seed % 2:
        with suppress(OSError):
            return Small(folder)
    return Limited()


def _tidy(scene: Scene) -> None:
    for run in scene.living():
        scene.kill(run)
    if scene.proxy is not None:
        scene.proxy.close()
    scene.disk.close()


def _disturb(scene: Scene, trial: Trial, rng: random.Random) -> None:
    scene.slots = [scene.start() for _ in range(scene.setting.runs)]
    try:
        if trial.theme == "survivors":
            _thin_out(scene, trial, rng)
        else:
            _shake(scene, trial, rng)
        scene.until(lambda: not scene.living())
        if trial.theme != "survivors" and any(run.code != 0 for run in scene.slots):  # the same command goes on
            _last(scene)
    except Hang as hang:
        scene.violated("hang", str(hang))
        _rescue(scene)
    _check(scene)
    if scene.setting.runs == scene.setting.workers == 1:
        _compare(scene)


def _shake(scene: Scene, trial: Trial, rng: random.Random) -> None:
    """One event after the other; whatever was killed by it is started again."""
    kinds, most = trial.possible(), trial.events or THEMES[trial.theme].events
    while scene.counts.total() < most and scene.living():
        kind = rng.choices(kinds, [WEIGHTS.get(each, 1.0) for each in kinds])[0]
        EVENTS[kind](scene, rng)
        _revive(scene)
    scene.until(lambda: not scene.living())
    _revive(scene)  # those that came too early for a server that was down


def _revive(scene: Scene) -> None:
    """Start again what was killed, or gave up."""
    for slot, run in enumerate(scene.slots):
        if not scene.alive(run) and run.code != 0:
            scene.slots[slot] = scene.start()


def _thin_out(scene: Scene, trial: Trial, rng: random.Random) -> None:
    """Kill one after the other, until one is left."""
    scene.until(lambda: scene.evaluations or not scene.living())
    for run in rng.sample(scene.slots, len(scene.slots))[: trial.events or THEMES["survivors"].events]:
        scene.until(lambda: False, rng.uniform(0.0, 0.25))
        if scene.alive(run):
            scene.kill(run)
            scene.happened("survivor", run.name)


def _last(scene: Scene) -> None:
    run = scene.start()
    scene.until(lambda: not scene.alive(run))


def _rescue(scene: Scene) -> None:
    """After a hang: kill everything; the same command must be able to go on all the same."""
    for run in scene.living():
        scene.kill(run)
    scene.deadline = now() + WHOLE_SECONDS
    try:
        _last(scene)
    except Hang as hang:
        scene.violated("hang", f"and again: {hang}")
        for run in scene.living():
            scene.kill(run)


def _check(scene: Scene) -> None:
    try:
        scene.violations += invariants.check(scene)
    except taut.TautError as error:
        scene.violated("lost", f"the study cannot be read: {error}")


def _compare(scene: Scene) -> None:
    """With the same study, undisturbed, in a file."""
    folder = scene.folder / "undisturbed"
    place = str(folder / "study.db")
    straight = Scene(folder, scene.setting, scene.nursery, place, place)
    try:
        _last(straight)
        scene.violations += invariants.decisions(*(taut.Study.open(each) for each in (scene.place, place)))
    except (Hang, taut.TautError) as error:
        scene.violated("decisions", f"undisturbed: {error}")


def _damages(scene: Scene, trial: Trial, rng: random.Random) -> None:
    try:
        _last(scene)
        good = damage.rows(scene.place)
        for number in range(trial.events or THEMES["damages"].events):
            damage.damage(scene, rng, good, number)
    except Hang as hang:
        scene.violated("hang", str(hang))


def _report(scene: Scene) -> Report:
    journal = scene.evaluations
    keys = {key for each in journal for key in each.keys}
    return Report(
        counts=scene.counts,
        studies=1,
        evaluations=len(keys),
        acknowledged=sum(len(run.acknowledged()) for run in scene.runs),
        repeated=sum(len(each.values) for each in journal) - len(keys),
        refused=sum(run.refused() for run in scene.runs),
        violations=scene.violations,
        events=scene.events,
    )
