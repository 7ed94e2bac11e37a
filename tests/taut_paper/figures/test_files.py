"""Figures as bytes: small, alone, and the same each time."""

import re

import numpy as np
import pytest
from matplotlib.figure import Figure

from taut_paper.curves import Line, Panel
from taut_paper.figures import files
from taut_paper.figures.draw import Grid, cost_panels
from taut_paper.figures.style import Style


def figure() -> Figure:
    values = 1.0 / (1.0 + np.arange(40.0))
    return cost_panels(
        [Panel("a & b", (Line("<c>", Style("#123456"), np.arange(40.0), values, values, values),))], Grid(2)
    )


def test_the_same_figure_gives_the_same_bytes() -> None:
    assert files.svg(figure(), "one") == files.svg(figure(), "one")
    assert files.png(figure()) == files.png(figure())


def test_a_file_stands_alone_and_has_no_date() -> None:
    whole = files.svg(figure(), "one")
    assert whole.startswith("<?xml") and 'xmlns="http://www.w3.org/2000/svg"' in whole
    assert "metadata" not in whole and "DOCTYPE" not in whole
    assert files.png(figure()).startswith(b"\x89PNG")


def test_ids_begin_with_the_name_and_all_are_used() -> None:
    whole = files.svg(figure(), "one")
    ids = re.findall(r' id="([^"]+)"', whole)
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', whole))
    assert used and set(ids) == used and all(name.startswith("one-") for name in ids)


def test_inline_is_the_element_with_a_label() -> None:
    element = files.inline(files.svg(figure(), "one"), 'less < more & "so"')
    assert element.startswith("<svg viewBox=") and element.endswith("</svg>")
    assert 'aria-label="less &lt; more &amp; &quot;so&quot;"' in element


@pytest.mark.parametrize(
    ("shape", "short"),
    [
        ("M 1.23456 2 \nL 3.0001 4 \nz", "M 1.23 2 3 4 z"),
        ("M 1 2 \nL 3 4 \nC 1 2 3 4 5 6", "M 1 2 L 3 4 C 1 2 3 4 5 6"),
    ],
)
def test_paths_of_lines_are_short_and_others_whole(shape: str, short: str) -> None:
    assert files._shorter(shape) == short
