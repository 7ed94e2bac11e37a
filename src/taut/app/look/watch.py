"""A study as a live page sees it: read again and again, never written to, and shown even while it cannot be read.

Two threads: one reads new rows and renders what needs no model, within a fraction of a second of their coming; the
other asks the models, as long as somebody looks, and rests in between so that it takes no more than a part of a core.
"""

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from taut.app.studyfile.file import StudyFile, load, open_study, storage_of
from taut.base.errors import TautError
from taut.base.markup import Markup
from taut.data.history import History
from taut.plot.gather import Beliefs, answerable, beliefs
from taut.plot.page.answer import what_if_answer
from taut.plot.page.page import bodies, digest, live_document
from taut.plot.page.words import count
from taut.plot.state import Facts, Label, facts
from taut.storage.base import Leases
from taut.study.questions import Limits, with_limits
from taut.study.study import Study

PAUSE = 0.1
"""Seconds between looks at the storage."""
LEASES = 2.0
"""Seconds between looks at who runs what."""
SLOW = 2.0
"""Seconds after which a look at the storage that has not ended is spoken of."""
REST = 3.0
"""The models rest so many times as long as they took."""


@dataclass(frozen=True, slots=True)
class State:
    """What is shown at one moment; replaced as a whole."""

    known: Facts
    found: Beliefs | None = None
    parts: Mapping[str, Markup] = field(default_factory=dict)
    said: str = ""
    trouble: str = ""
    """Why nothing new can be read, if so."""
    version: int = 0
    started: bool = True

    @property
    def digests(self) -> dict[str, str]:
        return {key: digest(body) for key, body in self.parts.items()}

    @property
    def waiting(self) -> bool:
        """Are there values of which the models have not been asked yet?"""
        return self.known.answerable and self.found is None


