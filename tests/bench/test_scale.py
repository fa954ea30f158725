"""The figures of a growing memory."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from bench.compare.plots import lines
from bench.scale.__main__ import RESULTS, grown
from bench.scale.page import exponent, write_page

from tests.docs.pages import PROJECT


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_the_exponent_is_that_of_the_last_tenfold_growth(power: float) -> None:
    points = [(10**each, 3 * 10 ** (power * each)) for each in range(3, 7)]
    assert exponent([(10, 500.0), *points]) == pytest.approx(power)


def test_a_line_has_a_name_and_ends_at_its_last_point() -> None:
    drawn = lines("ms", {"<few>": [(1_000, 1.0), (10_000, 2.0)], "many": [(1_000, 8.0)]})
    assert "&lt;few&gt;" in drawn
    assert drawn.count("<polyline") == 2


@pytest.mark.parametrize("kind", ["facts", "messages"])
def test_each_size_has_all_costs(tmp_path: Path, kind: str) -> None:
    [row] = grown(str(tmp_path / "memory.db"), kind, 1_000)
    assert row["size"] == 1_000
    assert all(value > 0 for name, value in row.items() if name != "load")
    assert {"recall_cpu_ms", "context_cpu_ms", "add_cpu_ms", "erase_cpu_ms"} <= set(row)


def test_the_page_is_made_from_the_committed_results(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    shutil.copy(PROJECT / "docs" / "scale-out.md", tmp_path)
    write_page(json.loads(RESULTS.read_text("utf-8")), tmp_path)
    for file in (tmp_path / "scale-out.md", *(tmp_path / "images").iterdir()):
        kept = PROJECT / "docs" / file.relative_to(tmp_path)
        assert file.read_text("utf-8") == kept.read_text("utf-8"), "run bench.scale --page"
