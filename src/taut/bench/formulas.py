"""The formulas of the test problems; problems.toml says which belong together.

All are stated as "maximise f subject to c <= 0". They take the coordinates x1, ..., xd in the problem's own units.
"""

import math

# --- Small analytic problems with two parameters: Mystery, constrained Branin, Test Function 2, Gramacy.


def mystery_f(x1: float, x2: float) -> float:
    """-2 - 0.01 (x2 - x1^2)^2 - (1 - x1)^2 - 2 (2 - x2)^2 - 7 sin(x1/2) sin(0.7 x1 x2)."""
    bowl = 0.01 * (x2 - x1**2) ** 2 + (1 - x1) ** 2 + 2 * (2 - x2) ** 2
    return -2 - bowl - 7 * math.sin(0.5 * x1) * math.sin(0.7 * x1 * x2)


def mystery_c(x1: float, x2: float) -> float:
    """-sin(x1 - x2 - pi/8): feasible on 48 % of the box, in two separate pieces."""
    return -math.sin(x1 - x2 - math.pi / 8)


def redundant_c(*_: float) -> float:
    """The constant -100: a constraint that always holds."""
    return -100.0


def branin_f(x1: float, x2: float) -> float:
    """(x1 - 10)^2 + (x2 - 15)^2: the distance to the upper right corner, between 0 and 450."""
    return (x1 - 10) ** 2 + (x2 - 15) ** 2


def branin_c(x1: float, x2: float) -> float:
    """The Branin function minus 5: feasible on 8.5 % of the box, in three islands of equal size."""
    valley = x2 - 5.1 / (4 * math.pi**2) * x1**2 + 5 / math.pi * x1 - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x1) + 5


def tf2_f(x1: float, x2: float) -> float:
    """(x1 - 1)^2 + (x2 - 0.5)^2."""
    return (x1 - 1) ** 2 + (x2 - 0.5) ** 2


def tf2_c1(x1: float, x2: float) -> float:
    """[(x1 - 3)^2 + (x2 + 2)^2] exp(-x2^7) - 12: the exponential multiplies both squares."""
    return ((x1 - 3) ** 2 + (x2 + 2) ** 2) * math.exp(-(x2**7)) - 12


def tf2_c1_printed(x1: float, x2: float) -> float:
    """(x1 - 3)^2 + (x2 + 1)^2 - 12: a misprint, implied by the other constraints."""
    return (x1 - 3) ** 2 + (x2 + 1) ** 2 - 12


def tf2_c1_partial_exp(x1: float, x2: float) -> float:
    """(x1 - 3)^2 + (x2 + 2)^2 exp(-x2^7) - 12: the exponential multiplies the second square only."""
    return (x1 - 3) ** 2 + (x2 + 2) ** 2 * math.exp(-(x2**7)) - 12


def tf2_c2(x1: float, x2: float) -> float:
    """10 x1 + x2 - 7: cuts off 35 % of the box, yet dropping it leaves the optimum where it is."""
    return 10 * x1 + x2 - 7


def tf2_c3(x1: float, x2: float) -> float:
    """(x1 - 0.5)^2 + (x2 - 0.5)^2 - 0.2: a disc."""
    return (x1 - 0.5) ** 2 + (x2 - 0.5) ** 2 - 0.2


def gramacy_f(x1: float, x2: float) -> float:
    """-(x1 + x2)."""
    return -(x1 + x2)


def gramacy_c1(x1: float, x2: float) -> float:
    """1.5 - x1 - 2 x2 - 0.5 sin(2 pi (x1^2 - 2 x2))."""
    return 1.5 - x1 - 2 * x2 - 0.5 * math.sin(2 * math.pi * (x1**2 - 2 * x2))


def gramacy_c2(x1: float, x2: float) -> float:
    """x1^2 + x2^2 - 1.5: inactive at the optimum."""
    return x1**2 + x2**2 - 1.5


# --- Welded beam: x1 weld height, x2 weld length, x3 beam height, x4 beam thickness (inches), load 6000 lb.


