"""One BLAS thread: the matrices are small, and threads of several test processes would wait for each other."""

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import signal  # noqa: E402  (after the thread limits, which must come before NumPy)
import tempfile  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import TYPE_CHECKING  # noqa: E402

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

if TYPE_CHECKING:
    from servers import Server

# A shell starts what runs in the background deaf to interrupts, and programs inherit that: tests interrupt some.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A slow machine is not a failed property.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


# Methods that differ from another one in a setting: what every method promises is tested with the others each time.
VARIANTS = {"dckg-uncoupled", "pesc-coupled", "dckg@paper", "cei+@paper"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what `make test` leaves to `make thorough`."""
    for item in items:
        given = getattr(item, "callspec", None)
        if given is not None and any(isinstance(value, str) and value in VARIANTS for value in given.params.values()):
            item.add_marker(pytest.mark.thorough)


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Server]":
    """A running PostgreSQL server, one for each test process that needs it."""
    pytest.importorskip("psycopg")
    from servers import NoServer, Server

    try:
        server = Server()
    except NoServer as error:
        pytest.skip(f"PostgreSQL cannot be run here: {error}")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """A folder in memory, if there is one: SQLite waits for the disk, and the tests need not."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None, prefix="taut-") as path:
        yield Path(path)


@pytest.fixture
def path(new_place: Callable[[str], str]) -> Path:
    """A file for one study."""
    return Path(new_place("sqlite"))


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, new_place: Callable[[str], str]) -> str:
    """A path, and a URL, for one study."""
    return new_place(request.param)


@pytest.fixture(scope="session")
def new_place(folder: Path, request: pytest.FixtureRequest) -> Callable[[str], str]:
    """A path or URL for one more study, by the kind of storage."""
    taken = 0

    def new(kind: str) -> str:
        nonlocal taken
        taken += 1
        if kind == "sqlite":
            return str(folder / f"{taken}.db")
        server: Server = request.getfixturevalue("postgres")
        return server.url()

    return new
