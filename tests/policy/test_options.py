"""Options by name and presets: what they change, and how a wrong one is refused."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import taut
from taut import bench
from taut.policy import make
from taut.policy.options import OPTIONS, PAPER, PRESETS, option, settings
from taut.policy.settings import Settings

# A value of every option that is not its default.
OTHER: dict[str, Any] = {
    "prior": "gamma",
    "rho": 1e-9,
    "warp": False,
    "trend": False,
    "rough": False,
    "widen": False,
    "most_values": 300,
    "tails": False,
    "exact": False,
    "quantiles": 9,
    "vectors": 5,
    "delta": 1e-6,
    "subsets": "paper",
    "instalments": False,
    "sceptical": False,
    "finish": False,
    "home": False,
    "meet": False,
    "ahead": False,
    "penalty": -7.5,
    "search_raw": 99,
    "search_starts": 7,
    "draws": 3,
    "inner": 50,
    "raw": 10,
    "starts": 2,
    "paths": 4,
    "width": "theory",
    "width_divisor": 5.0,
    "width_constant": 1.5,
    "recommendation": "certified",
}


def leaves(chosen: Settings) -> Iterator[tuple[str, Any]]:
    """Every field of every stage, stage.field."""
    for name in [stage.name for stage in fields(Settings)]:
        record = getattr(chosen, name)
        yield from ((f"{name}.{each.name}", getattr(record, each.name)) for each in fields(record))


def changed(one: Settings, two: Settings) -> list[str]:
    return [name for (name, a), (_, b) in zip(leaves(one), leaves(two), strict=True) if a != b]


def test_presets() -> None:
    assert PRESETS["default"] == Settings() == settings(None, None) == settings("default", {})
    assert PRESETS["paper"] == PAPER == settings("paper", None)
    by_name = {name for name in OPTIONS if option(PAPER, name) != option(Settings(), name)}
    assert len(by_name) == len(changed(Settings(), PAPER)) > 5  # all of it could be set by name
    assert settings("paper", {"inner": 50, "subsets": "search"}).inner.size == 50


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_changes_one_setting(name: str) -> None:
    made = make("dckg", options={name: OTHER[name]}).settings
    assert option(made, name) == OTHER[name] != option(Settings(), name)
    (one,) = changed(Settings(), made)
    assert one.startswith(f"{OPTIONS[name]}.")


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_is_checked(name: str) -> None:
    """By what its field may hold: a word, true or false, a whole number, another number."""
    right = OTHER[name]
    wrong: list[object] = ["magic", [1], float("nan"), float("inf")]
    if isinstance(right, str):
        wrong += [1, None, True]
    elif isinstance(right, bool):
        wrong += [1, 0.0, None]
    elif name != "penalty":
        wrong += [0, -1, True, *([2.5] if isinstance(right, int) else [])]
    for value in wrong:
        with pytest.raises(taut.ValueRefusedError, match=rf"options: {name} must be .*, got "):
            settings(None, {name: value})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"no": 1}, "unknown option 'no'.*'delta', 'draws'"),
        ({"subsets": "some"}, "subsets must be one of 'paper', 'search', got 'some'"),
        ({"inner": 0}, "inner must be a positive number, got 0"),
        ({"inner": 2.5}, "inner must be a whole number, got 2.5"),
        ({"instalments": 1}, "instalments must be true or false, got 1"),
        ({"penalty": "low"}, "penalty must be a finite number or None, got 'low'"),
        ({"penalty": True}, "penalty must be a finite number or None, got True"),
    ],
)
def test_the_words_of_a_refusal(options: dict[str, object], message: str) -> None:
    with pytest.raises(taut.TautError, match=message):
        taut.Study(bench.problem("mystery").problem, options=options)


@pytest.mark.parametrize("name", ["divisor", "guard_factor", "pure"])
def test_options_that_are_gone_are_refused_by_name(name: str) -> None:
    """Whatever their value was: a study that is opened again must not decide differently in silence."""
    for value in (None, False, "filtered", 1.0):
        with pytest.raises(taut.UnknownNameError, match=f"'{name}' no longer exists"):
            settings(None, {name: value})
    assert name not in OPTIONS


def test_unknown_presets_and_methods() -> None:
    with pytest.raises(taut.UnknownNameError, match="preset.*'default', 'paper', got 'magic'"):
        settings("magic", None)
    with pytest.raises(taut.UnknownNameError, match="method.*'dckg'.*got 'magic'"):
        make("magic")


def test_numpy_numbers_are_options() -> None:
    made = settings(None, {"inner": np.int64(64), "delta": np.float64(1e-6)})
    assert option(made, "inner") == 64 and option(made, "delta") == 1e-6
    assert type(option(made, "inner")) is int and type(option(made, "delta")) is float
