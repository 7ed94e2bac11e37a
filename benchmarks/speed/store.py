"""Finished units of the measurement as JSON files, one each, so that a stopped measurement goes on where it was."""

import hashlib
import multiprocessing
import resource
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import taut
from taut_paper import jsonfile


def fingerprint(modules: Sequence[str] = ()) -> str:
    """Identifies the source of the measured taut, and of modules of the benchmark: their units are kept apart."""
    root, here = Path(taut.__file__).parent, Path(__file__).parent
    digest = hashlib.sha256()
    for path in [*sorted(root.rglob("*.py")), *(here / f"{name}.py" for name in modules)]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:10]


def finished(path: Path) -> dict[str, Any] | None:
    """What a unit found, None if it has not been run to its end."""
    found: dict[str, Any] | None = jsonfile.read(path) if path.exists() else None
    return found


def in_child(function: Callable[..., Any], seconds: int, *arguments: Any) -> Any:
    """function(*arguments) in a new process with a limit of CPU seconds; None if it did not come to an end."""
    context = multiprocessing.get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=_report, args=(send, function, seconds, arguments))
    child.start()
    send.close()
    try:
        return receive.recv()
    except EOFError:
        return None
    finally:
        child.join()


def _report(send: Any, function: Callable[..., Any], seconds: int, arguments: tuple[Any, ...]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    send.send(function(*arguments))
    send.close()
