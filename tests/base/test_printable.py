"""What a terminal or a table gets of a text that somebody else wrote."""

import pytest

from taut.base.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;OWNED\x07\x1b[8mhidden", "\\x1b]0;OWNED\\x07\\x1b[8mhidden"),
        ("a\rb\x00\x7f\x9b", "a\\rb\\x00\\x7f\\x9b"),
        ("abc\u202ecba \u2028 \ud800 \ufeff", "abc\\u202ecba \\u2028 \\ud800 \\ufeff"),
        ("Größe\u00a0 5 µm, 長さ\tx\nnext [bold]", "Größe\u00a0 5 µm, 長さ\tx\nnext [bold]"),
    ],
)
def test_only_what_is_there_to_be_seen_is_kept(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(shown) == shown
