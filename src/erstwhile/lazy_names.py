"""Public names of a module, declared in its stub (`.pyi`) and imported on first use."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module

_IMPORT = re.compile(r"^from (erstwhile[\w.]*) import \(?\s*(\w+) as \2\b", re.MULTILINE)


def lazy_names(
    module: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a module whose stub has its imports."""
    with open(f"{file.removesuffix('.py')}.pyi", encoding="utf-8") as stub:  # noqa: PTH123 (fast)
        homes = {name: home for home, name in _IMPORT.findall(stub.read())}
    public = sorted(name for name, home in homes.items() if home != "erstwhile")

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        if homes[name] == "erstwhile":
            return import_module(f"erstwhile.{name}")
        found = getattr(import_module(homes[name]), name)
        setattr(sys.modules[module], name, found)
        return found

    return load, lambda: sorted({*vars(sys.modules[module]), *public}), public
