"""Load of the SDK what a server over standard input needs: a client waits for its first answer.

The two packages of the SDK import everything in it, clients and web servers included. They are
loaded when somebody asks for a name of theirs; until then only the modules that are imported by
their own names are. Models of the SDK build their validators on first use.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec
from types import ModuleType

from pydantic import BaseModel

_PACKAGES = ("mcp", "mcp.server")


@contextmanager
def loading() -> Iterator[None]:
    """Let the imports inside load little, and quickly.

    Plugins of pydantic would be looked for among all installed packages; the SDK needs none. What
    is loaded here stays, so the collector of cycles need not look at it.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for name in _PACKAGES:
        load_on_use(name)
    gc.disable()
    try:
        with _built_on_use():
            yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def _built_on_use() -> Iterator[None]:
    """Let the models that are made inside build their validators when they are used.

    The SDK has about 500 models, for all eras of the protocol, and a session uses some 60.
    """
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]


def load_on_use(name: str) -> None:
    """Make a package known, and run its code when a name is missing in it."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return  # it is loaded, or the import that follows tells that it is missing
    package, loader = module_from_spec(spec), spec.loader

    def load(missing: str) -> object:
        del package.__getattr__
        loader.exec_module(package)
        return getattr(package, missing)

    package.__getattr__ = load  # type: ignore[method-assign]
    _know(name, package)


def _know(name: str, package: ModuleType) -> None:
    """Do what an import does after it has made a module."""
    sys.modules[name] = package
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, package)
