"""The public surface: exactly these names, and each of them works."""

import importlib.metadata

import pytest

import taut

PUBLIC = [
    "Choice",
    "Constraint",
    "FunctionCheck",
    "Group",
    "Incumbent",
    "Integer",
    "Objective",
    "Observation",
    "Ordinal",
    "Prediction",
    "Problem",
    "ProblemError",
    "Real",
    "Recommendation",
    "Setup",
    "StorageError",
    "Study",
    "StudyError",
    "StudyFileError",
    "Suggestion",
    "TautError",
    "UnknownNameError",
    "ValueRefusedError",
    "__version__",
    "bench",
    "maximize",
    "minimize",
    "plot",
]


def test_the_list_is_exact() -> None:
    assert taut.__all__ == PUBLIC
    assert dir(taut) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_each_name_exists(name: str) -> None:
    assert getattr(taut, name) is not None


def test_other_names_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Categorical'"):
        _ = taut.Categorical


@pytest.mark.parametrize("name", [name for name in PUBLIC if name.endswith("Error")])
def test_all_errors_share_a_base(name: str) -> None:
    assert issubclass(getattr(taut, name), taut.TautError)


def test_one_version() -> None:
    assert taut.__version__ == importlib.metadata.version("taut")
