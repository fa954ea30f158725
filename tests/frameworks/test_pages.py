"""The pages and examples about frameworks do what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import FRAMEWORKS, PROJECT, example_of, shown_by
from tests.frameworks.conformance import ADAPTERS, MAX_GLUE, glue


@pytest.mark.parametrize("page", FRAMEWORKS)
def test_a_page_about_a_framework_does_what_it_says(page: str, tmp_path: Path) -> None:
    pytest.importorskip(FRAMEWORKS[page])
    file = PROJECT / "docs" / "how-to" / f"{page}.md"
    subprocess.run(
        [sys.executable, "-m", "tests.docs.run_page", str(file)],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PYTHONPATH": str(PROJECT)},
        check=True,
        timeout=600,
    )


@pytest.mark.parametrize("page", FRAMEWORKS)
def test_an_example_prints_what_it_says(page: str, tmp_path: Path) -> None:
    """Compare the last lines: some frameworks print lines of their own before."""
    pytest.importorskip(FRAMEWORKS[page])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(example_of(page))],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PYTHONPATH": str(PROJECT)},
        check=True,
        capture_output=True,
        text=True,
        timeout=600,
    )
    shown = shown_by(example_of(page))
    assert [line.strip() for line in done.stdout.splitlines() if line.strip()][
        -len(shown) :
    ] == shown


@pytest.mark.parametrize("page", [each.page for each in ADAPTERS.values()])
def test_a_framework_needs_few_lines_of_glue(page: str) -> None:
    assert 2 <= glue(example_of(page)) <= MAX_GLUE
