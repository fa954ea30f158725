"""Public names that are imported on first use."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module


class LazyNames:
    """The public names of a module, each imported from its home on first use."""

    def __init__(self, module: str, homes: Mapping[str, str]) -> None:
        self._module = module
        self.homes = {name: home for home, names in homes.items() for name in names.split()}

    def load(self, name: str) -> object:
        """Return the object of a public name, and store it in the module for the next time."""
        if name not in self.homes:
            raise AttributeError(f"module {self._module!r} has no attribute {name!r}")
        found = getattr(import_module(f"erstwhile.{self.homes[name]}"), name)
        setattr(sys.modules[self._module], name, found)
        return found
