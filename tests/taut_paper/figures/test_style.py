"""How methods and presets look."""

from taut_paper.experiments import PARTS
from taut_paper.figures.style import METHODS, method_style, preset_style


def test_every_method_of_the_plan_has_its_own_look() -> None:
    planned = {arm.method for part in PARTS.values() for arm in part.arms}
    assert planned <= set(METHODS)
    looks = [(style.colour, style.dashes, style.marker) for style in METHODS.values()]
    assert len(set(looks)) == len({style.colour for style in METHODS.values()}) == len(METHODS)
    assert method_style("b", ["a", "b"]) != method_style("a", ["a", "b"])


def test_presets_differ() -> None:
    assert len({preset_style(name) for name in ("default", "paper", "mine")}) == 3
