"""Anthropic's memory tool on the blocks of a memory, for the tool runner of Anthropic's SDK.

A block named `notes/today.md` is the file `/memories/notes/today.md`; a folder is a common prefix
of block names. Answers and errors have the wording of Anthropic's own tool for local files; a test
compares both. Paths are stricter here: they hold only plain names between slashes.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from erstwhile.blocks.block import LIMIT_TOKENS, Block, checked_name
from erstwhile.blocks.content import as_stored
from erstwhile.core.errors import (
    ConflictError,
    ErstwhileError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
)
from erstwhile.core.installing import import_extra
from erstwhile.core.results import all_items
from erstwhile.memory import Memory

if TYPE_CHECKING:
    from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool


def memory_tool(memory: Memory, *, limit_tokens: int = LIMIT_TOKENS) -> BetaAbstractMemoryTool:
    """Return a tool for `client.beta.messages.tool_runner(tools=[…])`.

    It needs the package anthropic.
    """
    run = _runner(memory, limit_tokens)
    methods = {name: lambda _self, command: run(command) for name in COMMANDS}
    base = _sdk().BetaAbstractMemoryTool
    tool: BetaAbstractMemoryTool = type("ErstwhileMemoryTool", (base,), methods)()
    return tool


def async_memory_tool(
    memory: Memory, *, limit_tokens: int = LIMIT_TOKENS
) -> BetaAsyncAbstractMemoryTool:
    """Return a tool for `AsyncAnthropic`; each command runs on a worker thread."""
    run = _runner(memory, limit_tokens)

    async def run_in_thread(_self: object, command: Any) -> str:
        return await to_thread(run, command)

    base, methods = _sdk().BetaAsyncAbstractMemoryTool, dict.fromkeys(COMMANDS, run_in_thread)
    tool: BetaAsyncAbstractMemoryTool = type("AsyncErstwhileMemoryTool", (base,), methods)()
    return tool


def _runner(memory: Memory, limit_tokens: int) -> Callable[[Any], str]:
    _sdk()  # imported first, for its error message
    from anthropic.lib.tools import ToolError

    files = MemoryFiles(memory, limit_tokens=limit_tokens)

    def run(command: Any) -> str:
        try:
            return files.run(command.model_dump())
        except ErstwhileError as error:
            raise ToolError(error.message) from error

    return run


def _sdk() -> Any:
    return import_extra("anthropic.tools.memory", "anthropic")


COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename")
ROOT = "/memories"
_LINE_NUMBER_WIDTH = 6
_SNIPPET_MARGIN = 2
"""The number of lines shown before and after a change."""
_LISTED_DEPTH = 2


class MemoryFiles:
    """The six commands. Each method takes the model's input and returns the answer.

    The guard judges what the model adds to a file, and the names that it gives.
    """

    def __init__(self, memory: Memory, *, limit_tokens: int = LIMIT_TOKENS) -> None:
        self._blocks = memory.acting_as(person=False).blocks
        self._limit_tokens = limit_tokens

    def run(self, command: Mapping[str, Any]) -> str:
        """Run a tool call: `command["command"]` names one of the six methods."""
        name = command.get("command")
        if name not in COMMANDS:
            raise InvalidInputError(f"Unknown command: {name}")
        answer: str = getattr(self, name)(command)
        return answer

    def view(self, command: Mapping[str, Any]) -> str:
        """Return a file with numbered lines, or the content of a folder, two levels deep."""
        path, name = _path_argument(command)
        blocks = self._visible_blocks()
        if name in blocks:
            return _number_lines(path, blocks[name].content, _view_range(command))
        within = {each: block for each, block in blocks.items() if _is_in(each, name)}
        if name and not within:
            raise _no_such_path(path)
        return list_folder(path, name, within)

    def create(self, command: Mapping[str, Any]) -> str:
        """Create a file that does not exist yet."""
        path, name = _path_argument(command)
        text, blocks = _text_argument(command, "file_text"), self._visible_blocks()
        _check_free(name, blocks, f"File {path} already exists")
        self._blocks.add(name, text, limit_tokens=self._limit_tokens)
        return f"File created successfully at: {path}"

    def str_replace(self, command: Mapping[str, Any]) -> str:
        """Replace a text that occurs exactly once in a file."""
        path, name = _path_argument(command)
        old = _text_argument(command, "old_str")
        new = _text_argument(command, "new_str", default="")
        block = self._file(path, name)
        old = as_stored(block.content, old)
        line = _line_of_only(path, block.content, old)
        content = block.content.replace(old, new)
        edited = self._blocks.update(block.name, content, expected_version=block.version)
        snippet = _number_lines(
            None, edited.content, (line - _SNIPPET_MARGIN, line + _SNIPPET_MARGIN)
        )
        return (
            "The memory file has been edited. "
            f"Here is the snippet showing the change (with line numbers):\n{snippet}"
        )

    def insert(self, command: Mapping[str, Any]) -> str:
        """Insert a text after a line of a file; 0 inserts it before the first line."""
        path, name = _path_argument(command)
        text, line = _text_argument(command, "insert_text"), command.get("insert_line")
        block = self._file(path, name)
        last = len(block.content.removesuffix("\n").split("\n")) if block.content else 0
        if not isinstance(line, int) or isinstance(line, bool) or not 0 <= line <= last:
            raise InvalidInputError(
                f"Invalid `insert_line` parameter: {line}. "
                f"It should be within the range [0, {last}]."
            )
        self._blocks.insert(block.name, line, text, expected_version=block.version)
        return f"The file {path} has been edited."

    def delete(self, command: Mapping[str, Any]) -> str:
        """Delete a file, or a folder with all its files; the history of the blocks stays."""
        path, name = _path_argument(command)
        if not name:
            raise RefusedError(f"Cannot delete the {ROOT} directory itself")
        is_file = _is_file(path, name, self._visible_blocks())
        (self._blocks.delete if is_file else self._blocks.delete_folder)(name)
        return f"Successfully deleted {path}"

    def rename(self, command: Mapping[str, Any]) -> str:
        old_path, old = _path_argument(command, "old_path")
        new_path, new = _path_argument(command, "new_path")
        if not old:
            raise RefusedError(f"Cannot rename the {ROOT} directory itself")
        blocks = self._visible_blocks()
        _check_free(new, blocks, f"The destination {new_path} already exists")
        is_file = _is_file(old_path, old, blocks)
        (self._blocks.rename if is_file else self._blocks.rename_folder)(old, new)
        return f"Successfully renamed {old_path} to {new_path}"

    def _visible_blocks(self) -> dict[str, Block]:
        """Return the visible blocks by name; for each name, the block of the narrowest scope."""
        found: dict[str, Block] = {}
        for block in all_items(self._blocks.list):
            found.setdefault(block.name, block)
        return found

    def _file(self, path: str, name: str) -> Block:
        blocks = self._visible_blocks()
        if name in blocks:
            return blocks[name]
        if not name or any(_is_in(each, name) for each in blocks):
            raise InvalidInputError(f"The path {path} is not a file.")
        raise _no_such_path(path)


def _path_argument(command: Mapping[str, Any], field: str = "path") -> tuple[str, str]:
    """Return the given path and the name of its block; the name of the root is empty."""
    path = _text_argument(command, field)
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise InvalidInputError(f"Path must start with {ROOT}, got: {path}")
    name = "/".join(part for part in path.removeprefix(ROOT).split("/") if part)
    if any(part in (".", "..") for part in name.split("/")) or "\\" in name:
        raise InvalidInputError(f"Path {path} would escape {ROOT} directory")
    if not name:
        return path, name
    try:
        checked = checked_name(name)
    except ErstwhileError as error:
        raise InvalidInputError(f"Path {path} cannot be used: {error.message}") from None
    if checked != name:
        raise InvalidInputError(f"Path {path} cannot be used: write it as {ROOT}/{checked}")
    return path, name


def _text_argument(command: Mapping[str, Any], field: str, *, default: str | None = None) -> str:
    value = command.get(field, default)
    if not isinstance(value, str):
        raise InvalidInputError(f"`{field}` must be a text, got: {value!r}")
    return value


def _view_range(command: Mapping[str, Any]) -> tuple[int, int]:
    """Return the first and the last line to show; -1 is the last line of the file."""
    lines = command.get("view_range") or (1, -1)
    if not isinstance(lines, Sequence) or [type(each) for each in lines] != [int, int]:
        raise InvalidInputError(f"`view_range` must be two line numbers, got: {lines!r}")
    return lines[0], lines[1]


def _is_in(name: str, folder: str) -> bool:
    return not folder or name.startswith(f"{folder}/")


def _is_file(path: str, name: str, blocks: Mapping[str, Block]) -> bool:
    """Return whether a path is a file, not a folder. Raise NotFoundError if it is neither."""
    if name not in blocks and not any(_is_in(each, name) for each in blocks):
        raise NotFoundError(f"The path {path} does not exist")
    return name in blocks


def _check_free(name: str, blocks: Mapping[str, Block], taken: str) -> None:
    """Raise ConflictError if the name is taken, or if a folder of the name is a file."""
    if not name or name in blocks or any(_is_in(each, name) for each in blocks):
        raise ConflictError(taken)
    folders = name.split("/")[:-1]
    for depth in range(1, len(folders) + 1):
        folder = "/".join(folders[:depth])
        if folder in blocks:
            raise ConflictError(f"The path {ROOT}/{folder} is not a directory.")


def _line_of_only(path: str, content: str, old: str) -> int:
    """Return the number of the line in which a text begins; it must occur exactly once."""
    found = content.count(old)
    if not found:
        raise ConflictError(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    if found > 1:
        starts = [at for at in range(len(content) + 1) if content.startswith(old, at)]
        lines = ", ".join(str(content.count("\n", 0, at) + 1) for at in starts)
        raise ConflictError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` "
            f"in lines: {lines}. Please ensure it is unique"
        )
    return content.count("\n", 0, content.find(old)) + 1


def _no_such_path(path: str) -> NotFoundError:
    return NotFoundError(f"The path {path} does not exist. Please provide a valid path.")


def list_folder(path: str, folder: str, blocks: Mapping[str, Block]) -> str:
    """Return the files and folders in a folder, by name, each with its size."""
    sizes: dict[tuple[str, ...], int] = {}
    total = 0
    for name, block in blocks.items():
        parts = name.removeprefix(folder).strip("/").split("/")
        size = len(block.content.encode())
        total += size
        for depth in range(1, min(len(parts), _LISTED_DEPTH) + 1):
            is_folder = depth < len(parts)
            place = (*parts[:depth], "") if is_folder else tuple(parts)
            if not any(part.startswith(".") for part in place):
                sizes[place] = sizes.get(place, 0) + size
    lines = [f"{_human_size(total)}\t{path}"]
    lines += [f"{_human_size(sizes[place])}\t{path}/{'/'.join(place)}" for place in sorted(sizes)]
    head = "Here're the files and directories up to 2 levels deep in"
    return "\n".join([f"{head} {path}, excluding hidden items:", *lines])


def _human_size(size: int) -> str:
    """Format a size in bytes, such as 1.5K."""
    if size == 0:
        return "0B"
    step = min((size.bit_length() - 1) // 10, 3)
    number = size / 1024**step
    return f"{int(number) if number == int(number) else format(number, '.1f')}{'BKMG'[step]}"


def _number_lines(path: str | None, content: str, view_range: tuple[int, int] = (1, -1)) -> str:
    """Return a range of lines of a file with their numbers; -1 is the last line."""
    lines, last = content.split("\n"), view_range[1]
    first = max(1, view_range[0])
    chosen = lines[first - 1 : len(lines) if last == -1 else last]
    text = "\n".join(
        f"{number:>{_LINE_NUMBER_WIDTH}}\t{line}" for number, line in enumerate(chosen, first)
    )
    return text if path is None else f"Here's the content of {path} with line numbers:\n{text}"