def welded_f(x1: float, x2: float, x3: float, x4: float) -> float:
    """Minus the fabrication cost, 1.10471 x1^2 x2 + 0.04811 x3 x4 (14 + x2)."""
    return -(1.10471 * x1**2 * x2 + 0.04811 * x3 * x4 * (14 + x2))


def welded_c1(x1: float, x2: float, x3: float, *_: float) -> float:
    """Shear stress in the weld minus 13600 psi; grows beyond 2e7 in the corner of small x1, x2."""
    moment = 6000 * (14 + x2 / 2)
    radius = math.sqrt((x2**2 + (x1 + x3) ** 2) / 4)
    inertia = 2 * math.sqrt(2) * x1 * x2 * (x2**2 / 12 + (x1 + x3) ** 2 / 4)
    primary = 6000 / (math.sqrt(2) * x1 * x2)
    secondary = moment * radius / inertia
    return math.sqrt(primary**2 + primary * secondary * x2 / radius + secondary**2) - 13600


def welded_c2(x1: float, x2: float, x3: float, x4: float) -> float:
    """Bending stress minus 30000 psi."""
    return 504000 / (x4 * x3**2) - 30000


def welded_c3(x1: float, x2: float, x3: float, x4: float) -> float:
    """The weld is not higher than the beam is thick."""
    return x1 - x4


def welded_c4(x1: float, x2: float, x3: float, x4: float) -> float:
    """Side cost, at most 5: does not matter at the optimum."""
    return 0.10471 * x1**2 + 0.04811 * x3 * x4 * (14 + x2) - 5


def welded_c5(x1: float, x2: float, x3: float, x4: float) -> float:
    """End deflection minus 0.25 inch: implied by the others."""
    return 2.1952 / (x3**3 * x4) - 0.25


def welded_c6(x1: float, x2: float, x3: float, x4: float) -> float:
    """6000 lb minus the buckling load of the bar."""
    return 6000 - 4.013 * 30e6 * x3 * x4**3 / (6 * 14**2) * (1 - 0.25 * x3 * math.sqrt(2.5) / 14)


def welded_c6_botorch(x1: float, x2: float, x3: float, x4: float) -> float:
    """As welded_c6 with 36 times the buckling load: a factor 6 where the standard formula has 1/6."""
    return 6000 - 4.013 * 30e6 * x3 * x4**3 * 6 / 14**2 * (1 - 0.25 * x3 * math.sqrt(2.5) / 14)


# --- Pressure vessel: x1 shell thickness, x2 head thickness, x3 inner radius, x4 length of cylinder (inches).


def vessel_f(x1: float, x2: float, x3: float, x4: float) -> float:
    """Minus the cost of material, forming and welding."""
    return -(0.6224 * x1 * x3 * x4 + 1.7781 * x2 * x3**2 + 3.1661 * x1**2 * x4 + 19.84 * x1**2 * x3)


def vessel_c1(x1: float, x2: float, x3: float, *_: float) -> float:
    """The shell is thick enough for its radius."""
    return -x1 + 0.0193 * x3


def vessel_c2(x1: float, x2: float, x3: float, *_: float) -> float:
    """The heads are thick enough for their radius."""
    return -x2 + 0.00954 * x3


def vessel_c3(x1: float, x2: float, x3: float, x4: float) -> float:
    """1296000 cubic inches minus the volume."""
    volume = math.pi * x3**2 * x4 + 4 / 3 * math.pi * x3**3
    return 1296000 - volume


def vessel_c4(x1: float, x2: float, x3: float, x4: float) -> float:
    """Length minus 240: always holds, as the box ends at 200."""
    return x4 - 240


# --- Spring: x1 wire diameter, x2 mean coil diameter (inches), x3 number of active coils.


def spring_f(x1: float, x2: float, x3: float) -> float:
    """Minus the weight, x1^2 x2 (x3 + 2)."""
    return -(x1**2 * x2 * (x3 + 2))


