"""Bars as SVG, readable on light and on dark pages."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from math import log10

_WIDTH, _NAMES, _LINE = 720, 210, 26
_STYLE = "font: 14px system-ui, sans-serif; fill: #767676"


def bars(title: str, values: Mapping[str, float]) -> str:
    """Draw positive values on a logarithmic scale, the least first; Erstwhile is marked."""
    ordered = sorted(values.items(), key=lambda each: each[1])
    low, high = log10(ordered[0][1]) - 0.5, log10(ordered[-1][1])
    widest = _WIDTH - _NAMES - 90
    lines = []
    for at, (name, value) in enumerate(ordered, start=1):
        y, length = at * _LINE + 10, widest * (log10(value) - low) / max(high - low, 0.1)
        colour = "#2f7d6b" if name == "Erstwhile" else "#9aa5b1"
        lines.append(
            f'<text x="{_NAMES - 8}" y="{y + 14}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{_NAMES}" y="{y}" width="{length:.0f}" height="18" fill="{colour}"/>'
            f'<text x="{_NAMES + length + 6:.0f}" y="{y + 14}">{value:.3g}</text>'
        )
    height = (len(ordered) + 1) * _LINE + 20
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'role="img" style="{_STYLE}"><title>{escape(title)}</title>'
        f'<text x="8" y="22">{escape(title)} (logarithmic)</text>{"".join(lines)}</svg>\n'
    )
