"""Names as a host has them, made into names that taut takes."""

import re
from collections.abc import Iterable

_REFUSED = re.compile(r"[^A-Za-z0-9_.\-]")


def clean(name: str, taken: Iterable[str] = ()) -> str:
    """The name with "_" for whatever taut does not take (wing:span), and a number behind it if it is taken."""
    found = _REFUSED.sub("_", name)
    if not re.match(r"[A-Za-z_]", found):
        found = f"_{found}"
    used, number, free = set(taken), 1, found
    while free in used:
        number += 1
        free = f"{found}_{number}"
    return free
