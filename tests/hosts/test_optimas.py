"""Parts for Optimas. Needs it: make hosts."""

from typing import Any

import pytest

pytest.importorskip("gest_api")
pytest.importorskip("optimas")

from gest_api.vocs import VOCS  # noqa: E402

from taut.hosts.gest import TautGenerator  # noqa: E402
from taut.hosts.optimas import parts  # noqa: E402
from taut.hosts.requests import REQUEST, GestError  # noqa: E402


def made(**variables: Any) -> tuple[Any, Any]:
    vocs = VOCS(variables={"x": [0.0, 1.0], **variables}, objectives={"f": "MINIMIZE"})
    generator = TautGenerator(vocs)
    return parts(generator, generator.simulator({"f": lambda point: 1.0}))


@pytest.mark.parametrize("values", [{1, 2.5}, {"steel", "lead"}, {1, 3}])
def test_a_catalogue_is_refused(values: Any) -> None:
    """Optimas would leave the variable out, silently."""
    with pytest.raises(GestError, match="'s': expected a range, or a set of whole numbers without gaps"):
        made(s=values)


def test_what_has_one_value_stays_with_the_generator() -> None:
    generator, _ = made(one={7}, n={1, 2, 3})
    assert [each.name for each in generator.varying_parameters] == ["x", "n"]  # nor is there a request: one function
    assert REQUEST in generator.gen.vocs.variables