class Watch:
    """Keeps the state of the study of a file up to date."""

    def __init__(self, file: StudyFile, pause: float = PAUSE) -> None:
        self.file, self._pause = file, pause
        self._lock, self._asking = threading.Lock(), threading.Lock()
        self._news, self._stop = threading.Event(), threading.Event()
        self._study: Study | None = None
        self._history: History | None = None
        self._seen: tuple[int, int, Leases] | None = None
        self._turn = 0  # one more whenever a study takes the place of another: what is known of that one is void
        self._written = 0
        self._began = math.inf
        self._leases: tuple[float, Leases] = (-LEASES, {})
        self._other: tuple[int, Study | None] = -1, None
        self.viewers = 0
        self.state = State(facts(file.problem, History(file.problem), self._label(), {}), started=False)
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._read, self._think)]

    def start(self) -> None:
        self.look()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._news.set()

    def page(self) -> str:
        """The whole page as it is now."""
        state = self.state
        return live_document(state.known, state.found, state.waiting)

    def look(self) -> None:
        """Read what is new, and render it; what goes wrong is shown, and tried again the next time."""
        self._began = time.monotonic()
        try:
            self._update()
        except Exception as error:  # whatever it is: the page lives on, and says so
            self._study = None
            why = str(error) if isinstance(error, TautError) else f"the study cannot be read ({type(error).__name__})"
            if self.state.trouble != why:
                self._publish(lambda old: replace(old, trouble=why))
        finally:
            self._began = math.inf

    @property
    def trouble(self) -> str:
        """Why what is shown may be old, if so."""
        slow = time.monotonic() - self._began > SLOW
        return self.state.trouble or ("the storage is locked or slow; what is shown may be old" if slow else "")

    def _update(self) -> None:
        if self._study is None or self._replaced(self._study):
            self._written = self.file.path.stat().st_mtime_ns
            self.file = load(self.file.path)
            self._study = self._opened()
        if self._study is None:
            if self.state.started or self.state.trouble or not self.state.parts:
                empty = facts(self.file.problem, History(self.file.problem), self._label(), {})
                self._publish(lambda old: State(empty, None, said="not started yet", started=False))
            return
        history, leases = self._study.history, self._taken(self._study)
        seen = len(history.suggestions), len(history.observations), leases
        another = history is not self._history  # rows are only added, unless a copy took the place of the storage
        if seen == self._seen and not another and not self.state.trouble:
            return
        known = facts(self._study.problem, history, self._label(), leases)
        kept = self._same(known, history)
        self._turn += not kept
        self._publish(lambda old: State(known, old.found if kept else None))
        self._seen, self._history = seen, history
        self._news.set()

    def _same(self, known: Facts, history: History) -> bool:
        """Is this the study that was seen before, with more rows?"""
        before, rows = self._history, history.observations
        if before is None or len(history.suggestions) < len(before.suggestions):
            return False
        if history is not before and rows[: len(before.observations)] != before.observations:
            return False
        was = self.state.known
        return (known.problem, known.method, known.seed) == (was.problem, was.method, was.seed)

    def _replaced(self, study: Study) -> bool:
        """Is there another study in its place, or another file about it? Rows are never removed."""
        try:
            changed = self.file.path.stat().st_mtime_ns != self._written
        except OSError:
            changed = False  # what is known of it still holds
        rows = len(study.history.observations), len(study.history.suggestions)
        fewer = self._seen is not None and (rows[0] < self._seen[1] or rows[1] < self._seen[0])
        return changed or fewer

    def _opened(self) -> Study | None:
        """The study, if it has begun; opened in a way that never creates one."""
        storage = storage_of(self.file)
        return None if storage.load() is None else open_study(self.file, storage, must_exist=True)

    def _taken(self, study: Study) -> Leases:
        at, known = self._leases
        if time.monotonic() - at >= LEASES:
            known = study.leases()
            self._leases = time.monotonic(), known
        return known

    def _label(self) -> Label:
        options = self.file.study
        return Label(options.name, options.method, options.seed, options.budget)

    def _publish(self, change: Callable[[State], State]) -> None:
        """Two threads do: each changes its part of what is shown by then."""
        with self._lock:
            old = self.state
            state = change(old)
            before = old.parts if state.found is not None and state.found is old.found else None
            parts = bodies(state.known, state.found, state.waiting, live=True, before=before)
            said = state.said if not state.started else _said(state)
            self.state = replace(state, parts=parts, said=said, version=old.version + 1)

    def _read(self) -> None:
        while not self._stop.wait(self._pause):
            self.look()

    def _think(self) -> None:
        """Ask the models whenever there is something new and somebody looks."""
        asked, opened, study = -1, -1, None
        while not self._stop.is_set():
            self._news.wait(1.0)
            self._news.clear()
            known, turn = self.state.known, self._turn
            rows = known.values + known.failures
            done = rows == asked and self.state.found is not None
            if not self.viewers or self._stop.is_set() or done or not known.answerable:
                continue
            began = time.monotonic()
            try:
                study = study if turn == opened else None
                opened, study = turn, study or self._opened()
                found = None if study is None else beliefs(study, known.budget)
            except Exception:  # the reader says what is wrong; here nothing is lost
                study = None
                self._stop.wait(1.0)
                continue
            asked = rows
            if found is not None:
                self._believe(found, turn)
            self._stop.wait(min(REST * (time.monotonic() - began), 60.0))
            self._news.set()

    def _believe(self, found: Beliefs, turn: int) -> None:
        """What the models say is shown, unless there is another study by now."""
        self._publish(lambda old: replace(old, found=found) if turn == self._turn else old)

    def what_if(self, limits: Limits) -> Markup:
        """What would be best with other limits. Nothing is stored."""
        with self._asking:
            turn, study = self._other
            if study is None or turn != self._turn:
                turn, study = self._turn, self._opened()
            self._other = -1, None  # until this one has answered
            if study is None or not answerable(study):
                return Markup("")
            problem = with_limits(study.problem, limits)
            best = study.recommend(limits)
            self._other = turn, study
        found = self.state.found
        return what_if_answer(problem, best, None if found is None else found.best)


def _said(state: State) -> str:
    known = state.known
    counts = f"live: {count(known.values, 'value')}, {count(known.suggestions, 'suggestion')}"
    if state.found is None:
        return f"{counts}; models are being asked" if known.answerable else counts
    behind = known.values + known.failures - state.found.values
    return counts if behind <= 0 else f"{counts}; models are {count(behind, 'value')} behind"
