import taut

# A cantilever of 1 m with a load of 2 kN at its end; width and height in mm. Think of a solver behind each function.
functions = {
    "mass": lambda p: 7.85e-3 * p["width"] * p["height"],  # kg
    "stress": lambda p: 1.2e7 / (p["width"] * p["height"] ** 2),  # MPa
    "deflection": lambda p: 3.81e7 / (p["width"] * p["height"] ** 3),  # mm
    "frequency": lambda p: 0.818 * p["height"],  # Hz
}
problem = taut.Problem(
    parameters=[taut.Real("width", 10.0, 60.0), taut.Real("height", 20.0, 80.0)],
    objective=taut.Objective("mass", goal="minimize", cost=1),
    constraints=[
        taut.Constraint("stress", at_most=150.0, cost=5),
        taut.Constraint("deflection", at_most=10.0, cost=5),
        taut.Constraint("frequency", at_least=40.0, cost=20),
    ],
)
study = taut.Study(problem, seed=0)
best = study.run(functions, budget=150)
print({name: round(value, 2) for name, value in best.point.items()}, f"mass {best.objective[0]:.3f} kg")
print(f"feasible with probability {best.feasibility:.3f}, evaluations {study.counts}, spent {study.spent:g}")
for row in study.relevance():
    paid = f"{row.evaluations} evaluations for {row.cost:g}"
    print(f"{row.constraint}: {row.verdict}, {paid} (coupled: {row.coupled_cost:g})")
