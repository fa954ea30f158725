"""Fit how costs grow, and write the figures and plots of docs/scale-out.md."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log
from pathlib import Path
from statistics import linear_regression
from typing import Any, TypeAlias

from bench.compare.plots import Points, lines
from bench.report import replaced

Rows: TypeAlias = Sequence[Mapping[str, float]]
_COSTS = (
    ("recall_cpu_ms", "recall or search", "ms"),
    ("context_cpu_ms", "`context`, 4,000 tokens", "ms"),
    ("add_cpu_ms", "add one", "ms"),
    ("bulk_cpu_ms", "add in bulk, each", "ms"),
    ("first_recall_cpu_ms", "open, first recall", "ms"),
    ("mib", "memory of the process", "MiB"),
    ("bytes_each", "disk, each", "bytes"),
    ("erase_cpu_ms", "erase one", "ms"),
    ("maintain_cpu_ms", "`maintain`", "ms"),
    ("doctor_cpu_ms", "`doctor`", "ms"),
)
_PLOTS = {
    "recall": "CPU ms of a recall or a search, by the number of texts",
    "add": "CPU ms of adding one, by the number of texts",
}


def exponent(points: Points) -> float:
    """Fit the last tenfold growth: 0 if the cost does not grow, 1 if it grows with the size."""
    last = [(log(size), log(cost)) for size, cost in points if size * 11 > points[-1][0]]
    return linear_regression(*zip(*last, strict=True)).slope


def write_page(told: Mapping[str, Mapping[str, Any]], docs: Path) -> None:
    stores = {name: each["rows"] for name, each in told.items()}
    for name, title in _PLOTS.items():
        series = {store: _points(rows, f"{name}_cpu_ms") for store, rows in stores.items()}
        (docs / "images" / f"scale-{name}.svg").write_text(lines(title, series), "utf-8")
    text = f"{_table(stores)}\n\n{_about(told.values())}"
    replaced(docs / "scale-out.md", "bench.scale", text)


def _points(rows: Rows, figure: str) -> Points:
    return [(row["size"], row[figure]) for row in rows if figure in row]


def _table(stores: Mapping[str, Rows]) -> str:
    """Return the costs of the smallest and the largest size of each store, with the exponents."""
    head = ["CPU time"]
    for store, rows in stores.items():
        first, last = rows[0], rows[-1]
        head += [f"{store}: {first['size']:,.0f}", f"{last['size']:,.0f}", "grows as"]
    table = [head, ["---"] * len(head)]
    for figure, title, unit in _COSTS:
        cells = (cell for rows in stores.values() for cell in _cells(rows, figure))
        table.append([f"{title}, {unit}", *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in table)


def _cells(rows: Rows, figure: str) -> list[str]:
    """Return the least, the most and the exponent; the most may be that of a smaller size."""
    points = _points(rows, figure)
    if len(points) < 2:
        return ["–"] * 3
    (_, least), (size, most) = points[0], points[-1]
    where = "" if size == rows[-1]["size"] else f" at {size:,.0f}"
    return [_number(least), f"{_number(most)}{where}", f"n^{round(exponent(points), 2) + 0.0:.2f}"]


def _about(told: Collection[Mapping[str, Any]]) -> str:
    """Return where and when it was measured."""
    versions = {name: version for each in told for name, version in each["versions"].items()}
    loads = [row["load"] for each in told for row in each["rows"]]
    machines, dates = ({each[name] for each in told} for name in ("machine", "date"))
    measured = [*sorted(machines), *(f"{name} {version}" for name, version in versions.items())]
    load = f"load {min(loads):.0f} to {max(loads):.0f}"
    return f"{', '.join([*measured, *sorted(dates), load])}."


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2g}"
