"""Names as a host has them, made into names that taut takes."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True)
class Renamed:
    """Which names of a host are others in taut. ours: by the host's name, only those that differ."""

    ours: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(names: Iterable[str], taken: Iterable[str] = ()) -> "Renamed":
        """taken: other names that a row holds."""
        used, found = [*taken], {}
        for name in names:
            free = clean(name, used)
            used.append(free)
            if free != name:
                found[name] = free
        return Renamed(found)

    def name(self, theirs: str) -> str:
        return self.ours.get(theirs, theirs)

    def to_ours(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row of the host's names by ours."""
        return {self.name(key): value for key, value in row.items()}

    def to_theirs(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row of our names by the host's."""
        theirs = {ours: name for name, ours in self.ours.items()}
        return {theirs.get(key, key): value for key, value in row.items()}
