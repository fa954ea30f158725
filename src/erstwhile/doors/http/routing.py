"""The verb at a path. Paths are compared before they are decoded: names may hold a slash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import unquote_to_bytes

from erstwhile.doors.http.refusals import malformed, no_such_path, wrong_method

Target = TypeVar("Target")


@dataclass(slots=True)
class _Node(Generic[Target]):
    children: dict[str, _Node[Target]] = field(default_factory=dict)
    named: _Node[Target] | None = None
    """What follows a segment with any text."""
    targets: dict[str, Target] = field(default_factory=dict)
    """What is here, by method."""


class Routes(Generic[Target]):
    """The targets of requests by path and method."""

    def __init__(self, routes: Iterable[tuple[str, tuple[str, ...], Target]]) -> None:
        self._root: _Node[Target] = _Node()
        for method, segments, target in routes:
            node = self._root
            for segment in segments:
                node = _below(node, segment)
            node.targets[method] = target

    def find(self, method: str, raw_path: bytes) -> tuple[Target, list[str]]:
        """Return the target of a request, and the texts of the segments with a name."""
        segments = [_decoded(part) for part in raw_path.removeprefix(b"/").split(b"/")]
        found = [(node, texts) for node, texts in _at(self._root, segments) if node.targets]
        if not found:
            raise no_such_path()
        for node, texts in found:
            if method in node.targets:
                return node.targets[method], texts
        raise wrong_method([each for node, _ in found for each in node.targets])


def _at(node: _Node[Target], segments: list[str]) -> Iterator[tuple[_Node[Target], list[str]]]:
    """Yield what a path leads to. A word of the table goes before a name."""
    if not segments:
        yield node, []
        return
    first, rest = segments[0], segments[1:]
    if first in node.children:
        yield from _at(node.children[first], rest)
    if node.named is not None:
        for found, texts in _at(node.named, rest):
            yield found, [first, *texts]


def path_arguments(names: tuple[str, ...], texts: list[str]) -> Mapping[str, str]:
    """Return the texts of a path by the names of the parameters."""
    return dict(zip(names, texts, strict=True))


def _below(node: _Node[Target], segment: str) -> _Node[Target]:
    if not segment.startswith("{"):
        return node.children.setdefault(segment, _Node())
    node.named = node.named or _Node()
    return node.named


def _decoded(segment: bytes) -> str:
    try:
        return unquote_to_bytes(segment).decode("utf-8")
    except UnicodeDecodeError:
        raise malformed("the path is not UTF-8") from None
