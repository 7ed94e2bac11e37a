"""Who may import whom, how the house is laid out, and how little `import taut` loads.

A folder may import the folders named in ALLOWED, and inside a folder (or package of folders) a module may import only
modules before it in the reading order with which its `__init__` opens. Imports inside functions and under
TYPE_CHECKING count like all others, so no ring can hide in one.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
GROUND_FLOOR = 14
BELOW = {"base", "problem", "data", "surrogate", "acquisition", "policy", "storage", "study", "bench", "plot"}

# A folder directly under taut may import these, besides itself.
ALLOWED = {
    "taut.base": set(),
    "taut.problem": {"base"},
    "taut.data": {"base", "problem"},
    "taut.surrogate": {"base", "data"},
    "taut.acquisition": {"base", "data", "surrogate"},
    "taut.policy": {"base", "problem", "data", "surrogate", "acquisition"},
    "taut.storage": {"base", "problem", "data"},
    "taut.study": {"base", "problem", "data", "storage"},
    "taut.bench": {"base", "problem"},
    "taut.plot": {"base", "problem", "data", "storage", "study"},
    "taut.hosts": {"base", "problem", "data", "storage", "study"},
    "taut.app": BELOW,
    "taut_paper": BELOW | {"app"},
}
# Only these may, and only inside a function: the models need SciPy, the paper Matplotlib, which are slow to import.
LAZY = {
    "taut.study.method": {"taut.policy"},
    "taut.study.views": {"taut.plot"},
    "taut.app.studyfile.keys": {"taut.policy"},
    "taut.app.cli.bench": {"taut_paper"},
}
# Of the program around the library the experiments may use only what runs work side by side.
FROM_APP = {"taut.app.run.pools"}

MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts): path
    for path in sorted(SOURCE.rglob("*.py"))
    if path.with_name("__init__.py").exists()  # else it is a file to be handed out
}
INSIDE = [name for name in MODULES if name not in ("taut.__init__", "taut.__main__")]


def imported(tree: ast.AST, lazy: bool = False) -> list[tuple[str, bool]]:
    """(module, is it inside a function?) of every import of this project, wherever it stands."""
    found: list[tuple[str, bool]] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, lazy) for alias in node.names if alias.name.split(".")[0] in ("taut", "taut_paper")]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            module = node.module or ""
            if module.split(".")[0] in ("taut", "taut_paper"):
                names = [f"{module}.{alias.name}" for alias in node.names]
                found += [(name if name in MODULES else module, lazy) for name in names]
        else:
            found += imported(node, lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return found


def package_of(module: str) -> str:
    """taut.policy for taut.policy.search.sets; taut_paper for everything in it."""
    parts = module.split(".")
    return parts[0] if parts[0] == "taut_paper" else ".".join(parts[:2])


def reading_order(package: str) -> list[str]:
    """The modules of a package in the order given in its docstring, `a, b, folder.c`."""
    doc = ast.get_docstring(ast.parse(MODULES[f"{package}.__init__"].read_text())) or ""
    found = re.search(r"Reading order: ([^:]*?)\.(?:\s|$)", doc, re.DOTALL)
    assert found, f"{package}: the docstring of __init__ must have a line 'Reading order: ...'"
    return [f"{package}.{name}" for name in re.split(r",\s+", found.group(1).strip())]


PACKAGES = sorted({package_of(name) for name in INSIDE})


@pytest.mark.parametrize("package", PACKAGES)
def test_the_reading_order_names_every_module(package: str) -> None:
    modules = [name for name in INSIDE if package_of(name) == package and not name.endswith("__init__")]
    order = reading_order(package)
    assert sorted(order) == sorted(modules)


@pytest.mark.parametrize("module", INSIDE)
def test_import_direction(module: str) -> None:
    package = package_of(module)
    order = reading_order(package)
    for name, lazy in imported(ast.parse(MODULES[module].read_text())):
        if name == "taut":
            continue  # only __version__, see below
        target = package_of(name)
        if lazy and any(name.startswith(allowed) for allowed in LAZY.get(module, set())):
            continue
        if target == package:
            if not module.endswith("__init__"):
                assert name in order, f"{module} imports {name}: name the module itself"
                assert order.index(name) < order.index(module), f"{module} comes before {name} in the reading order"
        else:
            assert target.removeprefix("taut.") in ALLOWED[package], f"{module} may not import {name}"
            if package == "taut_paper" and target == "taut.app":
                assert name in FROM_APP, f"{module} may not import {name}"


def test_nobody_imports_the_whole_package() -> None:
    for module in INSIDE:
        for node in ast.walk(ast.parse(MODULES[module].read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "taut":
                assert [alias.name for alias in node.names] == ["__version__"], module
            assert not (isinstance(node, ast.Import) and any(alias.name == "taut" for alias in node.names)), module


def test_there_is_no_ring() -> None:
    left = {package.removeprefix("taut."): set(targets) for package, targets in ALLOWED.items()}
    done: set[str] = set()
    while ready := [unit for unit, targets in left.items() if targets <= done]:
        done |= set(ready)
        left = {unit: targets for unit, targets in left.items() if unit not in done}
    assert not left


def test_the_ground_floor_is_small() -> None:
    entries = {path.name for path in (SOURCE / "taut").iterdir() if path.name != "__pycache__"} - {"py.typed"}
    assert len(entries) <= GROUND_FLOOR, sorted(entries)


READING_PATH = (
    "taut.problem.problem",
    "taut.data.rows",
    "taut.data.dataset",
    "taut.study.study",
    "taut.storage.base",
    "taut.policy.__init__",
    "taut.policy.menu",
    "taut.policy.context",
    "taut.policy.method",
    "taut.acquisition.utility",
    "taut.acquisition.improvement",
    "taut.policy.ei",
    "taut.surrogate.gp",
    "taut.acquisition.knowledge",
    "taut.policy.kg",
)
"""What a newcomer reads, in this order; everything else is a leaf that answers one named question."""


def test_the_reading_path_is_short_and_documented() -> None:
    assert sum(len(MODULES[name].read_text().splitlines()) for name in READING_PATH) <= 2500
    shown = [name.removeprefix("taut.").replace(".", "/").removesuffix("/__init__") for name in READING_PATH]
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    found = re.findall(r"^\d+\. `([\w/]+)`", guide, re.MULTILINE)
    assert found == shown


def test_every_module_has_a_test_of_its_name() -> None:
    missing = []
    for name, path in MODULES.items():
        parts = name.removeprefix("taut.").split(".")
        if parts[-1].startswith("__") or len(path.read_text().splitlines()) <= 30:
            continue
        if not ROOT.joinpath("tests", *parts[:-1], f"test_{parts[-1]}.py").exists():
            missing.append(name)
    assert missing == []


def test_files_stay_short() -> None:
    long = {str(path): n for path in MODULES.values() if (n := len(path.read_text().splitlines())) > 400}
    assert long == {}


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the first statement after the docstring to the last."""
    code = function.body[ast.get_docstring(function) is not None :]
    return (function.end_lineno or 0) - code[0].lineno + 1 if code else 0


def test_functions_stay_short() -> None:
    found = {
        f"{name}.{node.name}": length(node)
        for name, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    assert {name: lines for name, lines in found.items() if lines > 40} == {}
    assert sorted(found.values())[len(found) // 2] <= 5


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import taut", ["numpy", "scipy"]),
        ("import taut; taut.Problem; taut.Study; taut.minimize", ["scipy"]),
    ],
)
def test_importing_is_light(statement: str, absent: list[str]) -> None:
    heavy = ["scipy.stats", "matplotlib", "plotly", "pandas", "sqlalchemy", "psycopg", "rich", "click", "starlette"]
    heavy += ["taut.plot", "taut.hosts", *absent]
    script = f"{statement}\nimport sys\nprint([name for name in {heavy!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
