"""A process that has imported all of taut and forks itself for each command: ten times as fast as a new interpreter.

Reads requests, one JSON object a line, and answers each with the number of the process it made; tells of each process
that has ended. When its input ends it kills what still runs. Started by runs.Nursery.
"""

import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from chaos import clock, journal

LATE = ("scipy.optimize", "threadpoolctl", "psycopg", "sqlalchemy.dialects.postgresql", "sqlalchemy.dialects.sqlite")
"""What taut imports only when it needs it."""

Command = Callable[[], object]


def main() -> None:
    _import_everything()
    command = _serve()
    if command is not None:  # in a forked process
        clock.install()
        command()


def _import_everything() -> None:
    """Before the first fork; nothing is called, so that nothing is shared by those who are forked."""
    import taut

    for name in LATE:
        importlib.import_module(name)
    for module in pkgutil.walk_packages(taut.__path__, "taut."):
        if module.name.startswith("taut.hosts"):  # software of others, which need not be installed; no run uses it
            continue
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    gc.collect()
    gc.freeze()


def _serve() -> Command | None:
    """Until the input ends; in a forked process, what it has to do."""
    requests, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    children: set[int] = set()
    selector = selectors.DefaultSelector()
    for file in (requests, woken):
        selector.register(file, selectors.EVENT_READ)
    buffer = b""
    _tell(answers, {"ready": os.getpid()})
    while True:
        ready = [key.fd for key, _ in selector.select()]
        if woken in ready:
            os.read(woken, 4096)
            _reap(children, answers)
        if requests in ready:
            chunk = os.read(requests, 65536)
            if not chunk:
                break
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                process = os.fork()
                if process == 0:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    selector.close()
                    for file in (requests, answers, woken, wake):
                        os.close(file)
                    return _settled(json.loads(line))
                children.add(process)
                _tell(answers, {"started": process})
    for process in children:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return None


def _reap(children: set[int], answers: int) -> None:
    while children:
        process, status = os.waitpid(-1, os.WNOHANG)
        if not process:
            return
        children.discard(process)
        _tell(answers, {"ended": process, "code": os.waitstatus_to_exitcode(status), "time": time.monotonic()})


def _tell(answers: int, what: dict[str, float]) -> None:
    os.write(answers, json.dumps(what).encode() + b"\n")


def _settled(request: dict[str, Any]) -> Command:
    """Take the place of a new process: own session, outputs, folder and environment. The command to be run there."""
    os.setsid()
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    os.chdir(request["folder"])
    os.environ.update(request["environment"] | {journal.PROCESS: str(os.getpid())})
    words: list[str] = request["words"]
    if request["real"]:
        os.execv(sys.executable, [sys.executable, "-W", "error", "-m", "taut", *words])
    from taut.app.cli.main import main as taut

    return lambda: taut(words, prog_name="taut")


if __name__ == "__main__":
    main()
