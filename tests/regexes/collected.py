"""Collect every pattern that the package compiles, and print them as JSON.

Run it in a process of its own, since the patterns of modules are compiled when these are imported:
`python -m tests.regexes.collected`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import erstwhile

SOURCE = Path(erstwhile.__file__).parent
FUNCTIONS = ("compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub")
_ANCHORED = ("match", "fullmatch")
_FROM_START = re.compile(r"\.(?:match|fullmatch|begins|fills)\b")
_FROM_ANYWHERE = re.compile(r"\.(?:search|split|findall|finditer|subn?|is_in|found_in)\b")
_FOLDING = str(SOURCE / "letter_case.py")


@dataclass(frozen=True)
class Use:
    """A pattern, where it is compiled, and whether it is tried at every place of a text."""

    pattern: str
    flags: int
    place: str
    searched: bool


@dataclass(frozen=True)
class Site:
    """A call of a function of `re`: the name that gets the pattern, and the pattern if written."""

    file: str
    line: int
    function: str
    name: str
    written: str | None

    @property
    def searched(self) -> bool:
        """Whether the pattern is tried at every place, as far as the text of its file tells."""
        if self.function != "compile":
            return self.function not in _ANCHORED
        return is_searched(self.name, (SOURCE / self.file).read_text("utf-8"))


def is_searched(name: str, source: str) -> bool:
    """Return whether a named pattern is tried at every place of a text, or nothing tells."""
    uses = re.findall(rf"\b{name}(?:\([^()]*\))?(\.\w+)", source)
    anchored = any(map(_FROM_START.fullmatch, uses))
    return not anchored or any(map(_FROM_ANYWHERE.fullmatch, uses))


def sites() -> Iterator[Site]:
    """Yield every call of a function of `re` in the package."""
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        named = {
            id(call): name for node in ast.walk(tree) for name in _names(node)
            for call in ast.walk(node)
        }  # fmt: skip
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and (function := _function(call)):
                place, name = file.relative_to(SOURCE).as_posix(), named.get(id(call), "")
                yield Site(place, call.lineno, function, name, _written(call))


def _written(call: ast.Call) -> str | None:
    match call.args[:1]:
        case [ast.Constant(value=str(pattern))]:
            return pattern
    return None


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Assign):
        return [each.id for each in node.targets if isinstance(each, ast.Name)]
    return [node.name] if isinstance(node, ast.FunctionDef) else []


def _function(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name)) if name in FUNCTIONS:
            return name
    return None


class Recorder:
    """Takes the place of the functions of `re`, and writes down who calls them."""

    def __init__(self) -> None:
        self.found = dict[tuple[str, int], set[tuple[str, int]]]()
        for name in FUNCTIONS:
            setattr(re, name, self._recording(name, getattr(re, name)))

    def _recording(self, name: str, real: Any) -> Any:
        def called(pattern: Any, *given: Any, **named: Any) -> Any:
            frame = sys._getframe(1)
            while frame.f_back and frame.f_code.co_filename == _FOLDING:
                frame = frame.f_back
            file = Path(frame.f_code.co_filename)
            if file.is_relative_to(SOURCE) and isinstance(pattern, str):
                flags = given[0] if name == "compile" and given else named.get("flags", 0)
                place = (file.relative_to(SOURCE).as_posix(), frame.f_lineno)
                self.found.setdefault(place, set()).add((pattern, int(flags)))
            return real(pattern, *given, **named)

        return called


def _import_all() -> list[ModuleType]:
    names = [each.name for each in pkgutil.walk_packages(erstwhile.__path__, "erstwhile.")]
    modules = (_imported(name) for name in names if not name.endswith("__main__"))
    return [each for each in modules if each is not None]


def _imported(name: str) -> ModuleType | None:
    """Return a module; None for an adapter whose framework is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        if not name.startswith("erstwhile.integrations."):
            raise
        return None


def _call_cached(module: ModuleType) -> None:
    """Call the functions without arguments that compile a pattern when it is first needed."""
    for each in list(vars(module).values()):
        if hasattr(each, "cache_info") and not inspect.signature(each).parameters:
            each()


def collect() -> Iterator[Use]:
    """Yield the patterns of all calls, as they were compiled or as they are written."""
    recorder = Recorder()
    for module in _import_all():
        _call_cached(module)
    from tests.regexes.built import build_all

    build_all()
    for site in sites():
        seen = recorder.found.get((site.file, site.line), set())
        written = {(site.written, 0)} if site.written else {("", 0)}
        for pattern, flags in seen or written:
            yield Use(pattern, flags, f"{site.file}:{site.name}", site.searched)


if __name__ == "__main__":
    json.dump([asdict(each) for each in collect()], sys.stdout)