def spring_c1(x1: float, x2: float, x3: float) -> float:
    """Deflection: 1 - x2^3 x3 / (71785 x1^4)."""
    return 1 - x2**3 * x3 / (71785 * x1**4)


def spring_c2(x1: float, x2: float, *_: float) -> float:
    """Shear stress; a pole where x1 = x2 (infinite there)."""
    if x1 == x2:
        return math.inf
    return (4 * x2**2 - x1 * x2) / (12566 * x1**3 * (x2 - x1)) + 1 / (5108 * x1**2) - 1


def spring_c3(x1: float, x2: float, x3: float) -> float:
    """Surge frequency: does not matter at the optimum."""
    return 1 - 140.45 * x1 / (x3 * x2**2)


def spring_c4(x1: float, x2: float, *_: float) -> float:
    """Outer diameter, (x1 + x2) / 1.5 - 1: implied by the others."""
    return (x1 + x2) / 1.5 - 1


# --- Speed reducer: x1 face width, x2 tooth module, x3 teeth of the pinion (continuous here), x4, x5 shaft
# lengths between bearings, x6, x7 shaft diameters (centimetres).


def reducer_f(x1: float, x2: float, x3: float, x4: float, x5: float, x6: float, x7: float) -> float:
    """Minus the weight of gears and shafts."""
    gears = 0.7854 * x1 * x2**2 * (3.3333 * x3**2 + 14.9334 * x3 - 43.0934)
    shafts = 7.4777 * (x6**3 + x7**3) + 0.7854 * (x4 * x6**2 + x5 * x7**2)
    return -(gears - 1.508 * x1 * (x6**2 + x7**2) + shafts)


def reducer_c1(x1: float, x2: float, x3: float, *_: float) -> float:
    """Bending stress of the teeth."""
    return 27 / (x1 * x2**2 * x3) - 1


def reducer_c2(x1: float, x2: float, x3: float, *_: float) -> float:
    """Contact stress of the teeth."""
    return 397.5 / (x1 * x2**2 * x3**2) - 1


def reducer_c3(x1: float, x2: float, x3: float, x4: float, x5: float, x6: float, *_: float) -> float:
    """Deflection of the first shaft."""
    return 1.93 * x4**3 / (x2 * x3 * x6**4) - 1


def reducer_c4(x1: float, x2: float, x3: float, x4: float, x5: float, x6: float, x7: float) -> float:
    """Deflection of the second shaft."""
    return 1.93 * x5**3 / (x2 * x3 * x7**4) - 1


def reducer_c5(x1: float, x2: float, x3: float, x4: float, x5: float, x6: float, *_: float) -> float:
    """Stress of the first shaft minus 1100."""
    return math.sqrt((745 * x4 / (x2 * x3)) ** 2 + 16.9e6) / (0.1 * x6**3) - 1100


def reducer_c6(x1: float, x2: float, x3: float, x4: float, x5: float, x6: float, x7: float) -> float:
    """Stress of the second shaft minus 850."""
    return math.sqrt((745 * x5 / (x2 * x3)) ** 2 + 157.5e6) / (0.1 * x7**3) - 850


def reducer_c7(x1: float, x2: float, x3: float, *_: float) -> float:
    """Size of the pinion: always holds."""
    return x2 * x3 - 40


def reducer_c8(x1: float, x2: float, *_: float) -> float:
    """Face width at least five modules."""
    return 5 - x1 / x2


def reducer_c9(x1: float, x2: float, *_: float) -> float:
    """Face width at most twelve modules: always holds."""
    return x1 / x2 - 12


def reducer_c10(x1: float, x2: float, x3: float, x4: float, x5: float, x6: float, *_: float) -> float:
    """Room for the bearings of the first shaft."""
    return (1.5 * x6 + 1.9) / x4 - 1


def reducer_c11(x1: float, x2: float, x3: float, x4: float, x5: float, x6: float, x7: float) -> float:
    """Room for the bearings of the second shaft."""
    return (1.1 * x7 + 1.9) / x5 - 1
