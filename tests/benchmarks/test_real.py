"""The cases with real solvers (benchmarks/real): geometry, inputs, outputs, studies, tables; solvers if installed."""

import importlib
import json
import math
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from taut.app.studyfile.file import load

ROOT = Path(__file__).parents[2]
EXAMPLES = {name: f"examples.aerofoil.{name}" for name in ("section", "xfoil")}
EXAMPLES |= {name: f"examples.panel.{name}" for name in ("panel", "calculix")}
RECORDED = ROOT / "tests/assets/real"
NACA = {"thickness": 12.0, "thickest": 30.0, "nose": 6.0, "camber": 2.0, "cambered": 40.0}
PLATE = {"plate": 3.0, "height": 30.0, "rib": 4.0, "ribs": 3.2}


@pytest.fixture
def real(monkeypatch):
    """Imports a module of the benchmark, or of the examples whose programs it runs."""
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(EXAMPLES.get(name, f"benchmarks.real.{name}"))


@pytest.fixture
def cheap(real, monkeypatch):
    """The panel with formulas in place of the solver; its frequency fails for many ribs."""
    cases, errors = real("cases"), real("solver")

    def frequency(point):
        if point["ribs"] > 4.5:
            raise errors.NoValueError("ccx: exit code 1")
        return 200.0 + 3.0 * point["height"]

    mass = cases.PANEL.functions["mass"]
    functions = {"mass": mass, "stress": lambda p: 80.0 - p["height"], "frequency": frequency}
    functions["buckling"] = lambda p: 50.0 * p["plate"]
    monkeypatch.setitem(cases.CASES, "panel", replace(cases.PANEL, functions=functions))
    return cases.CASES["panel"]


# --- The section


def test_usual_digits_give_the_usual_section(real):
    section, x = real("section").Section.of(NACA), np.linspace(0.0, 1.0, 101)
    fore = 0.2969 * np.sqrt(x) - 0.096082 * x - 0.54331 * x**2 + 0.559395 * x**3  # published, for 63
    aft = 0.002 + 0.234 * (1.0 - x) - 0.068571 * (1.0 - x) ** 2 - 0.093878 * (1.0 - x) ** 3
    assert np.abs(section.half(x) - 0.6 * np.where(x < 0.3, fore, aft)).max() < 1e-4
    height, slope = section.line(x)
    assert height.max() == height[40] == pytest.approx(0.02) and slope[40] == pytest.approx(0.0)
    assert np.allclose(np.gradient(height, x)[1:-1], slope[1:-1], atol=2e-3)


@pytest.mark.parametrize("thickest, nose", [(25.0, 3.0), (37.0, 9.0), (50.0, 6.0)])
def test_thickness_is_largest_where_it_should_be_and_smooth_there(real, thickest, nose):
    section = real("section").Section.of(NACA | {"thickest": thickest, "nose": nose})
    p, h = thickest / 100.0, 1e-4
    before, at, after = section.half(np.array([p - h, p, p + h]))
    assert at == pytest.approx(0.06) and before < at and after < at
    third = section.half(p + h * np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0]))
    assert np.diff(third[:3], n=2)[0] == pytest.approx(np.diff(third[3:], n=2)[0], rel=0.02)


def test_outline_goes_round_and_is_written_as_xfoil_loads_it(real):
    module = real("section")
    section = module.Section.of(NACA)
    outline = section.outline()
    assert outline.shape == (161, 2) and np.allclose(outline[80], 0.0)
    assert np.allclose(outline[[0, -1], 0], 1.0, atol=1e-3)
    assert outline[40, 1] > 0.0 > outline[120, 1]
    lines = section.file().splitlines()
    assert len(lines) == 162 and [len(line.split()) for line in lines[1:]] == [2] * 161
    assert section.spar() == pytest.approx(8.573, abs=1e-3)


# --- XFOIL


def test_commands_are_typed_in_order(real):
    words = real("xfoil").typed(3e6, ["CL 0.5"]).split("\n")
    assert words[:4] == ["LOAD section.dat", "PANE", "OPER", "VISC 3000000"]
    assert words[5:9] == ["PACC", "polar.txt", "", "CL 0.5"] and words[-2] == "QUIT"


def test_polar_is_read(real):
    xfoil = real("xfoil")
    flows = xfoil.flows((RECORDED / "polar.txt").read_text())
    assert len(flows) == 15 and flows[0] == xfoil.Flow(6.0, 0.9063, 0.00873, -0.0507)
    assert xfoil.stall(flows) == 1.6267
    assert xfoil.flows("") == [] and xfoil.flows("   alpha  CL\n  ------ -----\n") == []


