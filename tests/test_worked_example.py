"""docs/adding-a-method.md is true: its criterion, its method and its test run as they stand there."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import taut
from taut import bench
from taut.policy import METHODS

PAGE = (Path(__file__).parent.parent / "docs" / "adding-a-method.md").read_text()
SECTIONS = re.findall(r"^## \d\. [^`\n]*`([^`]+)`\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
BLOCKS = [(path, code) for path, text in SECTIONS for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]


def module(path: str, code: str) -> ModuleType:
    """The code of a block as the module that its heading names."""
    name = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    made = ModuleType(name)
    sys.modules[name] = made  # dataclasses look their module up
    exec(compile(code, path, "exec"), made.__dict__)
    return made


@pytest.fixture(scope="module")
def modules() -> Iterator[dict[str, ModuleType]]:
    made = {path: module(path, code) for path, code in BLOCKS}
    METHODS["poi"] = made["src/taut/policy/poi.py"].ProbabilityOfImprovement
    yield made
    del METHODS["poi"]
    for each in made.values():
        del sys.modules[each.__name__]


def test_the_page_has_a_criterion_a_method_and_a_test() -> None:
    paths = [path for path, _ in BLOCKS]
    assert paths == ["src/taut/acquisition/success.py", "src/taut/policy/poi.py", "tests/acquisition/test_success.py"]


def test_its_test_passes(modules: dict[str, ModuleType]) -> None:
    own = modules["tests/acquisition/test_success.py"]
    for S in own.SETS:
        for tau in (0.3, None):
            own.test_against_enumeration_and_differences(S, tau)


def test_its_method_runs_a_study_and_finds_something(modules: dict[str, ModuleType]) -> None:
    tested = bench.problem("test_function_2")
    study = taut.Study(tested.problem, method="poi", seed=1)
    best = study.run(tested.functions, budget=24)
    assert study.spent == 24.0 and tested.opportunity_cost(best.point) < 0.2
    chosen = [row for row in study.suggestions if not row.initial]
    assert all(len(row.functions) == 1 for row in chosen) and len({row.functions for row in chosen}) >= 2
    assert study.replay(chosen[-1].number) == chosen[-1]
