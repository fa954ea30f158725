"""Blocks as files: hostile paths, invalid commands and scopes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from anthropic.lib.tools import ToolError

import erstwhile
from erstwhile.core.errors import (
    ConflictError,
    ErstwhileError,
    InvalidInputError,
    NotFoundError,
    ScopeError,
    TooLargeError,
)
from erstwhile.integrations import MemoryFiles
from erstwhile.integrations.anthropic_tool import async_memory_tool, memory_tool
from tests.cases import cases
from tests.contracts.base import unchanged

CASES = cases(__file__)

HOSTILE = CASES["hostile"]


@pytest.fixture
def memory() -> Any:
    settings = erstwhile.Settings(tokenizer="estimate", embedder="none")
    with erstwhile.open(":memory:", settings=settings) as opened:
        yield opened.scoped(user="ana", agent="claude")


@pytest.fixture
def files(memory: erstwhile.Memory) -> MemoryFiles:
    return MemoryFiles(memory)


@pytest.mark.parametrize("path", HOSTILE)
def test_a_hostile_path_is_refused_by_every_command(
    memory: erstwhile.Memory, files: MemoryFiles, path: Any
) -> None:
    memory.blocks.add("a", "tea")
    with unchanged(memory):
        for command in (
            {"command": "view", "path": path},
            {"command": "create", "path": path, "file_text": "x"},
            {"command": "str_replace", "path": path, "old_str": "tea", "new_str": "x"},
            {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
            {"command": "delete", "path": path},
            {"command": "rename", "old_path": path, "new_path": "/memories/b"},
            {"command": "rename", "old_path": "/memories/a", "new_path": path},
        ):
            with pytest.raises(InvalidInputError):
                files.run(command)


@pytest.mark.parametrize("command", CASES["an_unknown_command_is_refused"])  # fmt: skip
def test_an_unknown_command_is_refused(
    memory: erstwhile.Memory, files: MemoryFiles, command: dict[str, Any]
) -> None:
    memory.blocks.add("a", "tea")
    with unchanged(memory), pytest.raises(InvalidInputError):
        files.run(command)


def test_files_are_blocks(memory: erstwhile.Memory, files: MemoryFiles) -> None:
    """Edits of the model make versions, and the model sees edits of people."""
    files.run({"command": "create", "path": "/memories/notes/today.md", "file_text": "tea\n"})
    memory.blocks.append("notes/today.md", "milk")
    shown = files.run({"command": "view", "path": "/memories/notes/today.md"})
    assert shown.splitlines()[1:] == ["     1\ttea", "     2\tmilk"]
    files.run({"command": "delete", "path": "/memories/notes"})
    assert memory.blocks.restore("notes/today.md").content == "tea\nmilk"


def test_a_file_of_another_scope_is_visible_but_read_only(files: MemoryFiles) -> None:
    shared = erstwhile.open(":memory:", embedder="none")
    shared.blocks.add("rules/house", "no smoking")
    hers = MemoryFiles(shared.scoped(user="ana"))
    assert "no smoking" in hers.run({"command": "view", "path": "/memories/rules/house"})
    for command in (
        {"command": "delete", "path": "/memories/rules"},
        {"command": "rename", "old_path": "/memories/rules", "new_path": "/memories/r"},
        {"command": "str_replace", "path": "/memories/rules/house", "old_str": "no", "new_str": ""},
    ):
        with unchanged(shared), pytest.raises(ScopeError):
            hers.run(command)
    with pytest.raises(NotFoundError):
        files.run({"command": "view", "path": "/memories/rules/house"})
    shared.close()


def test_a_file_has_a_token_limit(memory: erstwhile.Memory) -> None:
    files = MemoryFiles(memory, limit_tokens=5)
    with unchanged(memory), pytest.raises(TooLargeError, match="5 are allowed"):
        files.run({"command": "create", "path": "/memories/a", "file_text": "tea " * 50})


def test_a_block_and_a_folder_may_share_a_name(
    memory: erstwhile.Memory, files: MemoryFiles
) -> None:
    """Files of a file system cannot do this, but blocks can."""
    memory.blocks.add("a", "tea")
    memory.blocks.add("a/b", "milk")
    assert "tea" in files.run({"command": "view", "path": "/memories/a"})
    listed = files.run({"command": "view", "path": "/memories"})
    assert [line.split("\t")[1] for line in listed.splitlines()[1:]] == [
        "/memories", "/memories/a", "/memories/a/", "/memories/a/b",
    ]  # fmt: skip
    with pytest.raises(ConflictError, match="not a directory"):
        files.run({"command": "create", "path": "/memories/a/c", "file_text": ""})


def test_the_sdk_tool_reports_errors_to_the_model(memory: erstwhile.Memory) -> None:
    """Both tools raise the ToolError that the tool runner expects."""
    tool, later = memory_tool(memory), async_memory_tool(memory)
    assert tool.to_dict() == later.to_dict() == {"type": "memory_20250818", "name": "memory"}
    command = {"command": "create", "path": "/memories/a", "file_text": "tea"}
    assert tool.call(command) == "File created successfully at: /memories/a"
    with pytest.raises(ToolError, match="already exists"):
        asyncio.run(later.call(command))
    assert "tea" in str(asyncio.run(later.call({"command": "view", "path": "/memories/a"})))


def test_the_file_view_needs_no_sdk() -> None:
    """Without the SDK, `memory_tool` raises an error with a remedy."""
    code = (
        "import sys; sys.modules['anthropic'] = None\n"
        "import erstwhile\n"
        "from erstwhile.integrations import MemoryFiles\n"
        "from erstwhile.integrations.anthropic_tool import memory_tool\n"
        "memory = erstwhile.open(':memory:', embedder='none')\n"
        "files = MemoryFiles(memory)\n"
        "files.create({'path': '/memories/a', 'file_text': 'tea'})\n"
        "try:\n"
        "    memory_tool(memory)\n"
        "except erstwhile.InvalidInputError as error:\n"
        "    print(error.remedy)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    assert "erstwhile[anthropic]" in done.stdout


def test_every_error_is_one_of_ours(files: MemoryFiles) -> None:
    with pytest.raises(ErstwhileError, match="Cannot delete"):
        files.delete({"path": "/memories"})
    with pytest.raises(ErstwhileError, match="Cannot rename"):
        files.rename({"old_path": "/memories/", "new_path": "/memories/a"})


def test_a_file_with_a_masked_secret_can_be_edited(memory: Any) -> None:
    """The model names the secret as it wrote it, and sees the masked text."""
    files, key = MemoryFiles(memory), "AKIAIOSFODNN7EXAMPLE"
    files.run({"command": "create", "path": "/memories/a", "file_text": f"key: {key}\nb"})
    edit = {"old_str": f"key: {key}", "new_str": f"old key: {key}"}
    told = files.run({"command": "str_replace", "path": "/memories/a", **edit})
    shown = files.run({"command": "view", "path": "/memories/a"})
    assert key not in told + shown
    assert "old key: [masked:aws-access-key]" in told
    assert "old key: [masked:aws-access-key]" in shown
