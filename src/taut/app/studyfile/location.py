"""Where a study file keeps its study, and what to say if the study kept there is not the one the file describes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from taut.app.studyfile.text import refused
from taut.base.errors import StudyFileError
from taut.base.numbers import shown
from taut.base.secrets import without_secrets
from taut.study.declaration import Declaration, OtherStudyError, differences, several

SERVER = "postgresql+psycopg://user:password@host/database"
_SERVERS = ("postgresql", "postgres", "postgresql+psycopg")
_SHOWN = 5
_NAMED = {"parameters": "[parameters.{}]", "constraints": "[[constraints]] '{}'", "groups": "[[groups]] '{}'"} | {
    "setups": "[[setups]] '{}'"
}


def place(file: Path, storage: str) -> str:
    """The storage a file names, as an absolute path inside its folder or the URL of a server."""
    scheme, url, _ = storage.partition("://")
    if url:
        if scheme not in _SERVERS:
            got = f"one that begins with '{shown(scheme)[1:-1]}://'"
            raise refused("[study] storage", f"a path or a URL like '{SERVER}'", got, "for a file write its name only")
        return storage

    def wrong(expected: str, why: str) -> StudyFileError:
        way_out = f'write for example storage = "{file.stem}.db"'
        return refused("[study] storage", expected, f"{shown(storage)}, which {why}", way_out)

    try:
        folder = file.parent.resolve()
        target = (folder / storage).resolve()
        if not target.is_relative_to(folder) or target == folder:
            raise wrong("a path inside the folder of the study file", "leaves it")
        taken, same = target.is_dir(), target == file.resolve()
        if taken or same or not target.parent.is_dir():
            what = "a folder" if taken else "the study file itself" if same else "one in a folder that does not exist"
            raise wrong("the name of a file for the study", f"is {what}")
        return str(target)
    except (OSError, ValueError, RuntimeError) as error:  # too long, a zero in it, links in a ring
        raise wrong("the name of a file beside the study file", "cannot be a path") from error


def without_password(storage: str) -> str:
    """A path as it is; of a URL, what is no secret."""
    if "://" not in storage:
        return storage
    return str(without_secrets(storage)).partition("?")[0]


def changed(path: str, error: OtherStudyError) -> StudyFileError:
    """The same complaint in the words of a study file: its tables and keys."""
    here, there = _tables(error.declared), _tables(error.stored)
    found = [*differences(here, there, _difference, " "), *_orders(error.declared, error.stored)]
    return StudyFileError(
        f"{path!r}: the study in {error.storage!r} was started with something else than the file says now: "
        f"{several(found, _SHOWN)}; change the file back, or name another storage to begin a new study (taut export "
        "before and taut add after the change take the data along)."
    )


def _tables(declaration: Declaration) -> dict[str, Any]:
    """A declaration as the tables of a file; each value that is given in a tuple, to be compared as a whole."""
    settings = dict(declaration)
    tables = {"[objective]": settings.pop("objective")}
    for kind, label in _NAMED.items():
        tables |= {label.format(entry["name"]): entry for entry in settings.pop(kind, ())}
    tables["[study]"] = settings
    return {
        label: {key: (value,) for key, value in table.items() if value is not None} for label, table in tables.items()
    }


def _difference(label: str, declared: Any, stored: Any) -> str:
    if isinstance(stored, dict):
        return f"{label} is there and not in the file"
    if isinstance(declared, dict):
        return f"{label} is in the file and not there"
    return f"{label} is {_plain(stored)} there and {_plain(declared)} in the file"


def _plain(value: tuple[object] | None) -> str:
    return "not given" if value is None else shown(*value)


def _orders(declared: Declaration, stored: Declaration) -> Iterator[str]:
    for kind in _NAMED:
        here, there = ([entry["name"] for entry in each.get(kind, ())] for each in (declared, stored))
        if here != there and set(here) == set(there):
            yield f"the order of the {kind} is {', '.join(there)} there and {', '.join(here)} in the file"
