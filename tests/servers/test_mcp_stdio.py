"""`erstwhile mcp` as a client starts it: a process that speaks over its standard streams."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import erstwhile
from tests.cli.shell import run
from tests.loaded_modules import loaded
from tests.servers.talking import ERAS, command, run_talk
from tests.servers.test_mcp_tools import deny_publishing, work_with_memory


@pytest.mark.parametrize("version", ERAS)
def test_a_model_works_with_its_memory_over_stdio(tmp_path: Path, version: str) -> None:
    """The user comes from the command line, and what was acknowledged is in the file."""
    db = tmp_path / "agent.db"
    with erstwhile.open(db, embedder="none") as memory:
        deny_publishing(memory.scoped(user="ana"))
    run_talk(command("mcp", db=db, ERSTWHILE_USER="ana"), work_with_memory, ERAS[version])
    with erstwhile.open(db, embedder="none", create=False) as memory:
        assert memory.scoped(user="ana").facts.find("Ana lives in Porto").scope.user == "ana"
        assert memory.facts.count() == 0


def test_an_unknown_group_is_a_usage_error(tmp_path: Path) -> None:
    ended = run("--db", str(tmp_path / "a.db"), "mcp", "--without", "cats")
    assert (ended.code, ended.error["remedy"][:10]) == (2, "use facts,")


QUICK = "from erstwhile.servers.mcp.quick_start import loading\nwith loading(): {}\n"
LATER = {"mcp.client", "mcp.server.mcpserver", "httpx2"}


def test_a_server_over_standard_input_loads_no_client_and_no_second_server() -> None:
    """A client waits for its first answer, and most of that time is spent on imports."""
    names = loaded(QUICK.format("import erstwhile.servers.mcp.server"))
    assert {"mcp.server.lowlevel.server", "mcp.server.stdio"} <= names
    assert not names & LATER


def test_models_build_their_validators_on_first_use() -> None:
    """The SDK has hundreds, and a session uses a few. Models that others make are as usual."""
    check = """
import erstwhile.servers.mcp.server, mcp_types, pydantic
assert not mcp_types.CompleteRequest.__pydantic_complete__
assert mcp_types.CallToolResult.__pydantic_complete__, "threads use it"
assert mcp_types.Tool(name="a", input_schema={}).name == "a"
assert pydantic.create_model("Later", a=int).__pydantic_complete__
"""
    loaded(QUICK.format("import erstwhile.servers.mcp.server") + check)


def test_the_whole_sdk_is_there_for_those_who_ask() -> None:
    asked = "import mcp, mcp.server; mcp.Client, mcp.server.MCPServer; assert not hasattr(mcp, 'x')"
    assert loaded(QUICK.format("pass") + asked) >= LATER


def test_a_missing_package_is_named() -> None:
    code = "import sys; sys.modules['mcp'] = None; from erstwhile.cli.start import main; main()"
    command = [sys.executable, "-c", code, "--db", ":memory:", "mcp"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    error = json.loads(done.stderr)
    assert (error["error"], "mcp" in error["remedy"]) == ("invalid_input", True)
