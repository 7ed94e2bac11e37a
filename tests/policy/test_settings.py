"""Settings: every number says what it means and where it comes from, options by name, presets, sizes by dimension."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

from taut.policy.options import PRESETS, option, settings
from taut.policy.settings import Settings

STAGES = {stage.name: getattr(Settings(), stage.name) for stage in fields(Settings)}
OWN = [name for name, record in STAGES.items() if type(record).__module__ == Settings.__module__]


def leaves(chosen: Settings) -> Iterator[tuple[str, Any]]:
    """Every field of every stage, stage.field."""
    for name in STAGES:
        record = getattr(chosen, name)
        yield from ((f"{name}.{each.name}", getattr(record, each.name)) for each in fields(record))


def changed(one: Settings, two: Settings) -> list[str]:
    return [name for (name, a), (_, b) in zip(leaves(one), leaves(two), strict=True) if a != b]


@pytest.mark.parametrize("stage", OWN)
def test_every_field_says_what_it_means_and_where_its_value_comes_from(stage: str) -> None:
    for each in fields(STAGES[stage]):
        for word in ("meaning", "source"):
            assert each.metadata.get(word, "").strip(), f"{stage}.{each.name} has no {word}"


@pytest.mark.parametrize("d", [1, 2, 3, 4, 30])
def test_for_a_problem_nothing_is_left_open_but_the_penalty(d: int) -> None:
    for preset in PRESETS.values():
        sized = preset.for_problem(d)
        assert [name for name, value in leaves(sized) if value is None] == ["optimum.penalty"]
        assert sized.for_problem(d) == sized


def test_searches_grow_with_the_number_of_parameters() -> None:
    plane, space, more = (Settings().for_problem(d) for d in (2, 3, 4))
    for name in ("inner", "raw", "search_raw"):
        assert option(plane, name) < option(space, name) == option(more, name)
    assert Settings().for_problem(1) == plane and Settings().for_problem(20) == more
    for narrow, wide in ((plane, more), (space, more)):
        assert not narrow.climb.follow and wide.climb.follow
        assert not narrow.sets.coupled_everywhere and wide.sets.coupled_everywhere


def test_what_is_set_is_not_chosen() -> None:
    mine = settings(None, {"inner": 50, "raw": 10, "search_raw": 99})
    for d in (1, 3, 9):
        sized = mine.for_problem(d)
        assert [option(sized, name) for name in ("inner", "raw", "search_raw")] == [50, 10, 99]
