"""The network with the diameters of a design, and one simulation of it. Needs wntr, which brings EPANET along."""

import warnings
from pathlib import Path

import wntr

warnings.filterwarnings("ignore", module="wntr")
FOLDER = Path(__file__).parent
FIRE = 0.025  # m3/s


def build(design):
    """The town with its pipes, which are called after the parameter that gives their diameter in mm, and a number."""
    network = wntr.network.WaterNetworkModel(str(FOLDER / "network.inp"))
    for name, pipe in network.pipes():
        pipe.diameter = 1e-3 * design[name.split("-")[0]]
    return network


def lowest(network, share, extra=None):
    """The lowest pressure at any junction, m of water, at a moment with this share of the mean demand.

    extra: a junction from which a fire engine draws 25 l/s on top.
    """
    for name, junction in network.junctions():
        demand = share * junction.demand_timeseries_list[0].base_value + (FIRE if name == extra else 0.0)
        junction.demand_timeseries_list.clear()
        junction.add_demand(demand, None)
    return float(simulate(network).node["pressure"].loc[0, network.junction_name_list].min())


def simulate(network):
    """By EPANET, which leaves its files in the working directory."""
    return wntr.sim.EpanetSimulator(network).run_sim(file_prefix="epanet", convergence_error=True)
