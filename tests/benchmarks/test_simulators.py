"""The examples with real simulators: study files load and programs parse; none is run. And the benchmark about them."""

import ast
import importlib
import json
import re
from pathlib import Path

import pytest

import taut
from taut.app.studyfile.file import load

ROOT = Path(__file__).parents[2]
NAMES = ("aerofoil", "amplifier", "grid", "panel", "water")

STUDY = """
[study]
name = "toy"
budget = 12
initial = 3
[parameters.x]
low = 0.0
high = 1.0
[objective]
name = "f"
goal = "minimize"
formula = "x"
[[constraints]]
name = "g"
at_least = 0.5
command = ["python", "g.py"]
[[constraints]]
name = "h"
at_most = 2.0
[[constraints]]
name = "k"
at_most = 3.0
[[groups]]
name = "both"
functions = ["h", "k"]
cost = 2
command = ["python", "both.py"]
[[setups]]
name = "mesh"
functions = ["g"]
cost = 0.5
command = ["python", "mesh.py"]
"""
PROGRAMS = {
    "mesh": "from pathlib import Path\nasked = json.load(sys.stdin)\n"
    'Path(asked["setups"][0]["folder"], "mesh").write_text(str(asked["parameters"]["x"]))',
    "g": 'from pathlib import Path\nsetup = json.load(sys.stdin)["setups"][0]\nassert setup["made"]\n'
    'print("noise")\nprint(json.dumps({"g": float(Path(setup["folder"], "mesh").read_text())}))',
    "both": 'x = json.load(sys.stdin)["parameters"]["x"]\nif x > 0.9:\n    sys.exit("too far")\n'
    'print(json.dumps({"h": x, "k": 2 * x}))',
}


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("simulators")


@pytest.fixture
def toy(tmp_path, bench, monkeypatch):
    """A folder of examples with one that needs nothing."""
    folder = tmp_path / "examples" / "toy"
    folder.mkdir(parents=True)
    (folder / "study.toml").write_text(STUDY)
    for name, text in PROGRAMS.items():
        (folder / f"{name}.py").write_text(f"import json\nimport sys\n{text}\n")
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(bench, "NAMES", ("toy",))
    return load(folder / "study.toml")


@pytest.mark.parametrize("name", NAMES)
def test_study_file_loads_and_every_function_has_a_program_that_parses(name):
    file = load(ROOT / "examples" / name / "study.toml")
    assert file.study.name == name and file.study.verify and file.study.budget is not None
    for program in (*file.programs, *file.setups):
        python, script = program.command
        assert python == "python" and ast.parse((file.folder / script).read_text())
    known = {each for each in file.problem.functions if file.problem.function(each).formula is not None}
    assert known | {each for program in file.programs for each in program.functions} == set(file.problem.functions)
    for path in file.folder.glob("*.py"):
        ast.parse(path.read_text())


def test_the_ones_that_were_asked_for_are_mixed(bench):
    files = {name: load(ROOT / "examples" / name / "study.toml") for name in bench.NAMES}
    assert set(files) == set(NAMES)
    assert len(files["grid"].problem.constraints) >= 20
    assert files["panel"].setups and files["panel"].problem.objective.formula is not None
    assert isinstance(files["panel"].problem.parameters[3], taut.Integer)
    for name in ("water", "amplifier"):
        assert all(isinstance(each, taut.Ordinal) for each in files[name].problem.parameters)


def test_programs_run_as_they_are_with_their_setup(toy, bench):
    found = {each: run for program in toy.programs for each, run in bench.compute(toy, program, {"x": 0.25}).items()}
    assert {each: run.value for each, run in found.items()} == {"g": 0.25, "h": 0.25, "k": 0.5}
    failed = bench.compute(toy, toy.programs[1], {"x": 0.95})
    assert failed["k"].value is None and "too far" in failed["h"].note


def test_values_are_kept_and_failures_too(toy, bench, tmp_path, monkeypatch):
    functions = bench.Values(toy, tmp_path / "kept.jsonl").functions()
    assert functions["k"]({"x": 0.25}) == 0.5
    with pytest.raises(RuntimeError, match="too far"):
        functions["h"]({"x": 0.95})
    monkeypatch.setattr(bench, "compute", None)  # all of it is known, those of the group included
    again = bench.Values(toy, tmp_path / "kept.jsonl").functions()
    assert again["h"]({"x": 0.25}) == 0.25
    with pytest.raises(RuntimeError, match="too far"):
        again["k"]({"x": 0.95})


def test_a_study_is_run_once_and_its_answer_run_again(toy, bench, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out.jsonl"
    monkeypatch.setattr(bench, "STUDIES", (("random", 1.0),))
    places = ["--out", str(out), "--store", str(tmp_path)]
    given = bench.parse(["run", "toy", "--seeds", "0", "--methods", "random", *places])
    given.part(given)
    (line,) = list(bench.rows(out))
    assert line["again"]["f"] == line["point"]["x"] == line["again"]["g"] and line["initial"] == 3 * 3.5
    assert line["violated"] == [] if line["point"]["x"] >= 0.5 else ["g"]
    given.part(given)
    assert len(list(bench.rows(out))) == 1


def test_the_study_of_an_example_is_kept_where_its_file_says(toy, bench, tmp_path):
    given = bench.parse(["keep", "toy", "--store", str(tmp_path)])
    given.part(given)
    study = taut.Study.open(toy.study.storage)
    assert study.spent > 0.0 and study.recommend().point["x"] == pytest.approx(0.5, abs=1e-3)


def test_limits_are_checked_as_declared(toy, bench):
    assert bench.violated(toy.problem, {"f": 0.1, "g": 0.5, "h": 2.0, "k": 3.1}) == ["k"]
    assert bench.violated(toy.problem, {"f": None, "g": 0.4, "h": None, "k": 3.0}) == ["f", "g", "h"]


def test_tables_compare_a_third_of_the_money(toy, bench, tmp_path, monkeypatch):
    def line(method, money, seed, objective, **more):
        counts = {"f": 0, "g": 5, "h": 4, "k": 4}
        head = {"example": "toy", "method": method, "money": money, "seed": seed, "objective": objective}
        rest = {"budget": 12.0 * money, "verified": True, "violated": [], "counts": counts}
        return head | rest | {"initial": 10.5, "deciding": 1.0} | more

    lines = [line("dckg", 1.0, seed, 0.5 + 0.1 * seed) for seed in range(3)]
    lines += [line("ckg", 3.0, seed, 0.65) for seed in range(3)]
    lines += [line("cei", 3.0, 0, 0.4, verified=False, violated=["g"])]
    text = bench.tables(lines)
    shown = re.sub(" {2,}", " ", text)
    assert "| 12 | 3 | 0.6 (0.5 to 0.7) | | | 0.65 (0.65 to 0.65) | none, 1 not verified, **1 infeasible** |" in shown
    assert "| yes; 2 of 3 seeds |" in shown and "g (1): 2 / 2, both (2): 1 / 1 | 1 |" in shown
    page, out = tmp_path / "page.md", tmp_path / "out.jsonl"
    page.write_text(f"before\n{bench.BEGIN}\nold\n{bench.END}\nafter\n")
    out.write_text("".join(json.dumps(each) + "\n" for each in lines))
    monkeypatch.setattr(bench, "PAGE", page)
    assert bench.main(["page", "--out", str(out)]) == 0
    assert page.read_text() == f"before\n{bench.BEGIN}\n\n{text}\n\n{bench.END}\nafter\n"
