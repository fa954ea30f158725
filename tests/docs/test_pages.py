"""Tests that every block of every page, and every example, runs and prints what it shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from codeop import compile_command
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import erstwhile
from tests.docs.pages import EXAMPLES, FRAMEWORKS, PAGES, PROJECT, blocks, name_of, shown_by
from tests.docs.run_page import run_python
from tests.engines.postgres.server import shared_url
from tests.servers.http_server import http_servers

RUNNABLE = [
    page
    for page in PAGES
    if page.stem not in FRAMEWORKS and any(block.runs for block in blocks(page))
]


@pytest.mark.parametrize("page", RUNNABLE, ids=name_of)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    """Run the blocks in order, with an empty home folder, and compare their output."""
    if "| jq" in page.read_text("utf-8") and not shutil.which("jq"):
        pytest.skip("this page pipes to jq, which is not installed")
    with _needed_servers(page.read_text("utf-8")) as servers:
        done = _run(["-m", "tests.docs.run_page", str(page)], tmp_path, **servers)
    assert done.returncode == 0, done.stderr


@contextmanager
def _needed_servers(text: str) -> Iterator[dict[str, str]]:
    """Start the servers whose addresses a page takes from the environment."""
    found = {"DATABASE_URL": shared_url()} if "DATABASE_URL" in text else {}
    if "MEMORY_URL" not in text:
        yield found
        return
    with erstwhile.open(":memory:") as memory, http_servers() as served:
        yield {**found, "MEMORY_URL": served.address, "MEMORY_TOKEN": served.token(memory)}


@pytest.mark.parametrize("page", RUNNABLE, ids=name_of)
def test_a_page_can_be_typed_line_by_line(page: Path) -> None:
    """Check blank lines: before Python 3.13 only a blank line ends a compound statement."""
    for block in blocks(page):
        if block.language != "python":
            continue
        typed: list[str] = []
        for line in (*block.text.splitlines(), ""):
            typed.append(line)
            if compile_command("\n".join(typed), f"{page.name}:{block.line}", "single"):
                typed.clear()


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    """Compare the output with the docstring of the example."""
    done = _run([str(example)], tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line.strip() for line in done.stdout.splitlines()] == shown_by(example)


def test_a_broken_promise_is_noticed(tmp_path: Path) -> None:
    """Check that the runner fails for a page with a wrong output."""
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\nx + 1  # -> 3\n```\n", "utf-8")
    [block] = blocks(page)
    with pytest.raises(SystemExit, match=re.escape("page.md:3: promised")):
        run_python(page, block, {})


def _run(command: list[str], home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("ERSTWHILE_")}
    places = {name: str(home) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    return subprocess.run(
        [sys.executable, "-W", "error", *command],
        cwd=home,
        env={**kept, **places, **more, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        timeout=600,  # against hanging only: a page of commands is slow on a busy machine
        check=False,
    )


def test_a_block_in_a_list_runs(tmp_path: Path) -> None:
    """Check that the indentation of a list item does not hide a block."""
    page = tmp_path / "page.md"
    page.write_text("1. Add:\n\n   ```python\n   1 + 1  # -> 2\n   ```\n", "utf-8")
    [block] = blocks(page)
    assert (block.text, block.line) == ("1 + 1  # -> 2\n", 4)
