"""Numbers from outside: what counts as one, how large it may be, how it is shown."""

import numpy as np
import pytest

from taut.base.errors import ProblemError
from taut.base.numbers import LARGEST, LONGEST, as_float, bound, cost, fits, flag, noise, shown


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2.0), np.int64(2), np.array(2.0), np.array([2.0])])
def test_numbers_of_any_kind(value: object) -> None:
    assert as_float(value) == 2.0


class Unwilling:
    """Raises whatever is asked of it."""

    def __float__(self) -> float:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("value", [True, "2", b"2", None, [2.0], np.array([1.0, 2.0]), np.bool_(True), Unwilling()])
def test_what_is_no_number(value: object) -> None:
    assert as_float(value) is None


@pytest.mark.parametrize(
    "value, ok", [(LARGEST, True), (-LARGEST, True), (2.0 * LARGEST, False), (np.nan, False), (None, False)]
)
def test_a_number_fits_if_its_square_does(value: float | None, ok: bool) -> None:
    assert fits(value) is ok


def test_what_is_shown_is_short_and_never_raises() -> None:
    assert shown("a") == "'a'"
    assert len(shown("a" * 1000)) == LONGEST and shown("a" * 1000).endswith("...")
    assert "Unwilling" in shown(Unwilling())
    assert "int" in shown(10**5000)


@pytest.mark.parametrize(
    "check, value",
    [
        (lambda v: bound("x", v, "way out"), np.inf),
        (lambda v: bound("x", v, "way out"), "1"),
        (lambda v: flag("x", v), 1),
        (lambda v: cost("x", v), 0.0),
        (lambda v: cost("x", v), 1e-200),
        (lambda v: noise("x", v), 0.0),
        (lambda v: noise("x", v), "known"),
    ],
)
def test_a_refusal_names_the_thing_what_came_and_the_way_out(check: object, value: object) -> None:
    with pytest.raises(ProblemError, match=r"^x\b.*got .*; .*\.$"):
        check(value)  # type: ignore[operator]


def test_what_is_taken() -> None:
    assert bound("x", np.float64(3.0), "") == 3.0
    assert flag("x", np.bool_(True)) is True
    assert cost("x", 2) == 2.0
    assert (noise("x", None), noise("x", "learned"), noise("x", 0.1)) == (None, "learned", 0.1)
