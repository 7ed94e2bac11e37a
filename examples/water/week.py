"""How old the water gets, h: a week is simulated, with the age in all pipes minute by minute. The dear one."""

import json
import sys

import town

DAYS = 7


def run(design):
    network = town.build(design)
    network.options.time.duration = DAYS * 24 * 3600
    network.options.time.quality_timestep = 60
    network.options.quality.parameter = "AGE"
    age = town.simulate(network).node["quality"].iloc[-24:]  # hours of the last day
    return {"age": float(age[network.junction_name_list].to_numpy().max()) / 3600}


if __name__ == "__main__":
    print("\n" + json.dumps(run(json.load(sys.stdin)["parameters"])))  # EPANET leaves an unfinished line there
