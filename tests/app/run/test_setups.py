"""A study whose programs share a mesh, and one whose costs are measured, run as a user would."""

import json
import sys
from pathlib import Path

import pytest
from fakes import call, run

import taut
from taut.app.studyfile.file import load, open_study

STUDY = """\
[study]
name = "shell"
method = "random"
seed = 3
initial = 2
budget = {budget}
verify = false

[parameters.x]
low = 0.0
high = 1.0

[objective]
name = "mass"
goal = "minimize"
cost = {cost}
command = {mass}

[[constraints]]
name = "stress"
at_most = 3.0
cost = {cost}
command = {stress}

[[constraints]]
name = "buckling"
at_most = 3.0
cost = {cost}
command = {buckling}

[[setups]]
name = "mesh"
functions = ["stress", "buckling"]
cost = {mesh}
{command}
"""
MESH = """\
import json, os, sys, time
x = json.load(sys.stdin)["parameters"]["x"]
with open(os.path.join(os.environ["TAUT_FOLDER"], "meshed"), "a") as log:
    log.write(f"{x!r}\\n")
time.sleep(0.02)
with open(os.path.join(os.environ["TAUT_POINT"], "mesh", "mesh.json"), "x") as mesh:
    json.dump({"elements": 100 * x}, mesh)
"""
SOLVE = """\
import json, sys
asked = json.load(sys.stdin)
name, (mesh,) = asked["functions"][0], asked["setups"]
elements = json.load(open(mesh["folder"] + "/mesh.json"))["elements"]
print(json.dumps({name: elements / 100}))
"""
MASS = """\
import json, os, sys
asked = json.load(sys.stdin)
assert "setups" not in asked and "TAUT_POINT" not in os.environ
print(json.dumps({"mass": asked["parameters"]["x"]}))
"""


def write(folder: Path, cost: object = 1, mesh: object = 10, budget: float = 39, command: bool = True) -> Path:
    words = {name: json.dumps([sys.executable, "-S", "-E", f"{name}.py"]) for name in ("mass", "stress", "buckling")}
    own = f"command = {json.dumps([sys.executable, '-S', '-E', 'mesh.py'])}" if command else ""
    path = folder / "study.toml"
    path.write_text(STUDY.format(cost=json.dumps(cost), mesh=json.dumps(mesh), budget=budget, command=own, **words))
    for name, source in {"mesh": MESH, "stress": SOLVE, "buckling": SOLVE, "mass": MASS}.items():
        (folder / f"{name}.py").write_text(source)
    return path


def test_a_pair_of_programs_shares_a_mesh(tmp_path: Path) -> None:
    """Two initial points and three after them, 13 each: every one is meshed once, whoever of two workers is first."""
    path = write(tmp_path)
    code, said, error = run(path, "--workers", "2")
    assert (code, error) == (0, "")
    study = open_study(load(path))
    points = {row.point["x"] for row in study.suggestions}
    meshed = (tmp_path / "meshed").read_text().split()
    assert sorted(map(float, meshed)) == sorted(points) and len(points) == 5
    assert all(row.value == pytest.approx(row.point["x"]) for row in study.observations)
    assert (said["spent"], said["initial_cost"], study.spent) == (39.0, 26.0, 39.0)
    paid = [row for row in study.observations if row.setup is not None]
    assert len(paid) == 5 and all(0.0 < (row.setup or 0.0) < (row.seconds or 0.0) for row in paid)
    assert all(row.seconds is not None for row in study.observations)
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)


def test_going_back_costs_less(tmp_path: Path) -> None:
    problem = load(write(tmp_path)).problem
    study = taut.Study(problem, method="dckg", seed=0, initial=0, options={"inner": 32, "raw": 16})
    study.add({"x": 0.9}, {"mass": 0.9, "stress": 4.0, "buckling": 4.0})
    for n in range(4):
        row = study.ask()
        paid = (
            10.0
            * any(name in ("stress", "buckling") for name in row.functions)
            * all(other.point != row.point or "mass" in other.functions[:1] for other in study.suggestions[:n])
        )
        assert row.cost == len(row.functions) + paid
        study.tell(row, {name: row.point["x"] + (name != "mass") for name in row.functions})


def test_measured_costs_from_the_first_to_the_last(tmp_path: Path) -> None:
    path = write(tmp_path, "measured", "measured", budget=0.5)
    code, said, error = run(path)
    assert (code, error) == (0, "")
    study = open_study(load(path))
    later = [row for row in study.observations if not study.suggestions[(row.suggestion or 0) - 1].initial]
    assert said["spent"] == study.spent == pytest.approx(sum(row.seconds or 0.0 for row in later))
    assert said["initial_cost"] > 0.0  # on a busy machine the budget may pay for nothing more
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)
    first = next(row for row in study.suggestions if "stress" in row.functions)
    assert first.cost == pytest.approx(sum(first.memory["costs"].values())) and "mesh" in first.memory["costs"]
    lines = call(path, "--plain").output.splitlines()
    assert any("initial design" in line and " s" in line for line in lines)


def test_a_dry_run_meshes_too(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from taut.app.cli.main import main

    found = CliRunner().invoke(main, ["check", str(write(tmp_path)), "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.output)["failed"] == []
    assert len((tmp_path / "meshed").read_text().split()) == 1
    assert not list(tmp_path.glob("shell.*"))
