"""Passwords in URLs: a message may quote what a user wrote, and must not repeat those.

Whatever stands where a password could stand is left out, also in a URL that is wrong in some way; that more is left out
than need be does no harm.
"""

import re
from typing import Any

MASK = "***"
HARMLESS = ("host", "port", "dbname", "user", "sslmode", "connect_timeout", "application_name", "options")
"""Keys behind the ? of a URL whose values are shown; any other may hold a secret, or name a file with one."""

_EXAMPLE = "user:password@host"  # how messages show where a password is to be written
_START = rf"\b(?!(?i:sqlite|file)\b)([A-Za-z][\w+.-]+:/+(?!/)(?!{_EXAMPLE})"  # scheme and user, up to the colon
_WHOLE = re.compile(rf"{_START}[^:\s'\"]*):.*@", re.DOTALL)
_WORD = re.compile(rf"{_START}[^:\s'\"]*):[^\s'\"]*@")  # to the last @: a password may have some
_CUT = re.compile(rf"{_START}[^:/@?\s'\"\[]*):(?!\d+(?:[/?,;\s'\".)]|$))(?![*]{{3}}@)[^\s'\"]+")  # no @: never a port
_QUERY = re.compile(rf"{_START}[^\s'\"?]*\?)([^\s'\"]+)")
_PAIR = re.compile(r"(?i)\b((?:ssl|pg)?pass(?:word|file)\s*=\s*)[^\s&]+")  # as in "host=here password=SECRET"


def hidden(text: str) -> str:
    """The text without passwords: `scheme://user:PASSWORD@host/database?key=SECRET` shows neither."""
    if ":/" not in text:
        return text
    text = _CUT.sub(rf"\1:{MASK}", _WORD.sub(rf"\1:{MASK}@", text))
    return _QUERY.sub(lambda found: found[1] + "&".join(map(_pair, found[2].split("&"))), text)


def without_secrets(value: Any) -> Any:
    """A value that a user gave, such as a text or a list of texts; a text is taken as one URL if it begins like one."""
    if isinstance(value, str):
        return _PAIR.sub(rf"\1{MASK}", hidden(_WHOLE.sub(rf"\1:{MASK}@", value)))
    if type(value) in (list, tuple):
        return type(value)(map(without_secrets, value))
    if type(value) is dict:
        return {without_secrets(name): without_secrets(each) for name, each in value.items()}
    return value


def _pair(text: str) -> str:
    key, equals, _ = text.partition("=")
    return text if key in HARMLESS else f"{key}={MASK}" if equals else MASK
