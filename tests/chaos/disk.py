"""A disk that is full for a while: a small one in memory, or, where none may be mounted, small files."""

import os
import resource
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

BYTES = 24_000
"""A database is larger than that, the journal and the outputs of a short study are not."""
SMALL_BYTES = 4_000_000


class Disk(Protocol):
    """Where the database of a study is."""

    def fill(self, runs: Iterable[int]) -> None:
        """From now on nothing more fits."""

    def free(self, runs: Iterable[int]) -> None:
        """There is room again."""

    def close(self) -> None:
        """Nothing of it is left."""


class Limited(Disk):
    """Runs that may not write beyond the first bytes of a file."""

    def fill(self, runs: Iterable[int]) -> None:
        self._set(runs, BYTES)

    def free(self, runs: Iterable[int]) -> None:
        self._set(runs, None)

    def _set(self, runs: Iterable[int], size: int | None) -> None:
        for process in runs:
            with suppress(ProcessLookupError):
                _, most = resource.prlimit(process, resource.RLIMIT_FSIZE)
                resource.prlimit(process, resource.RLIMIT_FSIZE, (most if size is None else size, most))

    def close(self) -> None:
        return None


class Small(Disk):
    """A file system in memory. OSError if it may not be mounted."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder, self._filler = folder, folder / "filler"
        words = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_BYTES}", "taut-chaos", str(folder)]
        try:
            done = subprocess.run(words, capture_output=True, text=True)
        except FileNotFoundError as error:
            raise OSError("there is no command mount") from error
        if done.returncode:
            raise OSError(done.stderr.strip())

    def fill(self, runs: Iterable[int]) -> None:
        file = os.open(self._filler, os.O_WRONLY | os.O_CREAT)
        for size in (65536, 4096, 1):
            with suppress(OSError):
                while True:
                    os.write(file, b"0" * size)
        os.close(file)

    def free(self, runs: Iterable[int]) -> None:
        self._filler.unlink()

    def close(self) -> None:
        subprocess.run(["umount", "--lazy", str(self._folder)], check=True)
