"""The tree of errors and the words of their messages."""

import pytest

from taut.base import errors
from taut.base.errors import StoppedError, StudyError, TautError, listed, way_out


def test_every_error_is_a_taut_error() -> None:
    found = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    assert len(found) == 8 and all(issubclass(each, TautError) for each in found)
    assert issubclass(StoppedError, StudyError)


def test_names_are_listed() -> None:
    assert listed(["a", "b"]) == "'a', 'b'" and listed([]) == "nothing"


@pytest.mark.parametrize(
    "name, words",
    [("lenght", "the closest is 'length'"), ("zzz", "write for example 'mass'"), (3, "write for example 'mass'")],
)
def test_the_way_out_of_an_unknown_name(name: object, words: str) -> None:
    assert way_out(name, ["mass", "length"]) == words
