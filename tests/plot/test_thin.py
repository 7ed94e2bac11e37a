"""Fewer points of many."""

from taut.plot.thin import evenly


def test_the_ends_stay() -> None:
    assert evenly(3, 5).tolist() == [0, 1, 2]
    assert evenly(0, 5).tolist() == []
    found = evenly(1000, 11).tolist()
    assert found[0] == 0 and found[-1] == 999 and len(found) == 11
