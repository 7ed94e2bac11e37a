"""The first instalment of a set: the bundle most likely to spoil the point, per cost."""

import numpy as np
import pytest
from states import chosen, context, known

from taut.policy.instalments import first_instalment

FAST = chosen(search_raw=96, search_starts=6)


@pytest.mark.parametrize("dear", ["c1", "c2", "c3", "f"])
def test_what_is_bought_first_spoils_most_per_cost(dear: str) -> None:
    made = context(known("test_function_2", 12, costs=((dear, 1e6),)), FAST)
    x = np.array([0.3, 0.6])
    whole = made.menu.candidate(x, made.menu.everything, 2.0)
    part, why = first_instalment(made, whole)
    assert part.S in made.menu.bundles and np.array_equal(part.x, x)
    assert made.names[part.S[0]] != dear
    assert part.value == pytest.approx(2.0 * part.cost / whole.cost)
    assert why.startswith(f"{made.names[part.S[0]]}: first instalment of f+c1+c2+c3")
    if part.S[0] > 0:
        doubts = 1.0 - made.feasibilities(x)
        rates = doubts / [made.menu.cost((k,)) for k in range(1, len(made.names))]
        assert part.S[0] == 1 + int(np.argmax(rates))
