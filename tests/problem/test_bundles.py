"""Groups, setups and measured costs: what fits together."""

import pytest

import taut
from taut.problem.bundles import Bundle


def problem(cost: object = 1.0, groups: tuple[taut.Group, ...] = (), **parts: object) -> taut.Problem:
    return taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f", cost=cost),  # type: ignore[arg-type]
        [taut.Constraint("c", at_most=0.0, cost=cost), taut.Constraint("g", at_most=0.0, cost=cost)],  # type: ignore[arg-type]
        groups,
        **parts,  # type: ignore[arg-type]
    )


def test_a_setup_is_paid_once_by_several() -> None:
    made = problem(2.0, setups=[taut.Setup("mesh", ("c", "g"), cost=10.0)])
    assert [made.cost(names) for names in (["f"], ["c"], ["c", "g"], ["f", "c", "g"])] == [2.0, 12.0, 14.0, 16.0]
    assert taut.Problem.from_dict(made.to_dict()) == made
    assert not made.measured


def test_a_setup_of_a_grouped_function_is_that_of_the_group() -> None:
    made = problem(groups=(taut.Group("fc", ("f", "c"), 5.0),), setups=[taut.Setup("mesh", ["c"], 10.0)])
    assert (made.cost(["f"]), made.cost(["g"])) == (15.0, 1.0)


def test_measured_costs_are_one_before_anything_is_known() -> None:
    made = problem("measured", setups=[taut.Setup("mesh", ("c", "g"), "measured")])
    assert made.measured
    assert made.bundles[0] == Bundle("f", ("f",), 1.0)
    assert taut.Problem.from_dict(made.to_dict()) == made


def test_a_declaration_without_setups_is_as_it_was() -> None:
    assert "setups" not in problem().to_dict()


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"setups": [taut.Setup("mesh", ("c", "h"), 1.0)]}, ["Setup 'mesh'", "'h' is unknown", "'f', 'c', 'g'"]),
        (
            {"setups": [taut.Setup("a", ["c"], 1.0), taut.Setup("b", ["c"], 1.0)]},
            ["'c'", "one setup only", "'a'", "'b'"],
        ),
        ({"setups": [taut.Setup("c", ["c"], 1.0)]}, ["Setup 'c'", "rename"]),
        ({"setups": [taut.Setup("a", ["c"], 1.0), taut.Setup("a", ["g"], 1.0)]}, ["setups", "'a' 2 times"]),
        ({"setups": [taut.Setup("a", ["c"], "measured")]}, ["all measured or all given", "'a'", "'f', 'c', 'g'"]),
        ({"groups": (taut.Group("fc", ("f", "c"), "measured"),)}, ["'measured' for 'fc'", "number for 'g'"]),
        ({"setups": "mesh"}, ["setups", "taut.Setup"]),
    ],
)
def test_what_does_not_fit_is_refused(parts: dict[str, object], words: list[str]) -> None:
    with pytest.raises(taut.TautError) as caught:
        problem(**parts)  # type: ignore[arg-type]
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_group_replaces_given_costs_but_not_a_measured_one() -> None:
    functions = [taut.Constraint("c", at_most=0.0, cost="measured")]
    with pytest.raises(taut.ProblemError, match="all measured or all given"):
        taut.Problem(
            [taut.Real("x", 0.0, 1.0)], taut.Objective("f"), functions, groups=[taut.Group("fc", ("f", "c"), 5.0)]
        )
    both = taut.Problem(
        [taut.Real("x", 0.0, 1.0)], taut.Objective("f"), functions, groups=[taut.Group("fc", ("f", "c"), "measured")]
    )
    assert both.measured


@pytest.mark.parametrize("cost", ["often", 0.0, -1.0, float("nan"), None])
def test_a_cost_is_a_number_or_measured(cost: object) -> None:
    with pytest.raises(taut.ProblemError, match="above 0.*or 'measured'"):
        taut.Setup("mesh", ["c"], cost)  # type: ignore[arg-type]


@pytest.mark.parametrize("functions", ["c", 3, [], ["c", "c"], [1]])
def test_members_are_names(functions: object) -> None:
    with pytest.raises(taut.ProblemError, match="Setup 'mesh': functions"):
        taut.Setup("mesh", functions, 1.0)  # type: ignore[arg-type]
