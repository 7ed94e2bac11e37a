"""From the path of a study file to the tables in it."""

import os
import stat
import tomllib
from typing import Any

from taut.base.errors import StudyFileError
from taut.base.numbers import shown

LARGEST_FILE = 1_000_000
"""Bytes. A study file has a few thousand."""
LONGEST_LINE = 4000
"""Characters. The time that Python takes for a key grows with the square of the number of its dots."""


refused = StudyFileError.of


def tables(path: str) -> dict[str, Any]:
    """The tables of a TOML file, whatever they hold. Raises StudyFileError if it cannot be read as one."""
    where, what = repr(path), "a study file (TOML)"
    text = read_text(path, LARGEST_FILE, what, "taut init writes an example")
    if not text.strip():
        expected = "a study file with the tables [study], [parameters.NAME] and [objective]"
        raise refused(where, expected, "an empty file", "taut init writes an example")
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LONGEST_LINE:
            got = f"{len(line)} in line {number}"
            raise refused(where, f"lines of at most {LONGEST_LINE} characters", got, "break a long list after a comma")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        got = "one with too many brackets inside each other"
        raise refused(where, what, got, "write plain lists and tables") from error
    except ValueError as error:  # also what int() says of a number with thousands of digits
        got = f"something that cannot be read as one: {_sentence(error)}"
        way_out = "texts need quotation marks, lists square brackets, and a decimal point is a dot"
        raise refused(where, what, got, way_out) from error


def read_text(path: str, largest: int, what: str, advice: str) -> str:
    """The text of a small file of the user, in UTF-8 with or without a byte-order mark."""
    content = _read_bytes(path, largest, what, advice)
    expected = f"{what}, which is text in UTF-8"
    if b"\0" in content:
        way_out = f"save it as UTF-8, or name another file ({advice})"
        raise refused(repr(path), expected, "a binary file or another encoding", way_out)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        got = f"the byte 0x{content[error.start]:02x} in line {line}"
        raise refused(repr(path), expected, got, "save it as UTF-8 in your editor") from error


def _read_bytes(path: str, largest: int, what: str, advice: str) -> bytes:
    where = repr(path)
    try:
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise refused(where, what, "a folder", f"name the file in it ({advice})")
        if not stat.S_ISREG(found.st_mode):  # reading a pipe or a device may never end
            raise refused(where, what, "no ordinary file", f"name another one ({advice})")
        with open(path, "rb") as file:
            content = file.read(largest + 1)
    except FileNotFoundError as error:
        raise refused(where, what, "nothing of that name", f"check the name and the folder ({advice})") from error
    except (OSError, ValueError) as error:  # ValueError: a path with a zero in it
        got = f"one that cannot be read ({reason(error)})"
        raise refused(shown(path), what, got, "check its permissions or its name") from error
    if len(content) > largest:
        raise refused(where, f"{what} of at most {largest / 1e6:g} MB", "a larger one", f"name another ({advice})")
    return content


def reason(error: OSError | ValueError) -> str:
    """What the operating system says, without numbers and names."""
    return getattr(error, "strerror", None) or str(error)


def _sentence(error: ValueError) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return text[:1].lower() + text[1:200]
