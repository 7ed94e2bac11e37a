"""What programs did, written by themselves: a line when one starts and one when it ends, and how often each ran."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from taut.app.studyfile import template

PROGRAMS = ("stress", "deflection")

# Before and after the program of the example: it takes a while, so that a job can be killed in the middle of it.
BEFORE = '''\
import json, os, time


def note(what):
    """One write of one line: complete or not there, whoever else writes."""
    asked = json.load(open("taut-input.json"))
    line = json.dumps({"what": what, "suggestion": asked["suggestion"], "functions": asked["functions"],
                       "job": os.environ.get("SLURM_JOB_ID"), "worker": os.getppid()})
    file = os.open(os.path.join(os.environ["TAUT_FOLDER"], "journal.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, (line + "\\n").encode())
    os.close(file)


note("started")
time.sleep(SECONDS)
'''
AFTER = 'note("ended")\n'

Key = tuple[int, str]
"""Suggestion and function."""
Place = tuple[str, str]
"""The number of the SLURM job, and of the process that started the program."""


def write(folder: Path, budget: int, seconds: float) -> Path:
    """The example of `taut init` with programs that take so long and keep the journal; the study file."""
    template.write(str(folder))
    study = folder / "study.toml"
    study.write_text(study.read_text().replace("budget = 60", f"budget = {budget}"))
    for name in PROGRAMS:
        path = folder / f"{name}.py"
        path.write_text(BEFORE.replace("SECONDS", repr(seconds)) + path.read_text() + AFTER)
    return study


@dataclass(frozen=True, slots=True)
class Journal:
    """How often each function of each suggestion was started, and ended; and where each was started last."""

    started: Counter[Key]
    ended: Counter[Key]
    places: dict[Key, Place]

    @property
    def running(self) -> dict[Key, Place]:
        """Started and not ended, with its place."""
        return {key: place for key, place in self.places.items() if not self.ended[key]}


def read(folder: Path) -> Journal:
    path = folder / "journal.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    counts: dict[str, Counter[Key]] = {"started": Counter(), "ended": Counter()}
    places = {}
    for line in lines:
        for name in line["functions"]:
            key = (line["suggestion"], name)
            counts[line["what"]][key] += 1
            if line["what"] == "started":
                places[key] = (str(line["job"]), str(line["worker"]))
    return Journal(counts["started"], counts["ended"], places)
