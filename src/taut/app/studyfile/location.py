"""Where a study file keeps its study, and whether the study kept there is the one the file describes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from taut.base.errors import StudyFileError
from taut.base.numbers import shown

SERVER = "postgresql+psycopg://user:password@host/database"
_SERVERS = ("postgresql", "postgres", "postgresql+psycopg")
_SHOWN = 5


def place(path: str, file: Path, storage: str) -> str:
    """The storage a file names, as an absolute path inside its folder or the URL of a server."""
    scheme, url, _ = storage.partition("://")
    if url:
        if scheme not in _SERVERS:
            raise StudyFileError(
                f"{path!r}: [study] storage: expected a path or a URL like '{SERVER}', got one that begins with "
                f"'{shown(scheme)[1:-1]}://'; for a file write its name only."
            )
        return storage
    try:
        folder = file.parent.resolve()
        target = (folder / storage).resolve()
        inside, occupied = target.is_relative_to(folder) and target != folder, target.is_dir()
        same = target == file.resolve()
    except (OSError, ValueError, RuntimeError) as error:  # too long, a zero in it, links in a ring
        raise StudyFileError(
            f"{path!r}: [study] storage: expected the name of a file beside the study file, got {shown(storage)}, "
            f'which cannot be a path; write for example storage = "{file.stem}.db".'
        ) from error
    if not inside:
        raise StudyFileError(
            f"{path!r}: [study] storage: expected a path inside the folder of the study file, got {shown(storage)}, "
            f'which leaves it; write for example storage = "{file.stem}.db".'
        )
    if occupied or same or not target.parent.is_dir():
        what = "a folder" if occupied else "the study file itself" if same else "one in a folder that does not exist"
        raise StudyFileError(
            f"{path!r}: [study] storage: expected the name of a file for the study, got {shown(storage)}, which is "
            f'{what}; write for example storage = "{file.stem}.db".'
        )
    return str(target)


def without_password(storage: str) -> str:
    """A path as it is; of a URL, what is no secret."""
    if "://" not in storage:
        return storage
    from sqlalchemy import make_url  # slow to import, and an extra

    return make_url(storage).set(query={}).render_as_string(hide_password=True)


def check_same(
    path: str, where: str, here: tuple[Mapping[str, Any], ...], there: tuple[Mapping[str, Any], ...]
) -> None:
    """Raise if a problem and its settings, both as plain dicts, are not those kept in the storage `where`."""
    found = list(_differences(here[0], there[0])) + [
        _differs(f"[study] {key}", there[1].get(key), value)
        for key, value in here[1].items()
        if there[1].get(key) != value
    ]
    if not found:
        return
    more = f" (and {len(found) - _SHOWN} more)" if len(found) > _SHOWN else ""
    raise StudyFileError(
        f"{path!r}: the study in {where!r} was started with something else than the file says now: "
        f"{'; '.join(found[:_SHOWN])}{more}; change the file back, or name another storage to begin a new study "
        "(taut export before and taut add after the change take the data along)."
    )


def _differences(here: Mapping[str, Any], there: Mapping[str, Any]) -> Iterator[str]:
    for key, value in here["objective"].items():
        if there["objective"].get(key) != value:
            yield _differs(f"[objective] {key}", there["objective"].get(key), value)
    for what, label in (
        ("parameters", "[parameters.{}]"),
        ("constraints", "[[constraints]] '{}'"),
        ("groups", "[[groups]] '{}'"),
    ):
        yield from _named(
            label, {each["name"]: each for each in here[what]}, {each["name"]: each for each in there[what]}
        )


def _named(label: str, here: Mapping[str, Mapping[str, Any]], there: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for name in there:
        if name not in here:
            yield f"{label.format(name)} is there and not in the file"
    for name, entry in here.items():
        if name not in there:
            yield f"{label.format(name)} is in the file and not there"
            continue
        for key, value in entry.items():
            if there[name].get(key) != value:
                yield _differs(f"{label.format(name)} {key}", there[name].get(key), value)
    if set(here) == set(there) and list(here) != list(there):
        kind = label.partition(".")[0].partition(" ")[0].strip("[]")
        yield f"the order of the {kind} is {', '.join(there)} there and {', '.join(here)} in the file"


def _differs(what: str, there: object, here: object) -> str:
    return f"{what} is {_plain(there)} there and {_plain(here)} in the file"


def _plain(value: object) -> str:
    return "not given" if value is None else shown(value)
