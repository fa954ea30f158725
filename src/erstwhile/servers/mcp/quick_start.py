"""Fast import of the MCP SDK for a server over standard input.

The packages `mcp` and `mcp.server` import everything, clients and web servers included. Here they
are executed on first access of a name. Models of the SDK build their validators on first use: it
has about 500 models, and a session uses some 60.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec

from pydantic import BaseModel

_PACKAGES = ("mcp", "mcp.server")


@contextmanager
def loading() -> Iterator[None]:
    """Speed up the imports inside.

    The SDK needs no plugins of pydantic, which searches all installed packages for them. Modules
    stay loaded, so the garbage collector can skip them.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for name in _PACKAGES if find_spec("mcp") else ():  # without it, the next import raises
        _load_on_use(name)
    gc.disable()
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        gc.freeze()
        gc.enable()


def _load_on_use(name: str) -> None:
    """Register a package as an import does, and execute it on first access of a missing name."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return  # it is loaded
    package, loader = module_from_spec(spec), spec.loader

    def load(missing: str) -> object:
        del package.__getattr__
        loader.exec_module(package)
        return getattr(package, missing)

    package.__getattr__ = load  # type: ignore[method-assign]
    sys.modules[name] = package
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, package)
