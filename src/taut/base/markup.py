"""HTML and SVG by small functions: every text is escaped unless it was made here.

tag("p", "a < b", class_="note")    <p class="note">a &lt; b</p>
"""

import html
import re
from collections.abc import Iterable

VOID = frozenset(("meta", "input", "br", "hr", "img", "link"))
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Markup(str):
    """A text that is markup already, and safe."""

    __slots__ = ()


def escaped(text: object) -> Markup:
    """Any text as markup that shows it; what may not stand in a page becomes a replacement character."""
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", str(text)), quote=True))


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element. children: texts, markup, or lists of them; None is left out.

    attributes: a final _ is dropped (class_), other _ become -; None leaves one out, True gives one without a value.
    """
    opened = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Markup(opened) if name in VOID else Markup(f"{opened}{joined(*children)}</{name}>")


def joined(*children: object) -> Markup:
    """All of them, one after the other."""
    return Markup("".join(_flat(children)))


def _flat(child: object) -> Iterable[str]:
    if child is None:
        return
    if isinstance(child, (list, tuple)):
        for each in child:
            yield from _flat(each)
    else:
        yield escaped(child)


def _attribute(key: str, value: object) -> str:
    name = key.removesuffix("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escaped(value)}"'


def table(
    head: Iterable[object], rows: Iterable[Iterable[object]], caption: object = None, **attributes: object
) -> Markup:
    """A table of texts or markup."""
    return tag(
        "table",
        None if caption is None else tag("caption", caption),
        tag("thead", tag("tr", [tag("th", cell, scope="col") for cell in head])),
        tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in rows]),
        **attributes,
    )