def test_stall_is_the_first_fall_and_needs_some_angles(real):
    xfoil = real("xfoil")
    sweep = [xfoil.Flow(a, cl, 0.01, 0.0) for a, cl in enumerate([1.0, 1.2, 1.3, 1.29, 1.4, 1.35])]
    assert xfoil.stall(sweep) == 1.3 and xfoil.stall(sweep[:3] + sweep[4:5] * 2) == 1.4
    with pytest.raises(RuntimeError, match="3 angles converged"):
        xfoil.stall(sweep[:3])


# --- The panel and its mesh


@pytest.mark.parametrize("ribs, height", [(1, 10.0), (3, 40.0), (6, 60.0)])
def test_mesh_fills_the_panel(real, ribs, height):
    module = real("panel")
    panel = module.Panel(2.0, height, 4.0, ribs)
    mesh = module.mesh(panel)
    corners = mesh.nodes[mesh.bricks[:, :8]]
    x, y, z = (corners[:, i] - corners[:, 0] for i in (1, 3, 4))
    volumes = np.einsum("ij,ij->i", np.cross(x, y), z)
    assert volumes.min() > 0.0 and volumes.sum() == pytest.approx(panel.end * module.LENGTH)
    assert np.allclose(mesh.nodes.max(axis=0), [600.0, 400.0, 2.0 + height])
    assert len(np.unique(mesh.nodes, axis=0)) == len(mesh.nodes)
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
    middles = [0.5 * (corners[:, a] + corners[:, b]) for a, b in pairs]
    assert np.allclose(mesh.nodes[mesh.bricks[:, 8:]], np.stack(middles, axis=1))


def test_number_of_ribs_is_the_nearest_whole_one(real):
    of = real("panel").Panel.of
    assert [of(PLATE | {"ribs": n}).ribs for n in (0.5, 2.49, 2.5, 5.49)] == [1, 2, 3, 5]
    assert of(PLATE).mass == pytest.approx(2.7e-6 * 600.0 * (3.0 * 400.0 + 3 * 4.0 * 30.0) + 3 * 0.04)


def test_faces_that_carry_loads_are_all_there(real):
    module = real("panel")
    panel = module.Panel.of(PLATE)
    mesh, model = module.mesh(panel), module.model(panel)
    plate, far = ([int(row.strip(",")) - 1 for row in part(model, f"*ELSET,ELSET={name}")] for name in ("PLATE", "FAR"))
    assert len(plate) == (mesh.cells[:, 2] == 0).sum() and np.allclose(mesh.nodes[mesh.bricks[plate]][:, :4, 2], 0.0)
    corners = mesh.nodes[mesh.bricks[far]]
    assert np.allclose(corners.max(axis=1)[:, 0], 600.0)
    assert np.prod(np.ptp(corners, axis=1)[:, 1:], axis=1).sum() == pytest.approx(panel.end)


def test_every_edge_is_held_and_nothing_else(real):
    deck = real("panel").model(real("panel").Panel.of(PLATE))
    nodes = {int(n): (float(x), float(y), float(z)) for n, x, y, z in (row.split(",") for row in part(deck, "*NODE"))}
    edge = [nodes[int(row.strip(","))] for row in part(deck, "*NSET,NSET=EDGE")]
    outer = [at for at in nodes.values() if at[2] == 1.5 and (at[0] in (0.0, 600.0) or at[1] in (0.0, 400.0))]
    assert sorted(edge) == sorted(outer) and len(edge) > 30
    end = [nodes[int(row.strip(","))] for row in part(deck, "*NSET,NSET=END")]
    assert sorted(end) == sorted(at for at in edge if at[0] == 0.0)
    assert [nodes[int(row.strip(","))] for row in part(deck, "*NSET,NSET=CORNER")] == [(0.0, 0.0, 1.5)]


def part(deck, head):
    """The lines after a card up to the next one."""
    return deck.split(f"{head}\n", 1)[1].split("\n*", 1)[0].splitlines()


def test_tables_are_read(real):
    calculix = real("calculix")
    assert calculix.cycles((RECORDED / "frequency.dat").read_text()) == 158.2014
    assert calculix.factor((RECORDED / "buckling.dat").read_text()) == 32.20972
    stresses = (RECORDED / "stress.dat").read_text()
    rows = [row.split() for row in stresses.splitlines()]
    by_hand = max(math.sqrt(_mises_squared(*map(float, row[2:]))) for row in rows if len(row) == 8 and row[0].isdigit())
    assert calculix.mises(stresses) == pytest.approx(by_hand)
    assert calculix.mises("1 1 100. 0. 0. 0. 0. 0.\n1 2 0. 0. 0. 0. 50. 0.") == pytest.approx(100.0)
    assert calculix.mises("1 1 90. 90. 90. 0. 60. 0.") == pytest.approx(60.0 * math.sqrt(3.0))


def _mises_squared(xx, yy, zz, xy, xz, yz):
    stress = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    deviator = stress - np.trace(stress) / 3.0 * np.eye(3)
    return 1.5 * float(np.sum(deviator * deviator))


