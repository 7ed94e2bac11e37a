"""Sizes by the number of parameters."""

from dataclasses import fields

from taut.policy.settings import Settings
from taut.policy.sizes import BY_DIMENSION


def test_every_number_of_parameters_has_its_sizes_and_nothing_stays_open() -> None:
    assert [most for most, _ in BY_DIMENSION] == sorted(most for most, _ in BY_DIMENSION)
    for d in (1, 2, 3, 4, 20):
        chosen = Settings().for_problem(d)
        for stage in (field.name for field in fields(Settings)):
            named = {name for _, table in BY_DIMENSION for name in table.get(stage, {})}
            assert all(getattr(getattr(chosen, stage), name) is not None for name in named)


def test_a_table_names_settings_that_exist_and_are_open_by_default() -> None:
    for _, table in BY_DIMENSION:
        for stage, values in table.items():
            assert all(getattr(getattr(Settings(), stage), name) is None for name in values)
