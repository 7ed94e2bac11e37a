"""Tables and badges of the page of experiments."""

import pytest

from taut.plot.page.frame import BASE, asset
from taut_paper.report.claims import OUTCOMES, View
from taut_paper.report.document import BADGES, _badge, _compared, _table
from taut_paper.report.tables import Cell, Table, cells


def test_every_outcome_has_a_badge_of_the_common_style() -> None:
    assert set(BADGES) == set(OUTCOMES)
    for outcome in OUTCOMES:
        kind = BADGES[outcome][0]
        assert outcome in _badge(outcome) and (kind == "absent" or f".{kind} {{" in asset(BASE))


def test_a_table_has_its_groups_heads_rows_and_note() -> None:
    made = Table(
        "Of <it>", ("a", "a long heading"), ((Cell("1", strong=True), Cell("2")),), (("", 1), ("both", 1)), "n"
    )
    text = _table(made)
    assert "Of &lt;it&gt;" in text and "<td><b>1</b></td><td>2</td>" in text and '<p class="note">n</p>' in text
    assert '<th colspan="1">both</th>' in text and '<th class="long">a long heading</th>' in text


@pytest.mark.parametrize(("columns", "wide"), [(9, False), (10, True)])
def test_many_columns_are_printed_small(columns: int, wide: bool) -> None:
    names = tuple("abcdefghij"[:columns])
    assert ('class="wide"' in _table(Table("", names, (cells(*names),)))) == wide


def test_what_is_the_other_way_round_is_strong() -> None:
    text = _compared([View("default", "contradicted", "", (("e", "c", "n", "0.01", "9", "opposite"),))])
    assert text is not None and "<b>opposite</b>" in text
    assert _compared([View("default", "no data", "", ())]) is None
