"""Words of a command line, and what is said on the screen."""

import argparse
import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def say(text: str) -> None:
    print(text, flush=True)


def numbers(text: str) -> list[int]:
    """'0-3,7' -> [0, 1, 2, 3, 7]."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def assignments(texts: Sequence[str]) -> dict[str, Any]:
    """['a=1,b=x', 'c=True'] -> {'a': 1, 'b': 'x', 'c': True}."""
    found = {}
    for part in filter(None, ",".join(texts).split(",")):
        name, equals, text = part.strip().partition("=")
        if not (name and equals):
            raise SystemExit(f"expected name=value, got {part!r}.")
        try:
            found[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            found[name] = text
    return found


def measuring(commands: Any, seeds: str) -> argparse.ArgumentParser:
    """The command `run` of a benchmark that compares versions. seeds: those of a whole measurement."""
    run: argparse.ArgumentParser = commands.add_parser("run", help="run what is not there yet")
    run.add_argument("--label", required=True, help="name of the version that is measured")
    run.add_argument("--out", type=Path, required=True, help="file of the results, one JSON line a run")
    run.add_argument("--cases", nargs="+", default=["all"], metavar="NAME", help="cases or groups of them")
    run.add_argument("--seeds", type=numbers, default=numbers(seeds), metavar=seeds)
    run.add_argument("--method", default="dckg")
    return run


def comparing(command: argparse.ArgumentParser) -> None:
    """Which versions a table or page compares."""
    command.add_argument("--label", default="now", help="version that is judged")
    command.add_argument("--base", default="today", help="version it is compared with")
