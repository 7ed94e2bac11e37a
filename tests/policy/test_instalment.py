"""What is bought first of a set."""

import numpy as np
import pytest
from states import chosen, context, known

from taut.policy.instalment import instalment, surpasses

FAST = chosen(search_raw=128, search_starts=6)


def test_the_most_likely_to_spoil_the_point_per_cost_comes_first() -> None:
    for costs in ((), (("f", 50.0),), (("c1", 50.0), ("c2", 50.0), ("c3", 50.0))):
        made = context(known("test_function_2", 10, 0, costs), FAST)
        x = np.array([0.3, 0.6])
        part, why = instalment(made, made.menu.candidate(x, made.menu.everything, 1.0))
        spoil = 1.0 - np.array([surpasses(made, x), *made.feasibilities(x)])
        assert part.S == (int(np.argmax(spoil / [made.menu.cost((k,)) for k in range(4)])),)
        assert (
            part.value == pytest.approx(part.cost / made.menu.cost(made.menu.everything)) and "first instalment" in why
        )


def test_a_place_surpasses_the_recommendation_with_even_odds_at_itself() -> None:
    made = context(known("mystery", 12), FAST)
    assert surpasses(made, made.optimum.x) == pytest.approx(0.5)