@pytest.mark.parametrize("read", ["mises", "cycles", "factor"])
def test_tables_without_the_value_are_a_failure(real, read):
    with pytest.raises(RuntimeError, match="ccx: no "):
        getattr(real("calculix"), read)("\n     B U C K L I N G   F A C T O R   O U T P U T\n")


# --- Running programs


def test_end_of_a_program_is_a_value_or_a_failure_in_words(real, tmp_path, monkeypatch):
    solver = real("solver")
    assert solver.run(sys.executable, ("-c", "print(input())"), tmp_path, "2\n") == "2\n"
    with pytest.raises(solver.NoValueError, match="exit code 3, broken"):
        solver.run(sys.executable, ("-c", "import sys; print('broken', file=sys.stderr); sys.exit(3)"), tmp_path)
    monkeypatch.setattr(solver, "WALL_LIMIT", 0.2)
    with pytest.raises(solver.TimeLimitError, match="no end after 0.2 s"):
        solver.run(sys.executable, ("-c", "import time; time.sleep(60)"), tmp_path)


def test_missing_packages_are_named(real, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    assert real("__main__").main(["run", "--case", "aerofoil", "panel"]) == 2
    assert "apt install xfoil xvfb calculix-ccx" in capsys.readouterr().err


# --- Cases, cache, program


@pytest.mark.parametrize("name", ["aerofoil", "panel"])
def test_case_is_its_study_file(real, name):
    case, file = real("cases").CASES[name], load(ROOT / f"benchmarks/real/{name}.toml")
    assert case.problem == file.problem and list(case.functions) == list(case.problem.functions)
    assert case.budget == file.study.budget


def test_constraints_are_judged_as_measured(real, cheap):
    violated = real("cases").violated
    good = {"mass": 2.0, "stress": 45.0, "frequency": 250.0, "buckling": 150.0}
    assert violated(cheap.problem, good) == []
    assert violated(cheap.problem, good | {"stress": 45.0001, "buckling": None}) == ["stress", "buckling"]
    assert violated(cheap.problem, good | {"mass": None}) == ["mass"]


def test_values_and_failures_are_computed_once(real, cheap, tmp_path, monkeypatch):
    cache, many = real("cache"), PLATE | {"ribs": 5.0}
    kept = cache.Cache(tmp_path)
    first, again = (kept.run("panel", "stress", PLATE) for _ in range(2))
    assert (first.value, first.kept, again.value, again.kept) == (50.0, False, 50.0, True)
    assert not kept.run("panel", "stress", PLATE | {"height": math.nextafter(30.0, 31.0)}).kept
    failed = [kept.run("panel", "frequency", many) for _ in range(2)]
    assert [(each.value, each.note) for each in failed] == [(None, "ccx: exit code 1")] * 2
    assert [each.kept for each in failed] == [False, True]

    def slow(point):
        raise real("solver").TimeLimitError("ccx: no end after 600 s")

    monkeypatch.setitem(cheap.functions, "buckling", slow)
    assert [kept.run("panel", "buckling", PLATE).kept for _ in range(2)] == [False, False]


def test_program_answers_as_a_study_file_asks(real, cheap):
    order = {"study": "panel", "suggestion": 3, "parameters": PLATE, "functions": ["stress", "buckling"]}
    assert json.loads(real("program").main("panel", json.dumps(order))) == {"stress": 50.0, "buckling": 150.0}


# --- Studies and tables


def test_answer_is_computed_again_and_studies_are_resumed(real, cheap, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(real("__main__"), "missing", lambda programs: [])
    out = tmp_path / "answers.jsonl"
    order = ["run", "--case", "panel", "--units", "3", "--method", "random"]
    order += ["--out", str(out), "--store", str(tmp_path)]
    assert real("__main__").main([*order, "--seeds", "0"]) == 0
    out.write_text(out.read_text() + '{"case": "pan')  # a run that was killed while it wrote
    assert real("__main__").main([*order, "--seeds", "0-1"]) == 0
    lines = list(real("__main__").rows(out))
    assert [line["seed"] for line in lines] == [0, 1]
    for line in lines:
        answer = line["answer"]
        again = {name: f(answer["point"]) for name, f in cheap.functions.items() if name != "frequency"}
        assert {name: answer["again"][name] for name in again} == again
        assert answer["holds"] == (not real("cases").violated(cheap.problem, answer["again"]))
        assert sum(line["runs"].values()) >= 4 * 10 and sum(line["solver_cpu"].values()) >= 0.0
    capsys.readouterr()
    assert real("__main__").main(["table", str(out)]) == 0
    assert capsys.readouterr().out.count("| panel |") == 3


def line(seed, holds=True, feasibility=0.999, verified=None, value=2.0, **extra):
    answer = {"again": {"mass": value}, "holds": holds, "feasibility": feasibility, "verified": verified}
    answer |= {"violated": [] if holds else ["stress"], "whole": verified or False}
    answer["errors"] = {"mass": -0.5, "stress": None}
    head = {"case": "panel", "taut": "0.1.0+0", "units": 60.0, "seed": seed, "incumbent": None, "decisions_cpu": 3.0}
    cost = {"runs": {"mass": 8, "stress": 2}, "failures": {"stress": 1}, "solver_cpu": {"stress": 0.5}}
    return head | {"answer": answer} | cost | extra


def test_tables_count_what_holds(real):
    table = real("table")
    lines = [line(0), line(1, holds=False), line(2, feasibility=0.5, value=3.0), line(3, verified=True, value=2.4)]
    lines.append(line(4, answer=None, error="StoppedError: every function failed"))
    row = [cell.strip() for cell in table.summary(lines).splitlines()[-1].strip("|").split("|")]
    assert row[3:8] == ["5", "3 of 5", "2 of 3", "1 of 1", "0 of 0"]
    assert row[8:] == ["2.4 (2 to 3)", "5 of 50", "0.05", "3.0"]
    rows = table.answers(lines).splitlines()
    assert [cell.strip() for cell in rows[3].split("|")] == ["", *"panel 1 2 0.9990 no no stress 0.5".split(), ""]
    assert "every function failed" in rows[-1]


def test_errors_are_in_standard_deviations(real):
    believed = {"objective": [2.0, 0.5], "constraints": {"c": [1.0, 0.0], "d": [0.0, 1.0]}}
    answer = {"again": {"f": 3.0, "c": 1.0, "d": None}, **believed}
    assert real("seed").errors("f", answer) == {"f": 2.0, "c": 0.0, "d": None}


def test_second_differences_tell_noise_from_slope_and_find_jumps(real):
    scan, rng = real("scan"), np.random.default_rng(0)
    smooth = np.linspace(0.0, 5.0, 400)
    found = scan.roughness("f", list(smooth + 0.01 * rng.normal(size=400)))
    assert found.noise == pytest.approx(0.01, rel=0.2)
    jumping = list(smooth + 0.5 * (np.arange(400) > 200))
    assert scan.roughness("f", jumping).jump == pytest.approx(0.5) and scan.roughness("f", jumping).noise < 1e-12
    assert scan.roughness("f", [1.0, None, 2.0, None]).failed == 2
    points = scan.line({"a": 0.0, "b": 1.0}, {"a": 1.0, "b": 1.0}, 3)
    assert points == [{"a": 0.0, "b": 1.0}, {"a": 0.5, "b": 1.0}, {"a": 1.0, "b": 1.0}]


# --- The solvers themselves, where they are installed


@pytest.mark.skipif(shutil.which("ccx") is None, reason="needs ccx (Debian: calculix-ccx)")
def test_calculix_agrees_with_kirchhoff_on_a_plain_plate(real):
    module, functions = real("panel"), real("cases").PANEL.functions
    plain = PLATE | {"ribs": 0.0}
    bending = module.MODULUS * 3.0**3 / 12.0 / (1.0 - module.POISSON**2)
    swing = 0.5 * math.pi * (600.0**-2 + 400.0**-2) * math.sqrt(bending / (3.0 * module.DENSITY))
    assert functions["frequency"](plain) == pytest.approx(swing, rel=0.03)
    halves = min((m * 400.0 / 600.0 + 600.0 / (m * 400.0)) ** 2 for m in (1, 2, 3))  # m half waves along
    assert functions["buckling"](plain) == pytest.approx(halves * math.pi**2 * bending / 400.0 / 1e3, rel=0.03)


def test_a_crash_of_xfoil_is_told_in_its_own_words(real):
    crash = real("xfoil").crash
    fonts = crash(1, "\n X Error of failed request:  BadName (named color or font does not exist)\n")
    assert "BadName" in fonts and "xfonts-base" in fonts
    assert crash(136, "Floating point exception\nBacktrace") == "ended with code 136, Floating point exception"
    assert crash(2, "") == "ended with code 2, without a word"


@pytest.mark.skipif(None in map(shutil.which, ("xfoil", "Xvfb")), reason="needs xfoil and Xvfb (Debian: xfoil, xvfb)")
def test_xfoil_computes_without_a_display(real, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    functions = real("cases").AEROFOIL.functions
    assert 40.0 < functions["drag"](NACA) < 70.0 and -0.07 < functions["moment"](NACA) < -0.04
    with pytest.raises(real("solver").NoValueError, match="xfoil"):
        functions["climb"]({"thickness": 8.0, "thickest": 50.0, "nose": 3.0, "camber": 0.0, "cambered": 20.0})
