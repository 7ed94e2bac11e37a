"""Drawing by hand: scales, ticks, lines and bands as SVG. Colours and widths are in page.css, by class.

Units are pixels at the size at which a panel is designed; the page scales it. Values that are not finite are left out.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from taut.base.markup import Markup, tag
from taut.plot.page.words import number

LEFT, RIGHT, TOP, BOTTOM = 52.0, 10.0, 10.0, 36.0
"""Margins of a panel, for the numbers at its axes."""
EDGE = 6.0
FLAT = 1e-10
"""Values that differ by less than this share of their size are drawn as the same."""
SERIES = 6
"""Different colours; more functions take them again."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to pixels, linear or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    whole: bool = False
    """Only whole numbers have ticks."""

    def at(self, value: float) -> float:
        a, b, v = (math.log(x) for x in (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        # Halves: the difference of two very large numbers may not fit a float.
        t = (0.5 * v - 0.5 * a) / (0.5 * b - 0.5 * a)
        return self.start + min(max(t, -9.0), 9.0) * (self.end - self.start)

    def ticks(self, most: int = 5) -> list[float]:
        """Round numbers inside, at most so many."""
        if self.log:
            found = _log_ticks(self.low, self.high, most) or _linear_ticks(self.low, self.high, most)
            return [tick for tick in found if not self.whole or tick == round(tick)]
        found = _linear_ticks(self.low, self.high, most)
        while self.whole and most > 1 and any(tick != round(tick) for tick in found):
            most -= 1
            found = _linear_ticks(self.low, self.high, most)
        return found


def scale(values: Iterable[float], start: float, end: float, pad: float = 0.05, log: bool = False) -> Scale:
    """A scale that holds all values, with a little room; around a single one, room by its size."""
    found = [float(value) for value in values if math.isfinite(value)]
    low, high = (min(found), max(found)) if found else (0.0, 1.0)
    least = FLAT * max(abs(low), abs(high)) if pad else 0.0
    if 0.0 < high - low < least:
        low, high = low - 0.5 * least, high + 0.5 * least
    if log and low > 0.0 and low < high:
        return Scale(low, high, start, end, log=True)
    room = pad * (0.5 * high - 0.5 * low) * 2.0 if low < high else 0.1 * abs(low) or 1.0
    return Scale(low - room, high + room, start, end)


def _linear_ticks(low: float, high: float, most: int) -> list[float]:
    span = 0.5 * high - 0.5 * low
    if not 0.0 < span < math.inf:
        return []
    rough = 2.0 * span / most
    if not 0.0 < rough < math.inf:
        return [low, high]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= rough), 10.0 * power)
    if not 0.0 < step < math.inf:
        return []
    first = math.ceil(low / step)
    found = [round(first + i) * step for i in range(most + 2)]
    return [float(f"{tick:.12g}") for tick in found if low <= tick <= high]


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = max(1, math.ceil((last - first) / most))
    powers = [10.0**k for k in range(first, last + 1, every)]
    ticks = [m * power for power in powers for m in ((1.0, 2.0, 5.0) if last - first <= 2 else (1.0,))]
    return [tick for tick in ticks if low <= tick <= high]


