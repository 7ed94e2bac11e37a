"""The frame of every page: one style, one head, nothing that has to be fetched."""

import base64
import hashlib
from collections.abc import Iterable
from pathlib import Path

from taut.base.markup import Markup, tag

HERE = Path(__file__).parent
BASE = "base.css"


def asset(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def styled(own: str) -> str:
    """The style of all pages, then what one of them has of its own."""
    return asset(BASE) + own


def embedded(css: str, js: str = "", drawn: bool = False) -> list[Markup]:
    """Head entries of a page that is one file: a policy that allows this style and this script, and the style.

    drawn: it has drawings that carry styles of their own, as those of Matplotlib do.
    """
    script = f"script-src {_hash(js)}; " if js else ""
    style = "'unsafe-inline'" if drawn else _hash(css)
    policy = f"default-src 'none'; style-src {style}; {script}base-uri 'none'; form-action 'none'"
    return [tag("meta", http_equiv="Content-Security-Policy", content=policy), tag("style", Markup(css))]


def framed(title: str, head: Iterable[Markup], *body: object) -> str:
    """A whole page."""
    top = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        list(head),
    ]
    return f"<!DOCTYPE html>\n{tag('html', tag('head', top), tag('body', body), lang='en')}\n"


def contents(links: Iterable[tuple[str, str]]) -> Markup:
    """Links to the sections of the page, (id, title) each."""
    return tag(
        "nav", tag("ol", [tag("li", tag("a", title, href=f"#{key}")) for key, title in links]), aria_label="Contents"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
