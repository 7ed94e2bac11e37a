"""A drawn figure as bytes: SVG for the page, SVG and PNG for files. The same figure always gives the same bytes."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import matplotlib

from taut_paper.figures.style import SETTINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 150
FONTS = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
_ROOT = f'<g style="stroke-linejoin: round; stroke-linecap: butt; font-family: {FONTS}">'
"""The outermost group, with what holds for everything in it."""
_SHAPES = re.compile(r"(?<= )(d|x|y|transform)=\"([^\"]*)\"")
_NUMBERS = re.compile(r"-?\d+\.\d+")


def png(figure: Figure) -> bytes:
    """For slides and papers."""
    with matplotlib.rc_context(SETTINGS):
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return out.getvalue()


def svg(figure: Figure, name: str) -> str:
    """A whole SVG file; ids begin with the name, so that several figures can stand on one page."""
    with matplotlib.rc_context({**SETTINGS, "svg.hashsalt": name}):
        out = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(out, format="svg", metadata=nothing)
    return _smaller(out.getvalue(), name)


def inline(whole: str, label: str) -> str:
    """The <svg> element alone, as wide as the page lets it be. label: what it shows, for those who cannot see it."""
    body = whole[whole.index("<svg") :].strip()
    head, rest = body.split(">", 1)
    box = re.search(r"viewBox=\"[^\"]*\"", head)
    text = label.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return f'<svg {box.group() if box else ""} role="img" aria-label="{text}">{rest}'


def _smaller(text: str, name: str) -> str:
    """Without what nobody needs: declarations, metadata, ids that nothing refers to, decimals that nobody sees."""
    text = re.sub(r"<!DOCTYPE.*?>\n?", "", text, flags=re.DOTALL)
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\n?\s*", "", text)
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*<g[^>]*>", _ROOT, text, count=1, flags=re.DOTALL)
    used = set(re.findall(r"(?:url\(#|href=\"#)([^)\"]+)", text))
    text = re.sub(r" id=\"([^\"]+)\"", lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", text)
    text = re.sub(r"(url\(#|href=\"#)", rf"\g<1>{name}-", text)
    text = re.sub(r" transform=\"rotate\(-?0[ )][^\"]*\"", "", text)
    text = _SHAPES.sub(lambda m: f'{m[1]}="{_shorter(m[2])}"', text)
    text = re.sub(r"font: (?:(\w+) )?([\d.]+px) 'DejaVu Sans'(?:, sans-serif)?", _font, text)
    text = re.sub(r"; font-family: 'DejaVu Sans'(?:, sans-serif)?", "", text)
    return re.sub(r">\s*\n\s*<", "><", text)


def _font(found: re.Match[str]) -> str:
    weight = f"font-weight: {found[1]}; " if found[1] else ""
    return f"{weight}font-size: {found[2]}"


def _shorter(shape: str) -> str:
    """Hundredths of a point, tenths in long paths; a path of straight lines needs no letter before each point."""
    digits = 1 if len(shape) > 400 else 2
    short = _NUMBERS.sub(lambda m: f"{float(m[0]):.{digits}f}".rstrip("0").rstrip("."), shape)
    short = re.sub(r"\s+", " ", short).strip()
    return short.replace(" L ", " ") if set(re.findall("[A-Za-z]", short)) <= {"M", "L", "z"} else short
