# %% [markdown]
# # Tutorial: renewing a water network
#
# A small town has nine junctions, a pump, a tank and pipes that are due. We are to choose new diameters for three groups of
# pipes from a catalogue, and the chlorine dose at the pumping station, at the least cost, such that
#
# - the pressure is at least 72 m everywhere and at any hour (one day of hydraulics),
# - a fire hose at the far end of the town leaves 40 m of pressure everywhere (one steady state),
# - the chlorine is nowhere below 0.1 mg/l, and nowhere above 1.2 mg/l, where people drink (a week of water quality).
#
# The simulator is [EPANET](https://www.epa.gov/water-research/epanet), through the package
# [wntr](https://usepa.github.io/WNTR/), which carries the network `Net1` with it: `pip install taut wntr six`. This page is
# printed by `make tutorial` from `website/tutorial.py`, with what came out.
#
# ## The simulator, as three functions

# %%
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import wntr

NET1 = next(Path(wntr.__file__).parent.rglob("Net1.inp"))
GROUPS = {
    "main": ("10",),
    "ring": ("111", "121", "21"),
    "far": ("113", "31", "122"),
}  # which pipes are renewed together
TOWN = ("11", "12", "13", "21", "22", "23", "31", "32")


def network(point):
    """The network with the chosen pipes."""
    net = wntr.network.WaterNetworkModel(str(NET1))
    for group, pipes in GROUPS.items():
        for pipe in pipes:
            net.get_link(pipe).diameter = point[group] / 1000
    net.get_node("9").initial_quality = point["dose"] / 1000  # mg/l at the pumping station
    return net


def simulated(net):
    with TemporaryDirectory() as folder:  # EPANET writes files
        return wntr.sim.EpanetSimulator(net).run_sim(file_prefix=f"{folder}/net").node


def pressure(point):
    net = network(point)
    net.options.quality.parameter = "NONE"
    return float(simulated(net)["pressure"][list(TOWN)].min().min())


def fire(point):
    net = network(point)
    net.options.quality.parameter = "NONE"
    net.options.time.duration = 0
    net.get_node("32").demand_timeseries_list[0].base_value += 0.05  # m3/s at the far end
    return float(simulated(net)["pressure"][list(TOWN)].min().min())


def chlorine(point):
    net = network(point)
    net.options.time.duration = 7 * 24 * 3600
    net.options.time.quality_timestep = 60
    town = 1000 * simulated(net)["quality"][list(TOWN)].loc[6 * 24 * 3600 :]  # the last day, mg/l
    return {"lowest": float(town.min().min()), "highest": float(town.max().max())}


# %% [markdown]
# One try, with the pipes as they are. How long does each run take? That is their cost.

# %%
today = {"main": 450, "ring": 200, "far": 150, "dose": 1.0}
for function in (pressure, fire, chlorine):
    function(today)  # once for nothing: files are read from the disk
    begin = time.perf_counter()
    value = function(today)
    print(f"{function.__name__}: {value}, {1000 * (time.perf_counter() - begin):.0f} ms")

# %% [markdown]
# ## The problem
#
# The price of the pipes and of the chlorine is a formula, so nothing has to be run for it. The two requirements on chlorine come
# from one run: a group. Milliseconds here are hours for a large network; what counts are the ratios.

# %%
import taut

CATALOGUE = (100, 150, 200, 250, 300, 350, 400, 450, 500)  # mm
problem = taut.Problem(
    parameters=[
        taut.Ordinal("main", CATALOGUE),
        taut.Ordinal("ring", CATALOGUE),
        taut.Ordinal("far", CATALOGUE),
        taut.Real("dose", 0.5, 2.0),
    ],
    objective=taut.Objective(
        "price",  # thousands a year
        goal="minimize",
        formula="0.04 * (3.2 * main**1.3 + 4.8 * ring**1.3 + 4.8 * far**1.3) / 10 + 20 * dose",
    ),
    constraints=[
        taut.Constraint("pressure", at_least=72.0, cost=1),
        taut.Constraint("fire", at_least=40.0, cost=1),
        taut.Constraint("lowest", at_least=0.1),
        taut.Constraint("highest", at_most=1.2),
    ],
    groups=[taut.Group("chlorine", functions=("lowest", "highest"), cost=5)],
)

# %% [markdown]
# ## The study
#
# The budget is what 30 evaluations of everything would cost.

# %%
study = taut.Study(problem, seed=1)
best = study.run({"pressure": pressure, "fire": fire, "chlorine": chlorine}, budget=210)
print(best.point)
print(f"price {best.objective[0]:.2f}, verified: {best.verified}")
print({name: round(value, 3) for name, value in best.measured.items()})
print("evaluations:", study.counts)

# %% [markdown]
# Every function was evaluated at this very design, and every requirement held. Which of them decided it?

# %%
for row in study.relevance():
    print(
        f"{row.constraint:9} {row.verdict:11} margin {row.margin[0]:7.3f}   cost {row.cost:g}, coupled {row.coupled_cost:g}"
    )

# %% [markdown]
# `coupled` is what a method would have paid for the same constraint that evaluates everything at every design it tries. (The two of
# the group share their cost.)

# %%
ax = taut.plot.spending(study)

# %% [markdown]
# ## Is it right?
#
# There are 729 combinations of pipes, and this simulator is quick, so we can look. Pressures do not depend on the dose; where they
# hold, the least dose is found by bisection. Combinations that would be dearer even with the smallest dose are left out.

# %%
import itertools


def price(point):
    return (
        0.004 * (3.2 * point["main"] ** 1.3 + 4.8 * point["ring"] ** 1.3 + 4.8 * point["far"] ** 1.3)
        + 20 * point["dose"]
    )


def enough(pipes):
    """With the least dose that is enough everywhere."""
    low, high = 0.5, 2.0
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (low, middle) if chlorine(pipes | {"dose": middle})["lowest"] >= 0.1 else (middle, high)
    return pipes | {"dose": high}


runs, answer = 0, best.point
for sizes in sorted(itertools.product(CATALOGUE, repeat=3), key=sum):
    pipes = dict(zip(GROUPS, sizes), dose=0.5)
    if price(pipes) < price(answer):
        runs += 1
        if fire(pipes) >= 40.0 and pressure(pipes) >= 72.0:
            found = enough(pipes)
            if price(found) < price(answer) and chlorine(found)["highest"] <= 1.2:
                answer = found
print("combinations that could have been cheaper:", runs)
print(answer, f"price {price(answer):.2f}; ours is {100 * (price(best.point) / price(answer) - 1):.1f} % dearer")

# %% [markdown]
# ## What the dose costs
#
# The answer leaves questions that a study can answer without another run: what if 0.08 mg/l of chlorine were enough?

# %%
other = study.recommend(limits={"lowest": {"at_least": 0.08}})
print(other.point, f"price {other.objective[0]:.2f}, feasible with probability {other.feasibility:.2f}")

# %% [markdown]
# Next: [your own programs](own-programs.md), if your simulator is not a Python package, or
# [choosing costs](choosing-costs.md), if you do not know how long it takes.
