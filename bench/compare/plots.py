"""Bars and lines as SVG, readable on light and on dark pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple, TypeAlias

Points: TypeAlias = Sequence[tuple[float, float]]
_WIDTH, _NAMES, _LINE = 720, 210, 26
_STYLE = "font: 14px system-ui, sans-serif; fill: #767676"
_TALL, _EDGE = 360, 50
_COLOURS = ("#2f7d6b", "#b3622d", "#5470a8", "#8a5a99")


def bars(title: str, values: Mapping[str, float]) -> str:
    """Draw positive values on a logarithmic scale, the least first; Erstwhile is marked."""
    ordered = sorted(values.items(), key=lambda each: each[1])
    low, high = log10(ordered[0][1]) - 0.5, log10(ordered[-1][1])
    widest = _WIDTH - _NAMES - 90
    drawn = []
    for at, (name, value) in enumerate(ordered, start=1):
        y, length = at * _LINE + 10, widest * (log10(value) - low) / max(high - low, 0.1)
        colour = "#2f7d6b" if name == "Erstwhile" else "#9aa5b1"
        drawn.append(
            f'<text x="{_NAMES - 8}" y="{y + 14}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{_NAMES}" y="{y}" width="{length:.0f}" height="18" fill="{colour}"/>'
            f'<text x="{_NAMES + length + 6:.0f}" y="{y + 14}">{value:.3g}</text>'
        )
    return _picture(title, (len(ordered) + 1) * _LINE + 20, drawn)


def lines(title: str, series: Mapping[str, Points]) -> str:
    """Draw lines through positive points on logarithmic scales, each with its name at its end."""
    plane = _Plane.around([point for each in series.values() for point in each])
    drawn = list(plane.grid())
    for colour, (name, points) in zip(_COLOURS, series.items(), strict=False):
        path = " ".join("{:.0f},{:.0f}".format(*plane.place(*point)) for point in points)
        x, y = plane.place(*points[-1])
        drawn.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{x + 8:.0f}" y="{y + 5:.0f}" style="fill: {colour}">{escape(name)}</text>'
        )
    return _picture(title, _TALL, drawn)


class _Plane(NamedTuple):
    """The powers of ten at the edges of a plot."""

    left: int
    right: int
    low: int
    high: int

    @classmethod
    def around(cls, points: Points) -> _Plane:
        sizes, costs = ([log10(each) for each in values] for values in zip(*points, strict=True))
        return cls(floor(min(sizes)), ceil(max(sizes)), floor(min(costs)), ceil(max(costs)))

    def place(self, x: float, y: float) -> tuple[float, float]:
        across = (log10(x) - self.left) / (self.right - self.left)
        up = (log10(y) - self.low) / (self.high - self.low)
        return _EDGE + across * (_WIDTH - _NAMES), _TALL - _EDGE - up * (_TALL - 2 * _EDGE)

    def grid(self) -> Iterator[str]:
        for power in range(self.low, self.high + 1):
            (left, y), (right, _) = (
                self.place(10**each, 10**power) for each in (self.left, self.right)
            )
            yield (
                f'<line x1="{left:.0f}" x2="{right:.0f}" y1="{y:.0f}" y2="{y:.0f}" stroke="#9aa5b1"'
                f' stroke-width="0.5"/><text x="{left - 6:.0f}" y="{y + 5:.0f}" text-anchor="end">'
                f"{10**power:g}</text>"
            )
        for power in range(self.left, self.right + 1):
            x, y = self.place(10**power, 10**self.low)
            yield f'<text x="{x:.0f}" y="{y + 20:.0f}" text-anchor="middle">{10**power:,}</text>'


def _picture(title: str, height: int, drawn: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'role="img" style="{_STYLE}"><title>{escape(title)}</title>'
        f'<text x="8" y="22">{escape(title)} (logarithmic)</text>{"".join(drawn)}</svg>\n'
    )
