"""Names of a host, and ours."""

from taut.hosts.names import Renamed, clean


def test_names() -> None:
    assert clean("data:wing:span") == "data_wing_span" and clean("0x") == "_0x"
    assert clean("a", ["a", "a_2"]) == "a_3"


def test_there_and_back() -> None:
    renamed = Renamed.of(["a:b", "a/b", "plain"], taken=["a_b"])
    assert renamed.ours == {"a:b": "a_b_2", "a/b": "a_b_3"} and renamed.name("plain") == "plain"
    row = {"a:b": 1, "a/b": 2, "plain": 3, "a_b": 4}
    ours = renamed.to_ours(row)
    assert ours == {"a_b_2": 1, "a_b_3": 2, "plain": 3, "a_b": 4} and renamed.to_theirs(ours) == row
