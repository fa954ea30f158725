"""The pages about frameworks do what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import FRAMEWORKS, PROJECT


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
