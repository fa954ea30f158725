"""Rules of the house that hold for the code itself."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

from tests.docs.pages import PROJECT

SOURCE = PROJECT / "src"
FILES = sorted(SOURCE.rglob("*.py"))
MAX_MODULE = 400
DEEPEST_IMPORT = 12
MAX_LATE_IMPORTS = 58


def module_of(file: Path) -> str:
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(file): ast.parse(file.read_text("utf-8")) for file in FILES}


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    lengths = {module_of(file): len(file.read_text("utf-8").splitlines()) for file in FILES}
    long = {name for name, length in lengths.items() if length > MAX_MODULE}
    assert not long


def test_no_class_name_is_used_twice() -> None:
    """One name, one thing. Private classes count, too."""
    names = Counter(
        node.name
        for tree in MODULES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_every_package_says_what_it_is_for() -> None:
    packages = [module_of(file) for file in FILES if file.name == "__init__.py"]
    assert [name for name in packages if not ast.get_docstring(MODULES[name])] == []


def test_imports_inside_functions_stay_few() -> None:
    """Each costs a reader the overview; only loading time justifies one."""
    late = [
        f"{name}:{node.lineno}"
        for name, tree in MODULES.items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert len(set(late)) <= MAX_LATE_IMPORTS, sorted(set(late))


def test_chains_of_imports_stay_short() -> None:
    """The longest chain of modules that import each other when they are loaded."""
    depths = {name: depth(name) for name in MODULES}
    deepest = max(depths, key=lambda name: depths[name])
    assert depths[deepest] <= DEEPEST_IMPORT, deepest


@cache
def depth(name: str) -> int:
    return 1 + max((depth(each) for each in imports(name)), default=0)


def imports(name: str) -> set[str]:
    """Return the modules that a module imports when it is loaded."""
    found: set[str] = set()
    for node in MODULES[name].body:
        if isinstance(node, ast.ImportFrom) and node.module:
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {each if each in MODULES else node.module for each in full}
    return (found & set(MODULES)) - {name}
