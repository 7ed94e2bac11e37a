"""Markup is made so that no text can break out of its place."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from taut.base.markup import Markup, escaped, joined, table, tag


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(markup: str) -> _Texts:
    parser = _Texts()
    parser.feed(markup)
    parser.close()
    return parser


def test_an_element() -> None:
    assert tag("p", "a < b", class_="note", data_tip='"x"', hidden=True, id=None) == (
        '<p class="note" data-tip="&quot;x&quot;" hidden>a &lt; b</p>'
    )
    assert tag("br") == "<br>"
    assert joined("a", None, [tag("b", 1.5), "&"]) == "a<b>1.5</b>&amp;"
    assert escaped(Markup("<i>")) == "<i>"


def test_a_table() -> None:
    made = table(["a", "b"], [["1", tag("b", "<")]], "what", class_="words")
    assert made == (
        '<table class="words"><caption>what</caption>'
        '<thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>'
        "<tbody><tr><td>1</td><td><b>&lt;</b></td></tr></tbody></table>"
    )


@given(st.text())
def test_any_text_stays_text(text: str) -> None:
    found = parsed(tag("p", text, title=text))
    assert [name for name, _ in found.tags] == ["p"]
    shown = str(found.tags[0][1]["title"])
    assert len(shown) == len(text) and all(
        a == b or a == "\N{REPLACEMENT CHARACTER}" for a, b in zip(shown, text, strict=True)
    )
    assert found.text.replace("\r", "\n") == shown.replace("\r", "\n")
