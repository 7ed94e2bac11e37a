"""Disturbs studies in every way we know of, until there were so many events, and counts what should not happen.

    python -m chaos.chaos KILLS [--seed 0] [--backends sqlite,postgresql] [--kinds run,server] [--out chaos.jsonl]

Each study is one line of the file `out`. A series (all studies with one seed) goes on where it was stopped.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chaos.invariants import KINDS
from chaos.runs import Nursery, now
from chaos.trial import THEMES, Report, Trial, torment
from servers import NoServer, Server

BACKENDS = ("sqlite", "postgresql")
SERVER_SECONDS = 900.0
"""A server that is older is started again: it ends by itself after a while, in case nobody is left to stop it."""


def trial(seed: int, number: int, backends: Sequence[str], kinds: tuple[str, ...]) -> Trial:
    """The study of this number in the series of this seed."""
    rng = random.Random(f"{seed} {number}")
    found = [
        (each, THEMES[each.theme].weight)
        for theme in THEMES
        for backend in backends
        if (each := Trial(theme, backend, seed * 1_000_000 + number, kinds)).possible()
    ]
    if not found:
        raise SystemExit(f"None of {', '.join(kinds)} can happen on {', '.join(backends)}.")
    chosen = rng.choices([each for each, _ in found], [weight for _, weight in found])[0]
    # Some decide with a model, some runs are new interpreters, and some studies are on a disk.
    method = "cei+" if chosen.theme == "alone" and rng.random() < 0.2 else "random"
    return Trial(
        chosen.theme, chosen.backend, chosen.seed, kinds, None, method, rng.choice([0.0, 0.3]), rng.random() < 0.7
    )


def series(kills: int, seed: int, backends: Sequence[str], kinds: tuple[str, ...], out: Path, keep: Path) -> list[Any]:
    """Studies until there were so many events; those in the file count. All lines of the series."""
    lines = [line for line in known(out) if line["series"] == seed and _wanted(line, backends, kinds)]
    done = sum(_total(line) for line in lines)
    if lines:
        print(f"{out}: {done} events in {len(lines)} studies before", flush=True)
    number = max((line["study"] for line in lines), default=-1)
    with _workshop(backends) as (nursery, server, usable):
        while done < kills:
            number += 1
            each = trial(seed, number, usable, kinds)
            report = torment(each, nursery, server(), keep)
            line = _line(seed, number, each, report)
            with out.open("a") as file:
                file.write(json.dumps(line) + "\n")
            lines.append(line)
            done += report.total
            print(_progress(done, each, report), flush=True)
    return lines


def known(out: Path) -> list[dict[str, Any]]:
    """The studies in a file; a line that was cut short counts for nothing."""
    if not out.exists():
        return []
    text = out.read_text()
    if text and not text.endswith("\n"):
        out.write_text(text[: text.rfind("\n") + 1])
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def _wanted(line: dict[str, Any], backends: Sequence[str], kinds: tuple[str, ...]) -> bool:
    return line["backend"] in backends and line["kinds"] == list(kinds)


def _total(line: dict[str, Any]) -> int:
    return sum(line["counts"].values())


@contextmanager
def _workshop(backends: Sequence[str]) -> Iterator[Any]:
    """What starts runs, a server if one is asked for and possible, and the storages that can be used."""
    nursery, servers, usable, began = Nursery(), [], list(backends), now()
    if "postgresql" in backends:
        try:
            servers.append(Server())
        except NoServer as error:
            usable.remove("postgresql")
            print(f"SKIPPED: everything on PostgreSQL, which cannot be run here: {error}", flush=True)
    if not usable:
        raise SystemExit("Nothing is left to do.")

    def fresh() -> "Server | None":
        nonlocal began
        if servers and now() - began > SERVER_SECONDS:
            servers[0].crash()
            servers[0].start()
            began = now()
        return servers[0] if servers else None

    try:
        yield nursery, fresh, usable
    finally:
        nursery.close()
        for server in servers:
            server.stop()


def _line(seed: int, number: int, each: Trial, report: Report) -> dict[str, Any]:
    what = {"series": seed, "study": number, "theme": each.theme, "backend": each.backend, "seed": each.seed}
    how = {"method": each.method, "real": each.real, "memory": each.memory, "kinds": list(each.kinds)}
    return what | how | {"commit": commit()} | report.to_dict()


def commit() -> str:
    """Of the source that is tormented."""
    words = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(words, capture_output=True, text=True).stdout.strip()


def _progress(done: int, each: Trial, report: Report) -> str:
    what = f"{done:6d}  {each.theme:9}  {each.backend:10}  {report.total:3d} events  {report.seconds:6.1f} s"
    return "\n".join([what, *(f"        VIOLATION {kind}: {text}" for kind, text in report.violations)])


def summary(lines: Sequence[dict[str, Any]]) -> str:
    """Counts per kind of event and per kind of violation."""
    events: Counter[tuple[str, str]] = Counter()
    bad: Counter[str] = Counter()
    for line in lines:
        events.update({(line["backend"], kind): count for kind, count in line["counts"].items()})
        bad.update(kind for kind, _ in line["violations"])
    totals = {
        name: sum(line[name] for line in lines) for name in ("evaluations", "acknowledged", "repeated", "refused")
    }
    seconds = sum(line["seconds"] for line in lines)
    text = [f"{events.total()} events in {len(lines)} studies, {seconds:.0f} s; of {_commits(lines)}"]
    text += [", ".join(f"{name} {count}" for name, count in totals.items())]
    for backend in BACKENDS:
        if found := {kind: count for (at, kind), count in sorted(events.items()) if at == backend}:
            text.append(f"{backend}: " + ", ".join(f"{kind} {count}" for kind, count in found.items()))
    text += [f"{bad[kind]:6d}  {kind:10}  {meaning}" for kind, meaning in KINDS.items()]
    return "\n".join(text)


def _commits(lines: Sequence[dict[str, Any]]) -> str:
    return ", ".join(dict.fromkeys(line["commit"] for line in lines)) or "nothing"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kills", type=int, help="so many events in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--backends", default=",".join(BACKENDS))
    parser.add_argument(
        "--kinds", default="", help="of " + ", ".join(sorted({k for t in THEMES.values() for k in t.kinds}))
    )
    parser.add_argument("--out", type=Path, default=Path("chaos.jsonl"))
    parser.add_argument("--keep", type=Path, default=Path("chaos.kept"), help="folders of studies with violations")
    given = parser.parse_args()
    backends = [each for each in given.backends.split(",") if each]
    kinds = tuple(each for each in given.kinds.split(",") if each)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers, runs and disks are cleared away
    lines = series(given.kills, given.seed, backends, kinds, given.out, given.keep)
    print(summary(lines))
    return int(any(line["violations"] for line in lines))


if __name__ == "__main__":
    sys.exit(main())
