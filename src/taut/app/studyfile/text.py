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


def tables(path: str) -> dict[str, Any]:
    """The tables of a TOML file, whatever they hold. Raises StudyFileError if it cannot be read as one."""
    text = read_text(path, LARGEST_FILE, "a study file (TOML)", "taut init writes an example")
    if not text.strip():
        raise StudyFileError(
            f"{path!r}: expected a study file with the tables [study], [parameters.NAME] and [objective], got an empty "
            "file; taut init writes an example."
        )
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LONGEST_LINE:
            raise StudyFileError(
                f"{path!r}: expected lines of at most {LONGEST_LINE} characters, got {len(line)} in line {number}; "
                "break a long list after a comma."
            )
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise StudyFileError(
            f"{path!r}: expected a study file (TOML), got one with too many brackets inside each other; write plain "
            "lists and tables."
        ) from error
    except ValueError as error:  # also what int() says of a number with thousands of digits
        raise StudyFileError(
            f"{path!r}: expected a study file (TOML), got something that cannot be read as one: {_sentence(error)}; "
            "texts need quotation marks, lists square brackets, and a decimal point is a dot."
        ) from error


def read_text(path: str, largest: int, what: str, advice: str) -> str:
    """The text of a small file of the user, in UTF-8 with or without a byte-order mark."""
    content = _read_bytes(path, largest, what, advice)
    if b"\0" in content:
        raise StudyFileError(
            f"{path!r}: expected {what}, which is text in UTF-8, got a binary file or another encoding; save it as "
            f"UTF-8, or name another file ({advice})."
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise StudyFileError(
            f"{path!r}: expected {what}, which is text in UTF-8, got the byte 0x{content[error.start]:02x} in line "
            f"{line}; save it as UTF-8 in your editor."
        ) from error


def _read_bytes(path: str, largest: int, what: str, advice: str) -> bytes:
    try:
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise StudyFileError(f"{path!r}: expected {what}, got a folder; name the file in it ({advice}).")
        if not stat.S_ISREG(found.st_mode):  # reading a pipe or a device may never end
            raise StudyFileError(f"{path!r}: expected {what}, got no ordinary file; name another one ({advice}).")
        with open(path, "rb") as file:
            content = file.read(largest + 1)
    except FileNotFoundError as error:
        raise StudyFileError(
            f"{path!r}: expected {what}, got nothing of that name; check the name and the folder ({advice})."
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a path with a zero in it
        why = getattr(error, "strerror", None) or str(error)
        raise StudyFileError(
            f"{shown(path)}: expected {what}, got one that cannot be read ({why}); check its permissions or its name."
        ) from error
    if len(content) > largest:
        raise StudyFileError(
            f"{path!r}: expected {what} of at most {largest / 1e6:g} MB, got a larger one; name another ({advice})."
        )
    return content


def _sentence(error: ValueError) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return text[:1].lower() + text[1:200]
