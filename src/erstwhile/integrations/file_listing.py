"""Show files and folders to a language model in the form of Anthropic's memory tool."""

from __future__ import annotations

from collections.abc import Mapping

from erstwhile.blocks.block import Block

_DEPTH = 2
_LINE_NUMBER_WIDTH = 6


def number_lines(path: str | None, content: str, view_range: tuple[int, int] = (1, -1)) -> str:
    """Return a range of lines of a file with their numbers; -1 is the last line."""
    lines, last = content.split("\n"), view_range[1]
    first = max(1, view_range[0])
    chosen = lines[first - 1 : len(lines) if last == -1 else last]
    text = "\n".join(
        f"{number:>{_LINE_NUMBER_WIDTH}}\t{line}" for number, line in enumerate(chosen, first)
    )
    return text if path is None else f"Here's the content of {path} with line numbers:\n{text}"


def list_folder(path: str, folder: str, blocks: Mapping[str, Block]) -> str:
    """Return the files and folders in a folder, by name, each with its size."""
    sizes: dict[tuple[str, ...], int] = {}
    total = 0
    for name, block in blocks.items():
        parts = name.removeprefix(folder).strip("/").split("/")
        size = len(block.content.encode())
        total += size
        for depth in range(1, min(len(parts), _DEPTH) + 1):
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
