"""Who may import whom, and how little `import taut` loads."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "taut"

ROOTS = {"errors", "arrays", "numeric"}
PROBLEM = ROOTS | {"problem"}
DATA = PROBLEM | {"data", "quasirandom"}
POLICY = DATA | {"surrogate", "acquisition", "policy"}
STUDY = DATA | {"checks", "declaration", "design", "evaluate", "ledger", "loop", "share", "storage", "study"}
ALL = POLICY | STUDY | {"simple", "bench"}
RUN = {"guard", "processes", "programs", "cluster"}
FILES = {"studyfile", "example", "measured", "overview", "export", "byhand", "best", "wording"}

# A module or folder directly under taut may import these, besides itself.
ALLOWED = {
    "errors": set(),
    "arrays": set(),
    "numeric": {"errors"},
    "quasirandom": ROOTS,
    "problem": ROOTS,
    "data": PROBLEM,
    "surrogate": DATA,
    "acquisition": DATA | {"surrogate"},
    "policy": DATA | {"surrogate", "acquisition"},
    "storage": DATA,
    "evaluate": DATA,
    "loop": DATA | {"evaluate"},
    "share": DATA | {"evaluate", "ledger", "loop", "storage"},
    "design": DATA,
    "ledger": DATA,
    "checks": DATA | {"ledger"},
    "declaration": DATA | {"checks", "ledger", "storage"},
    "study": STUDY,
    "simple": STUDY,
    "studyfile_text": ROOTS,
    "studyfile_place": ROOTS,
    "studyfile_keys": PROBLEM,
    "studyfile": STUDY | {"studyfile_text", "studyfile_place", "studyfile_keys"},
    "example": ROOTS,
    "measured": STUDY | {"studyfile_text", "studyfile_keys"},
    "overview": STUDY | {"studyfile", "studyfile_place"},
    "export": STUDY | {"studyfile", "overview"},
    "byhand": STUDY | {"studyfile", "measured"},
    "best": STUDY | {"studyfile"},
    "wording": STUDY | {"best", "overview"},
    "bench": ALL | {"cluster"},
    "guard": set(),
    "processes": ROOTS | {"guard"},
    "programs": DATA | {"evaluate", "processes"},
    "cluster": ROOTS | {"guard", "processes"},
    "running": STUDY | RUN | {"studyfile", "overview", "best"},
    "runview": STUDY | RUN | {"running", "overview", "best", "wording"},
    "demo": STUDY | {"bench"},
    "terminal": STUDY | {"bench", "demo"},
    "commands": ALL | FILES | RUN | {"running", "runview", "demo", "terminal"},
    "cli": ALL | FILES | RUN | {"commands", "running", "runview", "demo", "terminal"},
    "__main__": {"cli"},
    "__init__": set(),
}
# The names of methods are part of the public contract, so these find the method when it is named.
LAZY = {"study": {"policy"}, "studyfile_keys": {"policy"}}


def imports(tree: ast.AST, top: bool = True) -> Iterator[tuple[str, bool]]:
    """(dotted name, is it at the top level?) of every import from taut; type-checking blocks are left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            module = node.module or ""
            yield from ((f"{module}.{alias.name}" if module == "taut" else module, top) for alias in node.names)
        else:
            yield from imports(node, top and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def unit_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


MODULES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(SOURCE)) for path in MODULES])
def test_import_direction(path: Path) -> None:
    unit = unit_of(path)
    assert unit in ALLOWED, f"{unit} is new: say in ALLOWED what it may import"
    for name, top in imports(ast.parse(path.read_text())):
        if not name.startswith("taut.") or name == "taut.__version__":
            assert name != "taut", f"{path} imports the whole package"
            continue
        target = name.split(".")[1]
        if target == unit or (not top and target in LAZY.get(unit, set())):
            continue
        assert target in ALLOWED[unit], f"{path} may not import {name}"


def test_there_is_no_ring() -> None:
    done: set[str] = set()
    left = {unit: targets - {unit} for unit, targets in ALLOWED.items()}
    while ready := [unit for unit, targets in left.items() if targets <= done]:
        done |= set(ready)
        left = {unit: targets for unit, targets in left.items() if unit not in done}
    assert not left


def test_files_stay_short() -> None:
    long = {str(path): n for path in MODULES if (n := len(path.read_text().splitlines())) > 400}
    assert long == {}


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import taut", ["numpy", "scipy"]),
        ("import taut; taut.Problem; taut.Study; taut.minimize", ["scipy"]),
    ],
)
def test_importing_is_light(statement: str, absent: list[str]) -> None:
    heavy = ["scipy.stats", "matplotlib", "plotly", "sqlalchemy", "psycopg", "rich", "click", *absent]
    script = f"{statement}\nimport sys\nprint([name for name in {heavy!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
