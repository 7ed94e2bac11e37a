"""A study under torment: its folder, its runs, and all that can be done to them."""

import os
import random
import signal
import time
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from chaos import clock, journal
from chaos.disk import Disk, Limited
from chaos.journal import Evaluation
from chaos.proxy import Proxy
from chaos.runs import Nursery, Run, belongs, now, waiting_for_processor
from servers import Server

SLOW_SECONDS = 5.0
"""The quickest program of a run that is killed by its first program: which would be seen to live on."""
WHOLE_SECONDS = 900.0
"""A study that takes longer does not end."""
LOOK_SECONDS = 0.25
"""How often to look whether those that are silent wait for a processor."""

STUDY = """\
[study]
name = "storm"
method = "{method}"
seed = {seed}
initial = 2
budget = {budget}
storage = "{storage}"
verify = {verify}

[run]
keep = "none"
workers = {workers}
lease = {lease}
failures = 100000

[parameters.x]
low = 0.0
high = 1.0

[parameters.y]
low = -1.0
high = 1.0

[objective]
name = "f"
goal = "minimize"
cost = 1
command = ["./program"]
retries = 50

[[constraints]]
name = "c"
at_most = 0.5
cost = 2
command = ["./program"]
retries = 50
slots = 1

[[constraints]]
name = "d"
at_most = 1.0

[[constraints]]
name = "e"
at_most = 1.5

[[groups]]
name = "g"
functions = ["d", "e"]
cost = 3
command = ["./program"]
retries = 50
"""
"""A program that was killed is started again; it would count as failed otherwise, and change the decisions."""


class Hang(Exception):
    """Nothing happened for too long."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How a study is run."""

    seed: int
    runs: int = 1
    workers: int = 1
    method: str = "random"
    budget: float = 9.0
    lease: float = 60.0
    seconds: float = 0.02
    """How long the quickest program takes."""
    limit: float = 30.0
    """So many seconds in which nothing happens and nobody waits for a processor are a hang."""
    real: float = 0.0
    """Share of the runs that are new interpreters, not forks."""


@dataclass
class Scene:
    """One study. place: of its database, for us; storage: the same for taut, perhaps through the proxy."""

    folder: Path
    setting: Setting
    nursery: Nursery
    place: str
    storage: str
    server: Server | None = None
    proxy: Proxy | None = None
    disk: Disk = field(default_factory=Limited)
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    runs: list[Run] = field(default_factory=list)
    slots: list[Run] = field(default_factory=list)
    """The last run of each that is to be kept alive."""
    shot: dict[int, float] = field(default_factory=dict)
    """When a program was killed, by its process."""
    troubles: list[tuple[float, float]] = field(default_factory=list)
    """From when to when the storage could not be used."""
    counts: Counter[str] = field(default_factory=Counter)
    events: list[str] = field(default_factory=list)
    violations: list[tuple[str, str]] = field(default_factory=list)
    """Kind, and what exactly."""

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.began = self._looked = now()
        self._last, self._silent, self.deadline = 0, 0.0, self.began + WHOLE_SECONDS
        (self.folder / "program.py").write_text(journal.PROGRAM)
        (self.folder / "program").write_text(journal.START)
        (self.folder / "program").chmod(0o755)
        known = {name: getattr(self.setting, name) for name in ("method", "seed", "budget", "workers", "lease")}
        self.path = self.folder / "study.toml"
        verify = "true"
        self.path.write_text(STUDY.format(storage=self.storage, verify=verify, **known))
        self.clock = self.folder / "clock"
        self.shift(0.0)
        self._random = random.Random(self.setting.seed)  # of its own: how a run is started changes no other choice

    @property
    def evaluations(self) -> list[Evaluation]:
        return journal.read(self.folder / "journal")

    def start(self, slow: bool = False) -> Run:
        """A run; a slow one will be killed by its first program."""
        name = f"run{len(self.runs)}"
        real = self._random.random() < self.setting.real
        environment = {
            journal.SHOOTS: "yes" if slow else "",
            journal.STUDY: self.name,
            journal.RUN: name,
            journal.SECONDS: repr(SLOW_SECONDS if slow else self.setting.seconds),
            clock.FILE: str(self.clock),
        }
        if real:
            site = str(Path(__file__).parent / "site")
            environment["PYTHONPATH"] = os.pathsep.join(
                [site, str(Path(site).parent.parent), os.environ.get("PYTHONPATH", "")]
            )
        log, began = self.folder / f"{name}.log", now()
        process = self.nursery.start(["run", str(self.path), "--plain"], self.folder, log, environment, real)
        self.runs.append(Run(name, process, log, began, slow))
        return self.runs[-1]

    def alive(self, run: Run) -> bool:
        """Notes when it has ended."""
        if run.code is None and (end := self.nursery.ended(run.process)):
            run.code, run.ended = end
        return run.code is None

    def last(self, run: Run) -> None:
        """It was killed by its own program, before that noted its start."""
        first = [each.start for each in self.evaluations if each.run == run.name]
        run.killed = min([run.ended, *first])

    def living(self) -> list[Run]:
        return [run for run in self.runs if self.alive(run)]

    def kill(self, run: Run, group: bool = False) -> None:
        """SIGKILL, and wait until it is gone."""
        run.killed = now()
        with suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(run.process, signal.SIGKILL)
        while self.alive(run):
            time.sleep(0.001)
        if run.code != -signal.SIGKILL:  # was done just before
            run.killed = float("inf")

    def programs(self) -> list[Evaluation]:
        """Those that run now."""
        started = [each for each in self.evaluations if each.end is None and each.process not in self.shot]
        return [each for each in started if belongs(each.process, journal.STUDY, self.name)]

    def shift(self, seconds: float) -> None:
        """Put the clock of all runs so far off."""
        self.shifted = seconds
        clock.put(self.clock, seconds)

    def happened(self, kind: str, what: str = "") -> None:
        """Count it."""
        self.counts[kind] += 1
        self.events.append(f"{now() - self.began:.3f} {kind} {what}".strip())

    def violated(self, kind: str, what: str) -> None:
        self.violations.append((kind, what))

    def until(self, condition: Callable[[], object], seconds: float = WHOLE_SECONDS) -> bool:
        """Wait for it, at most so long; whether it came. Hang if nothing at all happens for too long."""
        start = now()
        while not condition():
            self._look()
            if now() - start > seconds:
                return False
            time.sleep(0.003)
        return True

    def _look(self) -> None:
        """Hang if there is no news, or no end."""
        moment, news = now(), self._news()
        if news != self._last:
            self._last, self._silent, self._looked = news, 0.0, moment
        elif moment - self._looked > LOOK_SECONDS:
            self._silent += 0.0 if waiting_for_processor() else min(moment - self._looked, 2.0 * LOOK_SECONDS)
            self._looked = moment
        if self._silent > self.setting.limit or moment > self.deadline:
            tails = "; ".join(f"{run.name} ends: {run.text[-300:]!r}" for run in self.living())
            raise Hang(f"nothing happened for {self._silent:.0f} s; {tails}")

    def _news(self) -> int:
        """Grows with the journal, with what the runs print, and with each new run."""
        files = [self.folder / "journal", *(run.log for run in self.runs)]
        return len(files) + sum(file.stat().st_size for file in files if file.exists())
