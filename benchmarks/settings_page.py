"""Prints docs/settings.md from the declarations of the settings: python benchmarks/settings_page.py"""

from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any

from taut.base.ascend import AscentOptions
from taut.base.distinct import BEST_APART as APART
from taut.base.distinct import ApartSettings
from taut.base.domain import DOMAIN, DomainSettings
from taut.base.levels import LEVELS, LevelSettings
from taut.data.durations import DURATIONS, DurationSettings
from taut.data.edges import EDGES, EdgeSettings
from taut.data.known import KNOWN, KnownSettings
from taut.policy.options import FIELDS, OPTIONS, PRESETS, option
from taut.policy.settings import BY_DIMENSION, Settings
from taut.study.initial import INITIAL, InitialSettings

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
HEAD = """# Every number that may change a decision

This page is printed from the declarations in `policy/settings.py`, `surrogate/settings.py` and
`acquisition/settings.py` by `make settings-page`. Lengths are in the unit cube unless said otherwise. Where a value
depends on the number of parameters d, it is given for d <= 2, d = 3 and more. Ascents are given by what differs from
the default of `base/ascend.py`. Options are the names under which users set a value (`options={"raw": 80}`); the
paper's preset changes those in the last table.
"""

COLUMNS = "| setting | value | meaning | where it comes from | option |\n| --- | --- | --- | --- | --- |"


def shown(value: Any) -> str:
    """A value as it would be typed, ascents by what they change."""
    if isinstance(value, AscentOptions):
        default = AscentOptions()
        changed = [f.name for f in fields(value) if getattr(value, f.name) != getattr(default, f.name)]
        return ", ".join(f"{name} {_number(getattr(value, name))}" for name in changed)
    if isinstance(value, tuple):
        return ", ".join(_number(each) for each in value)
    return _number(value)


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def default(stage: str, name: str, value: Any) -> str:
    """The value, or what it becomes by the number of parameters."""
    if value is not None:
        return shown(value)
    by_size = [table.get(stage, {}).get(name) for _, table in BY_DIMENSION]
    return "none" if by_size == [None] * 3 else " / ".join(shown(each) for each in by_size)


def rows(stage: str, record: Any) -> list[str]:
    """One row of a table for every knob of a record, those of records inside it included."""
    by_field = {(OPTIONS[name], FIELDS.get(name, name)): name for name in OPTIONS}
    found = []
    for each in fields(record):
        value = getattr(record, each.name)
        if "meaning" not in each.metadata:
            if is_dataclass(value) and not isinstance(value, AscentOptions):
                found += rows(stage, value)
            continue
        name = by_field.get((stage, each.name))
        named = "" if name is None else f"`{name}`"
        cells = [
            f"`{each.name}`",
            default(stage, each.name, value),
            each.metadata["meaning"],
            each.metadata["source"],
            named,
        ]
        found.append("| " + " | ".join(cells) + " |")
    return found


def page() -> str:
    """The whole page."""
    chosen, parts = Settings(), [HEAD]
    for each in fields(chosen):
        record = getattr(chosen, each.name)
        doc = (type(record).__doc__ or "").split("\n\n")[0].replace("\n    ", " ")
        head = f"\n## {each.name}\n\n{doc}\n\n{COLUMNS}"
        parts.append("\n".join([head, *rows(each.name, record)]) + "\n")
    parts.append("\n".join([f"\n## starts\n\n{ApartSettings.__doc__}\n\n{COLUMNS}", *rows("starts", APART)]) + "\n")
    words = f"\n## initial design\n\n{InitialSettings.__doc__}\n\n{COLUMNS}"
    parts.append("\n".join([words, *rows("initial", INITIAL)]) + "\n")
    words = f"\n## discrete parameters\n\n{DomainSettings.__doc__} {LevelSettings.__doc__}\n\n{COLUMNS}"
    parts.append("\n".join([words, *rows("domain", DOMAIN), *rows("levels", LEVELS)]) + "\n")
    words = f"\n## values on a limit\n\n{EdgeSettings.__doc__}\n\n{COLUMNS}"
    parts.append("\n".join([words, *rows("edges", EDGES)]) + "\n")
    words = f"\n## measured costs\n\n{DurationSettings.__doc__}\n\n{COLUMNS}"
    parts.append("\n".join([words, *rows("durations", DURATIONS)]) + "\n")
    words = f"\n## known functions\n\n{KnownSettings.__doc__}\n\n{COLUMNS}"
    parts.append("\n".join([words, *rows("known", KNOWN)]) + "\n")
    differ = [name for name in OPTIONS if option(PRESETS["paper"], name) != option(PRESETS["default"], name)]
    table = [f"| `{name}` | {shown(option(PRESETS['paper'], name))} |" for name in differ]
    parts.append("\n".join(["\n## The paper's preset", "", "| option | value |", "| --- | --- |", *table]) + "\n")
    return "".join(parts)


def unsourced() -> list[str]:
    """Numbers of the settings without a meaning or a source."""

    def inside(stage: str, record: Any) -> list[str]:
        bare: list[str] = []
        for each in fields(record):
            value = getattr(record, each.name)
            if is_dataclass(value) and not isinstance(value, AscentOptions):
                bare += inside(f"{stage}.{each.name}", value)
            elif not _declared(each):
                bare.append(f"{stage}.{each.name}")
        return bare

    return inside("settings", Settings()) + inside("durations", DURATIONS) + inside("known", KNOWN)


def _declared(each: "Field[Any]") -> bool:
    known = each.metadata.get("meaning"), each.metadata.get("source")
    return all(isinstance(word, str) and word for word in known) and each.default is not MISSING


if __name__ == "__main__":
    PAGE.write_text(page())
