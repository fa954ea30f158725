"""Compare the file view of blocks with Anthropic's own tool on local files.

Two differences are intended: empty folders are not kept, and a folder has the size of its files.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaLocalFilesystemMemoryTool
from hypothesis import given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.integrations.anthropic_tool import memory_tool

SEGMENTS = ("a", "b", "A", "a.txt", ".hidden", "名前", "e-é")
HOSTILE = (
    "/memories/../up", "/memories/../../etc/passwd", "/other", "memories/a", "", "/",
)  # fmt: skip
TEXTS = st.one_of(
    st.sampled_from(["", "\n", "one", "one\ntwo\n", "two\n\nthree", "é", "aaa", "a\r\nb"]),
    st.text(alphabet="ab \né字👍", max_size=12),
)
PATHS = st.one_of(
    st.just("/memories"),
    st.just("/memories/"),
    st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=3).map(
        lambda parts: "/".join(["/memories", *parts])
    ),
    st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=2).map(
        lambda parts: "/".join(["/memories", *parts])
    ),
    st.sampled_from(HOSTILE),
)
RANGES = st.one_of(st.none(), st.tuples(st.integers(-1, 4), st.integers(-2, 5)).map(list))
COMMANDS = st.one_of(
    st.fixed_dictionaries({"command": st.just("create"), "path": PATHS, "file_text": TEXTS}),
    st.fixed_dictionaries({"command": st.just("view"), "path": PATHS, "view_range": RANGES}),
    st.fixed_dictionaries(
        {"command": st.just("str_replace"), "path": PATHS, "old_str": TEXTS, "new_str": TEXTS}
    ),
    st.fixed_dictionaries(
        {
            "command": st.just("insert"),
            "path": PATHS,
            "insert_line": st.integers(-1, 4),
            "insert_text": TEXTS,
        }
    ),
    st.fixed_dictionaries({"command": st.just("delete"), "path": PATHS}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": PATHS, "new_path": PATHS}),
)
_FOLDER_SIZE = re.compile(r"^\S+\t(?=.*/$)", re.MULTILINE)
_ROOT_SIZE = re.compile(r"(?<=hidden items:\n)\S+\t")


@settings(max_examples=100)
@given(st.lists(COMMANDS, max_size=30))
def test_blocks_answer_as_files_do(commands: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as folder, erstwhile.open(":memory:", embedder="none") as memory:
        theirs = BetaLocalFilesystemMemoryTool(folder)
        ours = memory_tool(memory.scoped(agent="claude"), limit_tokens=100_000)
        for command in commands:
            expected = _answer(theirs, command)
            assert _answer(ours, command) == expected
            _drop_empty_folders(theirs.memory_root)
        assert _blocks(memory.scoped(agent="claude")) == _files(theirs.memory_root)
        assert memory.everything().audit.verify().ok


def _answer(tool: BetaAbstractMemoryTool, command: dict[str, Any]) -> str:
    """Return the answer, the error, or a mark for an error of the file system."""
    try:
        answer = tool.call(command)
    except ToolError as error:
        return f"error: {_settled(str(error))}"
    except OSError:
        return "error: "
    assert isinstance(answer, str)
    return _ROOT_SIZE.sub("", _FOLDER_SIZE.sub("", answer))


def _settled(error: str) -> str:
    """Return an error; empty if the other tool leaves this case to the file system."""
    return "" if re.search(r"is not a directory|into itself", error) else error


def _drop_empty_folders(root: Path) -> None:
    for folder in sorted(root.rglob("*"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _files(root: Path) -> dict[str, str]:
    found = (file for file in root.rglob("*") if file.is_file())
    return {file.relative_to(root).as_posix(): file.read_bytes().decode() for file in found}


def _blocks(memory: erstwhile.Memory) -> dict[str, str]:
    return {block.name: block.content for block in memory.blocks.list(limit=1_000)}
