"""Where evaluations have their working directories: NAME.runs beside the study file, for one study only.

Two studies in one folder may have the same name: two files, or one whose storage was changed. The directories of one
must not look like attempts of the other, so a small file in NAME.runs says whose it is, and another study takes
NAME-2.runs.
"""

import os
from contextlib import suppress
from pathlib import Path

from taut.app.studyfile.file import StudyFile
from taut.base.secrets import without_secrets

MARK = ".taut-storage"
"""The file in NAME.runs: where the study is stored whose directories these are."""


def owner_of(file: StudyFile) -> str:
    """Where the study of a file is stored, seen from its folder, which may be moved; no password."""
    storage = file.study.storage
    if "://" in storage:
        return str(without_secrets(storage))
    return os.path.relpath(storage, os.path.realpath(file.folder))


def choose(file: StudyFile) -> str:
    """The first of NAME.runs, NAME-2.runs, ... that is this study's or nobody's. Nothing is written."""
    number = 1
    while True:
        place = file.folder / f"{file.study.name}{'' if number == 1 else f'-{number}'}.runs"
        if _mark(place) in (None, "", owner_of(file)):
            return str(place)
        number += 1


def new(runs: Path, owner: str, name: str) -> Path:
    """A directory that was not there before: NAME-1, or the next number that is free. owner: "" for nobody's."""
    number = 1
    while True:
        runs.mkdir(exist_ok=True)
        try:
            _claim(runs, owner)
            folder = runs / f"{name}-{number}"
            folder.mkdir()
            return folder
        except FileExistsError:
            number += 1
        except FileNotFoundError:  # another run of this study has just tidied up
            if not runs.parent.is_dir():
                raise


def tidy(runs: str) -> None:
    """Remove the folder if nothing was to be kept."""
    with suppress(OSError):
        if os.listdir(runs) == [MARK]:
            os.unlink(os.path.join(runs, MARK))
        os.rmdir(runs)


def _mark(runs: Path) -> str | None:
    try:
        return (runs / MARK).read_text(encoding="utf-8", errors="replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _claim(runs: Path, owner: str) -> None:
    if not owner:
        return
    try:
        with (runs / MARK).open("x", encoding="utf-8", errors="replace") as file:
            file.write(owner + "\n")
    except FileExistsError:
        if (found := _mark(runs)) not in (None, "", owner):
            raise PermissionError(f"{str(runs)!r} was just taken by the study in {found!r}; start again") from None
