"""Small analytic problems with two parameters: Mystery, constrained Branin, Test Function 2, Gramacy.

All are stated as "maximise f subject to c <= 0". The optima were polished to float64 accuracy and
confirmed by interval branch and bound.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from taut.bench.definition import Definition


def mystery_f(x: Sequence[float]) -> float:
    """-2 - 0.01 (x2 - x1^2)^2 - (1 - x1)^2 - 2 (2 - x2)^2 - 7 sin(x1/2) sin(0.7 x1 x2)."""
    x1, x2 = x
    bowl = 0.01 * (x2 - x1**2) ** 2 + (1 - x1) ** 2 + 2 * (2 - x2) ** 2
    return -2 - bowl - 7 * math.sin(0.5 * x1) * math.sin(0.7 * x1 * x2)


def mystery_c(x: Sequence[float]) -> float:
    """-sin(x1 - x2 - pi/8): feasible on 48 % of the box, in two separate pieces."""
    x1, x2 = x
    return -math.sin(x1 - x2 - math.pi / 8)


def redundant_c(x: Sequence[float]) -> float:
    """The constant -100: a constraint that always holds."""
    return -100.0


def branin_f(x: Sequence[float]) -> float:
    """(x1 - 10)^2 + (x2 - 15)^2: the distance to the upper right corner, between 0 and 450."""
    x1, x2 = x
    return (x1 - 10) ** 2 + (x2 - 15) ** 2


def branin_c(x: Sequence[float]) -> float:
    """The Branin function minus 5: feasible on 8.5 % of the box, in three islands of equal size."""
    x1, x2 = x
    valley = x2 - 5.1 / (4 * math.pi**2) * x1**2 + 5 / math.pi * x1 - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x1) + 5


def tf2_f(x: Sequence[float]) -> float:
    """(x1 - 1)^2 + (x2 - 0.5)^2."""
    x1, x2 = x
    return (x1 - 1) ** 2 + (x2 - 0.5) ** 2


def tf2_c1(x: Sequence[float]) -> float:
    """[(x1 - 3)^2 + (x2 + 2)^2] exp(-x2^7) - 12: the exponential multiplies both squares."""
    x1, x2 = x
    return ((x1 - 3) ** 2 + (x2 + 2) ** 2) * math.exp(-(x2**7)) - 12


def tf2_c1_printed(x: Sequence[float]) -> float:
    """(x1 - 3)^2 + (x2 + 1)^2 - 12: a misprint, implied by the other constraints."""
    x1, x2 = x
    return (x1 - 3) ** 2 + (x2 + 1) ** 2 - 12


def tf2_c1_partial_exp(x: Sequence[float]) -> float:
    """(x1 - 3)^2 + (x2 + 2)^2 exp(-x2^7) - 12: the exponential multiplies the second square only."""
    x1, x2 = x
    return (x1 - 3) ** 2 + (x2 + 2) ** 2 * math.exp(-(x2**7)) - 12


def tf2_c2(x: Sequence[float]) -> float:
    """10 x1 + x2 - 7: cuts off 35 % of the box, yet dropping it leaves the optimum where it is."""
    x1, x2 = x
    return 10 * x1 + x2 - 7


def tf2_c3(x: Sequence[float]) -> float:
    """(x1 - 0.5)^2 + (x2 - 0.5)^2 - 0.2: a disc."""
    x1, x2 = x
    return (x1 - 0.5) ** 2 + (x2 - 0.5) ** 2 - 0.2


def gramacy_f(x: Sequence[float]) -> float:
    """-(x1 + x2)."""
    x1, x2 = x
    return -(x1 + x2)


def gramacy_c1(x: Sequence[float]) -> float:
    """1.5 - x1 - 2 x2 - 0.5 sin(2 pi (x1^2 - 2 x2))."""
    x1, x2 = x
    return 1.5 - x1 - 2 * x2 - 0.5 * math.sin(2 * math.pi * (x1**2 - 2 * x2))


def gramacy_c2(x: Sequence[float]) -> float:
    """x1^2 + x2^2 - 1.5: inactive at the optimum."""
    x1, x2 = x
    return x1**2 + x2**2 - 1.5


MYSTERY = Definition(
    name="mystery",
    description=(
        "Mystery (Sasena 2002). One constraint, which binds; 48 % of the box is feasible, in two pieces. f "
        "is positive on 2.5 % of the box only; its unconstrained maximum 1.4565 is infeasible, the next "
        "feasible local optimum is -4.197."
    ),
    bounds=((0.0, 5.0), (0.0, 5.0)),
    objective=mystery_f,
    constraints=(mystery_c,),
    optimum=1.1742743288663489,
    solution=(2.744951046552263, 2.3522519648535387),
    active=(1,),
    penalty=-40.0,
    ranges=(2.0,),
)

MYSTERY_REDUNDANT8 = replace(
    MYSTERY,
    name="mystery_redundant8",
    description="Mystery with eight further constraints c2..c9 that are the constant -100 and never matter.",
    constraints=(mystery_c, *[redundant_c] * 8),
    ranges=(2.0, *[0.0] * 8),
)

CONSTRAINED_BRANIN = Definition(
    name="constrained_branin",
    description=(
        "Constrained ('new') Branin (Sasena 2002). The easy objective is maximal on the edge of one of "
        "three small feasible islands; the best points of the other two are 220.174 and 200.663."
    ),
    bounds=((-5.0, 10.0), (0.0, 15.0)),
    objective=branin_f,
    constraints=(branin_c,),
    optimum=268.788504671247,
    solution=(3.273023780618255, 0.048869754593150884),
    active=(1,),
    penalty=-4.0,
    ranges=(307.7312086538769,),
)

TEST_FUNCTION_2 = Definition(
    name="test_function_2",
    description=(
        "Test Function 2 (Sasena 2002). Three constraints: c1 and c3 bind, c2 does not matter. 17.7 % of "
        "the box is feasible, in two pieces; the best point of the other one, 0.688383 at (0.26162, "
        "0.12162), is a trap."
    ),
    bounds=((0.0, 1.0), (0.0, 1.0)),
    objective=tf2_f,
    constraints=(tf2_c1, tf2_c2, tf2_c3),
    optimum=0.748308310898543,
    solution=(0.20169168910145693, 0.8331848610739362),
    active=(1, 3),
    penalty=-4.0,
    ranges=(10.542532519201042, 11.0, 0.5),
)

TEST_FUNCTION_2_PRINTED = replace(
    TEST_FUNCTION_2,
    name="test_function_2_printed",
    description=(
        "Test Function 2 with a misprint in c1 that is in circulation: c1 then follows from the others and "
        "only c3 binds. Not the benchmark; here to recognise the mistake."
    ),
    constraints=(tf2_c1_printed, tf2_c2, tf2_c3),
    optimum=0.897213595499958,
    solution=(0.05278640450004205, 0.5),
    active=(3,),
    ranges=(8.0, 11.0, 0.5),
)

TEST_FUNCTION_2_PARTIAL_EXP = replace(
    TEST_FUNCTION_2,
    name="test_function_2_partial_exp",
    description=(
        "Test Function 2 with the exponential of c1 on the second square only, as some public code has it: "
        "other optimum, the same two constraints bind. Not the benchmark."
    ),
    constraints=(tf2_c1_partial_exp, tf2_c2, tf2_c3),
    optimum=0.6883830962431342,
    solution=(0.26161690375686575, 0.1216172580236559),
    active=(1, 3),
    ranges=(8.406002216392512, 11.0, 0.5),
)

GRAMACY = Definition(
    name="gramacy",
    description=(
        "Toy problem of Gramacy et al. (2016), here maximised with sign changed. c1 binds, c2 does not "
        "matter; 45.7 % of the box is feasible."
    ),
    bounds=((0.0, 1.0), (0.0, 1.0)),
    objective=gramacy_f,
    constraints=(gramacy_c1, gramacy_c2),
    optimum=-0.5997880520100675,
    solution=(0.19512268347207173, 0.40466536853799584),
    active=(1,),
    penalty=-2.0,
    ranges=(3.551101965822367, 2.0),
)

DEFINITIONS = (
    MYSTERY,
    CONSTRAINED_BRANIN,
    TEST_FUNCTION_2,
    TEST_FUNCTION_2_PRINTED,
    TEST_FUNCTION_2_PARTIAL_EXP,
    MYSTERY_REDUNDANT8,
    GRAMACY,
)
