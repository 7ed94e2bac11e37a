"""Slices and boundaries on the page: what matters most, if there is much."""

from dataclasses import replace

from shown import known, known_beliefs, known_facts, sound

from taut.plot.page import shape


def test_a_panel_for_every_function_and_parameter() -> None:
    page = sound(shape.slices(known_facts(known()), known_beliefs()))
    assert page.tags.count("figure") == 3 * 2 and "left out" not in page.text


def test_of_many_parameters_some_are_left_out() -> None:
    found = known_beliefs()
    many = replace(found, slices=tuple(replace(each) for each in found.slices * 5))
    page = sound(shape.slices(known_facts(known()), many))
    assert page.tags.count("figure") == 3 * shape.PARAMETERS and "4 parameters are left out" in page.text


def test_a_map_for_every_plane() -> None:
    page = sound(shape.boundaries(known_facts(known()), known_beliefs()))
    assert page.tags.count("figure") == 1 and "limit of stress" in page.text


def test_a_method_that_says_nothing_of_other_places() -> None:
    nothing = replace(known_beliefs(), slices=(), planes=())
    assert "does not say" in shape.slices(known_facts(known()), nothing)
    assert "does not say" in shape.boundaries(known_facts(known()), nothing)
