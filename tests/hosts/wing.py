"""A wing by OpenAeroStruct at two flight conditions: fuel burn in cruise, strength in a pull-up.

Each condition is an own coupled analysis (flow and structure in turn). The fuel comes from cruise, the failure
criterion from the pull-up, and the geometry is shared.
"""

from typing import Any

import numpy as np
import openmdao.api as om
from openaerostruct.integration.aerostruct_groups import AerostructGeometry, AerostructPoint
from openaerostruct.meshing.mesh_generator import generate_mesh

POINTS = ("cruise", "pull_up")
LOAD = {"cruise": 1.0, "pull_up": 2.5}
SHARED = ("v", "CT", "R", "W0", "speed_of_sound", "Mach_number", "re", "rho", "empty_cg")


def surface() -> dict[str, Any]:
    mesh, _ = generate_mesh({"num_y": 5, "num_x": 2, "wing_type": "CRM", "symmetry": True, "num_twist_cp": 2})
    return {
        "name": "wing",
        "symmetry": True,
        "S_ref_type": "wetted",
        "fem_model_type": "tube",
        "thickness_cp": np.array([0.02, 0.2]),
        "twist_cp": np.array([0.0, 5.0]),
        "mesh": mesh,
        "CL0": 0.0,
        "CD0": 0.015,
        "k_lam": 0.05,
        "t_over_c_cp": np.array([0.15]),
        "c_max_t": 0.303,
        "with_viscous": True,
        "with_wave": False,
        "E": 70.0e9,
        "G": 30.0e9,
        "yield": 500.0e6 / 2.5,
        "mrho": 3.0e3,
        "fem_origin": 0.35,
        "wing_weight_ratio": 2.0,
        "struct_weight_relief": False,
        "distributed_fuel_weight": False,
        "exact_failure_constraint": False,
    }


def problem(driver: Any) -> om.Problem:
    """Fuel burn at least; variables: wall thicknesses, twist at the tip, and both angles of attack."""
    prob, wing = om.Problem(), surface()
    model = prob.model
    given = om.IndepVarComp()
    given.add_output("v", 248.136, units="m/s")
    given.add_output("CT", 9.80665 * 17.0e-6, units="1/s")
    given.add_output("R", 11.165e6, units="m")
    given.add_output("W0", 0.4 * 3e5, units="kg")
    given.add_output("speed_of_sound", 295.4, units="m/s")
    given.add_output("Mach_number", 0.84)
    given.add_output("re", 1.0e6, units="1/m")
    given.add_output("rho", 0.38, units="kg/m**3")
    given.add_output("empty_cg", np.zeros(3), units="m")
    model.add_subsystem("given", given, promotes=["*"])
    model.add_subsystem("wing", AerostructGeometry(surface=wing))
    for point in POINTS:
        model.add_subsystem(point, AerostructPoint(surfaces=[wing]), promotes_inputs=SHARED)
        model.set_input_defaults(f"{point}.load_factor", LOAD[point])
        model.set_input_defaults(f"{point}.alpha", {"cruise": 5.0, "pull_up": 10.0}[point], units="deg")
        com, perf = f"{point}.coupled.wing", f"{point}.wing_perf"
        model.connect("wing.local_stiff_transformed", f"{com}.local_stiff_transformed")
        model.connect("wing.nodes", f"{com}.nodes")
        model.connect("wing.mesh", f"{com}.mesh")
        for name in ("radius", "thickness", "nodes"):
            model.connect(f"wing.{name}", f"{perf}.{name}")
        model.connect("wing.cg_location", f"{point}.total_perf.wing_cg_location")
        model.connect("wing.structural_mass", f"{point}.total_perf.wing_structural_mass")
        model.connect("wing.t_over_c", f"{perf}.t_over_c")
    model.add_design_var("wing.twist_cp", indices=[0], lower=-5.0, upper=10.0)
    model.add_design_var("wing.thickness_cp", indices=[1], lower=0.05, upper=0.3, scaler=1e2)
    model.add_design_var("cruise.alpha", lower=0.0, upper=10.0)
    model.add_design_var("pull_up.alpha", lower=0.0, upper=20.0)
    model.add_objective("cruise.fuelburn", scaler=1e-5)
    model.add_constraint("cruise.L_equals_W", lower=-0.01, upper=0.01)
    model.add_constraint("pull_up.L_equals_W", upper=0.0)
    model.add_constraint("pull_up.wing_perf.failure", upper=0.0)
    model.add_constraint("cruise.wing_perf.thickness_intersects", upper=0.0)
    prob.driver = driver
    prob.setup()
    return prob
