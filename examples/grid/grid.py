"""The New England grid (39 buses) with the powers of a design, and one power flow of it. Needs pandapower."""

import copy
import logging
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import pandapower  # noqa: E402
from pandapower import networks  # noqa: E402

CASE = networks.case39()
PLANTS = {"south": 1, "centre": 2, "east": 5, "northeast": 6, "north": 8}  # rows of the table of generators
PRICES = {"south": 18.0, "centre": 22.0, "east": 12.0, "northeast": 14.0, "north": 10.0}  # euros a MWh
BALANCE = 30.0  # euros a MWh of the plant that makes up the difference


def build(design):
    """The grid with this power of each plant, MW."""
    net = copy.deepcopy(CASE)
    for name, row in PLANTS.items():
        net.gen.loc[row, "p_mw"] = design[name]
    return net


def highest_loading(net):
    """Solve the power flow; the highest loading of a line, percent of its continuous rating."""
    pandapower.runpp(net, numba=False)
    return float(net.res_line["loading_percent"].max())


def fuel(net, design):
    """Thousand euros an hour, after a power flow; plants with a fixed power are left out."""
    balance = float(net.res_ext_grid["p_mw"].sum())
    return (sum(PRICES[name] * design[name] for name in PLANTS) + BALANCE * balance) / 1000
