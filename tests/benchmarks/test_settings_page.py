"""docs/settings.md is what the declarations say, and no number is without a source."""

import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def printer() -> object:
    sys.path.insert(0, str(SCRIPTS))
    try:
        import settings_page

        return settings_page
    finally:
        sys.path.remove(str(SCRIPTS))


def test_the_page_is_current(printer) -> None:  # type: ignore[no-untyped-def]
    assert printer.PAGE.read_text() == printer.page(), "run make settings-page"


def test_every_number_has_a_meaning_and_a_source(printer) -> None:  # type: ignore[no-untyped-def]
    assert printer.unsourced() == []