def pixels(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def path(xs: Sequence[float], ys: Sequence[float], **attributes: object) -> Markup:
    """A line through pixels; broken where one is not finite."""
    parts, pen = [], "M"
    for x, y in zip(xs, ys, strict=True):
        if not math.isfinite(x) or not math.isfinite(y):
            pen = "M"
            continue
        parts.append(f"{pen}{pixels(x)} {pixels(y)}")
        pen = "L"
    return tag("path", d="".join(parts), **attributes) if parts else Markup("")


def steps(xs: Sequence[float], ys: Sequence[float], end: float) -> tuple[list[float], list[float]]:
    """The corners of a line that keeps each value until the next, up to the end."""
    across, up = [], []
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        across += [x, xs[i + 1] if i + 1 < len(xs) else max(end, x)]
        up += [y, y]
    return across, up


def area(xs: Sequence[float], low: Sequence[float], high: Sequence[float], **attributes: object) -> Markup:
    """The band between two lines, given in pixels."""
    kept = [each for each in zip(xs, low, high, strict=True) if all(map(math.isfinite, each))]
    if len(kept) < 2:
        return Markup("")
    there = [f"{pixels(x)} {pixels(b)}" for x, _, b in kept]
    back = [f"{pixels(x)} {pixels(a)}" for x, a, _ in reversed(kept)]
    return tag("path", d=f"M{'L'.join(there + back)}Z", **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: object) -> Markup:
    return tag("line", x1=pixels(x1), y1=pixels(y1), x2=pixels(x2), y2=pixels(y2), **attributes)


def rect(x: float, y: float, width: float, height: float, **attributes: object) -> Markup:
    w, h = pixels(max(width, 0.0)), pixels(max(height, 0.0))
    return tag("rect", x=pixels(x), y=pixels(y), width=w, height=h, **attributes)


def dot(x: float, y: float, r: float = 3.0, **attributes: object) -> Markup:
    if not math.isfinite(x) or not math.isfinite(y):
        return Markup("")
    return tag("circle", cx=pixels(x), cy=pixels(y), r=pixels(r), **attributes)


def text(x: float, y: float, said: object, **attributes: object) -> Markup:
    return tag("text", said, x=pixels(x), y=pixels(y), **attributes)


def series(k: int) -> str:
    """The class that gives function k its colour."""
    return f"s{k if k < SERIES else 1 + (k - 1) % (SERIES - 1)}"


@dataclass(frozen=True, slots=True)
class Labels:
    """What stands at the axes; ticks: instead of round numbers, (value, text)."""

    x: str = ""
    y: str = ""
    x_ticks: tuple[tuple[float, str], ...] | None = None
    y_ticks: tuple[tuple[float, str], ...] | None = None


def panel(width: float, height: float, x: Scale, y: Scale, labels: Labels, about: str, *drawn: object) -> Markup:
    """An SVG with axes; what is drawn is cut at their edge. about: for those who cannot see it."""
    right, bottom = width - RIGHT, height - BOTTOM
    parts: list[object] = []
    for value, said in labels.y_ticks or _numbered(y, max(2, int((bottom - TOP) / 38.0))):
        at = y.at(value)
        parts += [line(LEFT, at, right, at, class_="grid"), text(LEFT - 6, at + 3.5, said, class_="tick end")]
    for value, said in labels.x_ticks or _numbered(x, max(2, int((right - LEFT) / 70.0))):
        at = x.at(value)
        parts += [line(at, bottom, at, bottom + 4, class_="axis"), text(at, bottom + 16, said, class_="tick mid")]
    # Cut a little outside of the axes, so that a point at the end of its range is whole.
    box = [pixels(each) for each in (LEFT - EDGE, TOP - EDGE, right - LEFT + 2 * EDGE, bottom - TOP + 2 * EDGE)]
    inner = tag("svg", drawn, x=box[0], y=box[1], width=box[2], height=box[3], viewBox=" ".join(box))
    return picture(
        width,
        height,
        about,
        parts,
        inner,
        line(LEFT, bottom, right, bottom, class_="axis"),
        text((LEFT + right) / 2, height - 4, labels.x, class_="name mid"),
        _upwards(labels.y, (TOP + bottom) / 2) if labels.y else None,
    )


def _upwards(said: str, at: float) -> Markup:
    return text(0, 0, said, class_="name mid", transform=f"translate(11 {pixels(at)}) rotate(-90)")


def picture(width: float, height: float, about: str, *drawn: object) -> Markup:
    return tag("svg", drawn, viewBox=f"0 0 {pixels(width)} {pixels(height)}", role="img", aria_label=about)


def inside(width: float, height: float) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of the plot in a panel, in pixels."""
    return LEFT, width - RIGHT, height - BOTTOM, TOP


def _numbered(axis: Scale, most: int) -> list[tuple[float, str]]:
    ticks = axis.ticks(most)
    step = min((b - a for a, b in zip(ticks, ticks[1:], strict=False)), default=math.inf)
    short = [tick for tick in ticks if abs(float(f"{tick:.6g}") - tick) <= 0.01 * step]
    if len(short) == len(ticks):
        return [(tick, number(tick, 6)) for tick in ticks]
    # Too close together for six digits: one is written out, the others are differences from it.
    base = short[0] if short else ticks[0]
    digits = 6 if short else 12
    return [(t, number(base, digits) if t == base else "+" * (t > base) + number(t - base, 3)) for t in ticks]


def legend(items: Iterable[tuple[str, str]]) -> Markup:
    """Signs with words: (class of the sign, words)."""
    return tag("p", [tag("span", tag("i", class_=f"key {sign}"), said) for sign, said in items], class_="legend")
