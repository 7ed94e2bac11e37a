"""Engineering design problems: welded beam, pressure vessel, tension-compression spring, speed reducer.

The literature minimises a weight or a cost; here its negative is maximised, subject to c <= 0. The optima
were polished to float64 accuracy; all but `spring` (whose c2 has a pole) were confirmed by interval branch
and bound.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from taut.bench.definition import Definition

# --- Welded beam: x1 weld height, x2 weld length, x3 beam height, x4 beam thickness (inches), load 6000 lb.


def welded_f(x: Sequence[float]) -> float:
    """Minus the fabrication cost, 1.10471 x1^2 x2 + 0.04811 x3 x4 (14 + x2)."""
    x1, x2, x3, x4 = x
    return -(1.10471 * x1**2 * x2 + 0.04811 * x3 * x4 * (14 + x2))


def welded_c1(x: Sequence[float]) -> float:
    """Shear stress in the weld minus 13600 psi; grows beyond 2e7 in the corner of small x1, x2."""
    x1, x2, x3, _ = x
    moment = 6000 * (14 + x2 / 2)
    radius = math.sqrt((x2**2 + (x1 + x3) ** 2) / 4)
    inertia = 2 * math.sqrt(2) * x1 * x2 * (x2**2 / 12 + (x1 + x3) ** 2 / 4)
    primary = 6000 / (math.sqrt(2) * x1 * x2)
    secondary = moment * radius / inertia
    return math.sqrt(primary**2 + primary * secondary * x2 / radius + secondary**2) - 13600


def welded_c2(x: Sequence[float]) -> float:
    """Bending stress minus 30000 psi."""
    _, _, x3, x4 = x
    return 504000 / (x4 * x3**2) - 30000


def welded_c3(x: Sequence[float]) -> float:
    """The weld is not higher than the beam is thick."""
    x1, _, _, x4 = x
    return x1 - x4


def welded_c4(x: Sequence[float]) -> float:
    """Side cost, at most 5: does not matter at the optimum."""
    x1, x2, x3, x4 = x
    return 0.10471 * x1**2 + 0.04811 * x3 * x4 * (14 + x2) - 5


def welded_c5(x: Sequence[float]) -> float:
    """End deflection minus 0.25 inch: implied by the others."""
    _, _, x3, x4 = x
    return 2.1952 / (x3**3 * x4) - 0.25


def welded_c6(x: Sequence[float]) -> float:
    """6000 lb minus the buckling load of the bar."""
    _, _, x3, x4 = x
    return 6000 - 4.013 * 30e6 * x3 * x4**3 / (6 * 14**2) * (1 - 0.25 * x3 * math.sqrt(2.5) / 14)


def welded_c6_botorch(x: Sequence[float]) -> float:
    """As welded_c6 with 36 times the buckling load: a factor 6 where the standard formula has 1/6."""
    _, _, x3, x4 = x
    return 6000 - 4.013 * 30e6 * x3 * x4**3 * 6 / 14**2 * (1 - 0.25 * x3 * math.sqrt(2.5) / 14)


WELDED_BEAM = Definition(
    name="welded_beam",
    description=(
        "Welded beam (Deb 2000; Coello Coello 2002), six constraints: c1, c2, c3, c6 bind, c4 and c5 do "
        "not matter. 0.1 % of the box is feasible; stresses vary over several orders of magnitude."
    ),
    bounds=((0.125, 10.0), (0.1, 10.0), (0.1, 10.0), (0.1, 10.0)),
    objective=welded_f,
    constraints=(welded_c1, welded_c2, welded_c3, welded_c4, welded_c5, welded_c6),
    optimum=-1.7248523085973646,
    solution=(0.2057296397860963, 3.4704886656280185, 9.036623910357651, 0.20572963978609635),
    active=(1, 2, 3, 6),
    penalty=-1250.0,
    ranges=(
        21900525.090517223,
        503999495.9999999,
        19.775,
        125.92658039625,
        21951.999780479993,
        734679739.9224972,
    ),
)

WELDED_BEAM_BOTORCH = replace(
    WELDED_BEAM,
    name="welded_beam_botorch",
    description=(
        "Welded beam with the buckling load as coded in BoTorch's WeldedBeamSO, so that c6 never matters "
        "and the cost falls to 1.58708. For comparisons with BoTorch runs only."
    ),
    constraints=(welded_c1, welded_c2, welded_c3, welded_c4, welded_c5, welded_c6_botorch),
    optimum=-1.5870775121429552,
    solution=(0.168, 4.067084773077991, 10.0, 0.168),
    active=(1, 2, 3),
    ranges=(*WELDED_BEAM.ranges[:5], 26448470637.2099),
)

# --- Pressure vessel: x1 shell thickness, x2 head thickness, x3 inner radius, x4 length of cylinder (inches).


def vessel_f(x: Sequence[float]) -> float:
    """Minus the cost of material, forming and welding."""
    x1, x2, x3, x4 = x
    return -(0.6224 * x1 * x3 * x4 + 1.7781 * x2 * x3**2 + 3.1661 * x1**2 * x4 + 19.84 * x1**2 * x3)


def vessel_c1(x: Sequence[float]) -> float:
    """The shell is thick enough for its radius."""
    x1, _, x3, _ = x
    return -x1 + 0.0193 * x3


def vessel_c2(x: Sequence[float]) -> float:
    """The heads are thick enough for their radius."""
    _, x2, x3, _ = x
    return -x2 + 0.00954 * x3


def vessel_c3(x: Sequence[float]) -> float:
    """1296000 cubic inches minus the volume."""
    _, _, x3, x4 = x
    volume = math.pi * x3**2 * x4 + 4 / 3 * math.pi * x3**3
    return 1296000 - volume


def vessel_c4(x: Sequence[float]) -> float:
    """Length minus 240: always holds, as the box ends at 200."""
    return x[3] - 240


PRESSURE_VESSEL = Definition(
    name="pressure_vessel",
    description=(
        "Pressure vessel (Coello Coello 2002) with continuous thicknesses. c1, c2, c3 and the upper bound "
        "of x4 bind, c4 always holds; 16.8 % of the box is feasible."
    ),
    bounds=((0.0, 10.0), (0.0, 10.0), (10.0, 50.0), (150.0, 200.0)),
    objective=vessel_f,
    constraints=(vessel_c1, vessel_c2, vessel_c3, vessel_c4),
    optimum=-5885.332773616459,
    solution=(0.7781686413751053, 0.38464916262790183, 40.31961872409872, 200.0),
    active=(1, 2, 3),
    penalty=-270000.0,
    ranges=(10.772, 10.3816, 2043082.422384562, 50.0),
)

# --- Spring: x1 wire diameter, x2 mean coil diameter (inches), x3 number of active coils.


def spring_f(x: Sequence[float]) -> float:
    """Minus the weight, x1^2 x2 (x3 + 2)."""
    x1, x2, x3 = x
    return -(x1**2 * x2 * (x3 + 2))


def spring_c1(x: Sequence[float]) -> float:
    """Deflection: 1 - x2^3 x3 / (71785 x1^4)."""
    x1, x2, x3 = x
    return 1 - x2**3 * x3 / (71785 * x1**4)


def spring_c2(x: Sequence[float]) -> float:
    """Shear stress; a pole where x1 = x2 (infinite there)."""
    x1, x2, _ = x
    if x1 == x2:
        return math.inf
    return (4 * x2**2 - x1 * x2) / (12566 * x1**3 * (x2 - x1)) + 1 / (5108 * x1**2) - 1


def spring_c3(x: Sequence[float]) -> float:
    """Surge frequency: does not matter at the optimum."""
    x1, x2, x3 = x
    return 1 - 140.45 * x1 / (x3 * x2**2)


def spring_c4(x: Sequence[float]) -> float:
    """Outer diameter, (x1 + x2) / 1.5 - 1: implied by the others."""
    x1, x2, _ = x
    return (x1 + x2) / 1.5 - 1


SPRING = Definition(
    name="spring",
    description=(
        "Tension-compression spring (Arora; Belegundu) in its classical box. c1 and c2 bind, c3 and c4 do "
        "not matter; 0.75 % of the box is feasible. c2 has a pole at x1 = x2 inside the box; its range is "
        "therefore the one over the box of spring_narrow."
    ),
    bounds=((0.05, 2.0), (0.25, 1.3), (2.0, 15.0)),
    objective=spring_f,
    constraints=(spring_c1, spring_c2, spring_c3, spring_c4),
    optimum=-0.012665232788319415,
    solution=(0.05168906108276345, 0.35671773979944077, 11.288965751613345),
    active=(1, 2),
    penalty=-90.0,
    ranges=(73.45267114364941, 3.455540220579643, 2246.922978303747, 2.0),
)

SPRING_NARROW = replace(
    SPRING,
    name="spring_narrow",
    description=(
        "The spring with wire diameter x1 <= 0.2: same optimum, but all functions are smooth and finite. "
        "c1 and c2 bind, c3 does not matter, c4 always holds; 9.7 % of the box is feasible."
    ),
    bounds=((0.05, 0.2), (0.25, 1.3), (2.0, 15.0)),
    optimum=-0.012665232788319413,
    solution=(0.05168906108276347, 0.35671773979944116, 11.288965751613325),
    penalty=-0.9,
    ranges=(73.45239909103572, 3.455540220579643, 224.44297830374754, 0.8),
)

# --- Speed reducer: x1 face width, x2 tooth module, x3 teeth of the pinion (continuous here), x4, x5 shaft
# lengths between bearings, x6, x7 shaft diameters (centimetres).


def reducer_f(x: Sequence[float]) -> float:
    """Minus the weight of gears and shafts."""
    x1, x2, x3, x4, x5, x6, x7 = x
    gears = 0.7854 * x1 * x2**2 * (3.3333 * x3**2 + 14.9334 * x3 - 43.0934)
    shafts = 7.4777 * (x6**3 + x7**3) + 0.7854 * (x4 * x6**2 + x5 * x7**2)
    return -(gears - 1.508 * x1 * (x6**2 + x7**2) + shafts)


def reducer_c1(x: Sequence[float]) -> float:
    """Bending stress of the teeth."""
    x1, x2, x3, *_ = x
    return 27 / (x1 * x2**2 * x3) - 1


def reducer_c2(x: Sequence[float]) -> float:
    """Contact stress of the teeth."""
    x1, x2, x3, *_ = x
    return 397.5 / (x1 * x2**2 * x3**2) - 1


def reducer_c3(x: Sequence[float]) -> float:
    """Deflection of the first shaft."""
    _, x2, x3, x4, _, x6, _ = x
    return 1.93 * x4**3 / (x2 * x3 * x6**4) - 1


def reducer_c4(x: Sequence[float]) -> float:
    """Deflection of the second shaft."""
    _, x2, x3, _, x5, _, x7 = x
    return 1.93 * x5**3 / (x2 * x3 * x7**4) - 1


def reducer_c5(x: Sequence[float]) -> float:
    """Stress of the first shaft minus 1100."""
    _, x2, x3, x4, _, x6, _ = x
    return math.sqrt((745 * x4 / (x2 * x3)) ** 2 + 16.9e6) / (0.1 * x6**3) - 1100


def reducer_c6(x: Sequence[float]) -> float:
    """Stress of the second shaft minus 850."""
    _, x2, x3, _, x5, _, x7 = x
    return math.sqrt((745 * x5 / (x2 * x3)) ** 2 + 157.5e6) / (0.1 * x7**3) - 850


def reducer_c7(x: Sequence[float]) -> float:
    """Size of the pinion: always holds."""
    return x[1] * x[2] - 40


def reducer_c8(x: Sequence[float]) -> float:
    """Face width at least five modules."""
    return 5 - x[0] / x[1]


def reducer_c9(x: Sequence[float]) -> float:
    """Face width at most twelve modules: always holds."""
    return x[0] / x[1] - 12


def reducer_c10(x: Sequence[float]) -> float:
    """Room for the bearings of the first shaft."""
    return (1.5 * x[5] + 1.9) / x[3] - 1


def reducer_c11(x: Sequence[float]) -> float:
    """Room for the bearings of the second shaft."""
    return (1.1 * x[6] + 1.9) / x[4] - 1


SPEED_REDUCER = Definition(
    name="speed_reducer",
    description=(
        "Speed reducer (Golinski; Lemonge et al. 2010) with a continuous number of teeth and x5 >= 7.8. Of "
        "eleven constraints c5, c6, c8 bind, with four bounds of the box; c4, c7, c9 always hold. 0.19 % "
        "of the box is feasible."
    ),
    bounds=((2.6, 3.6), (0.7, 0.8), (17.0, 28.0), (7.3, 8.3), (7.8, 8.3), (2.9, 3.9), (5.0, 5.5)),
    objective=reducer_f,
    constraints=(
        reducer_c1,
        reducer_c2,
        reducer_c3,
        reducer_c4,
        reducer_c5,
        reducer_c6,
        reducer_c7,
        reducer_c8,
        reducer_c9,
        reducer_c10,
        reducer_c11,
    ),
    optimum=-2996.3481649685295,
    solution=(3.5, 0.7, 17.0, 7.3, 7.8, 3.3502146660964476, 5.286683229757916),
    active=(5, 6, 8),
    penalty=-7150.0,
    ranges=(
        0.8281257214424234,
        0.8595586406932685,
        1.1662670948937461,
        0.10369332228705075,
        1004.7580478893461,
        250.37703717747934,
        10.500000000000004,
        1.8928571428571432,
        1.8928571428571432,
        0.30863178742366737,
        0.12766450417052844,
    ),
)

SPEED_REDUCER_X5_73 = replace(
    SPEED_REDUCER,
    name="speed_reducer_x5_73",
    description=(
        "The speed reducer with the other common box, x5 >= 7.3: c11 binds as well and the weight falls to "
        "2994.471. 0.1 % of the box is feasible."
    ),
    bounds=((2.6, 3.6), (0.7, 0.8), (17.0, 28.0), (7.3, 8.3), (7.3, 8.3), (2.9, 3.9), (5.0, 5.5)),
    optimum=-2994.4710661468202,
    solution=(
        3.5000000000000004,
        0.7,
        17.000000000000004,
        7.3,
        7.715319911478245,
        3.3502146660964476,
        5.286654464980222,
    ),
    active=(5, 6, 8, 11),
    ranges=(
        0.8281257214424234,
        0.8595586406932685,
        1.1662670948937461,
        0.11174715106533473,
        1004.7580478893461,
        250.39703202545684,
        10.500000000000004,
        1.8928571428571432,
        1.8928571428571432,
        0.30863178742366737,
        0.19747483083017014,
    ),
)

DEFINITIONS = (
    WELDED_BEAM,
    WELDED_BEAM_BOTORCH,
    PRESSURE_VESSEL,
    SPRING,
    SPRING_NARROW,
    SPEED_REDUCER,
    SPEED_REDUCER_X5_73,
)
