"""The frame of every page."""

import base64
import hashlib

import pytest

from taut.base.markup import tag
from taut.plot.page.frame import BASE, asset, contents, embedded, framed, styled


def test_a_page_escapes_its_title_and_asks_for_nothing() -> None:
    page = framed("a < b", embedded("p {}"), tag("main", "x & y"))
    assert page.startswith("<!DOCTYPE html>") and "<title>a &lt; b</title>" in page and "x &amp; y" in page
    assert "src=" not in page and "href=" not in page


@pytest.mark.parametrize("js", ["", "let a = 1 < 2;"])
def test_the_policy_allows_the_style_and_the_script_and_no_other(js: str) -> None:
    policy, style = embedded("p { color: red }", js)
    for text in ["p { color: red }", *([js] if js else [])]:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert digest in policy
    assert ("script-src" in policy) == bool(js) and "default-src &#x27;none&#x27;" in policy
    assert style == "<style>p { color: red }</style>"


def test_styles_inside_drawings_are_allowed_only_where_there_are_such() -> None:
    assert "unsafe-inline" in embedded("p {}", drawn=True)[0] and "unsafe-inline" not in embedded("p {}")[0]


def test_one_style_comes_first_for_all() -> None:
    css = styled(".own { color: red }")
    assert css.startswith(asset(BASE)) and css.endswith(".own { color: red }")
    for mode in ("prefers-color-scheme: dark", "@media print", "@page"):
        assert mode in asset(BASE)


def test_contents_link_to_sections() -> None:
    assert '<a href="#one">The first</a>' in contents([("one", "The first")])
