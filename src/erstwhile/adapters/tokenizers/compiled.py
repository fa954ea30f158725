"""Load the compiled part of the package bpe-openai without the rest of it.

The package reads and decodes all its vocabularies again in Python when it is imported. This takes
more than a second, which a short process such as a command cannot spend. Counting needs none of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

CountTokens: TypeAlias = Callable[[str], int]

_PACKAGE = "bpe_openai"
_MODULE = f"{_PACKAGE}._bindings"


def compiled_counter(encoding: str) -> CountTokens | None:
    """Return a function that counts tokens in an encoding, or None without the package."""
    compiled = _compiled()
    if compiled is None:
        return None
    count: CountTokens = compiled.tokenizer_for_encoding(encoding).count
    return count


@cache
def _compiled() -> ModuleType | None:
    """Return the compiled module; it is registered, because it may be loaded only once."""
    if _MODULE in sys.modules:
        return sys.modules[_MODULE]
    package = find_spec(_PACKAGE)
    folders = package.submodule_search_locations if package else None
    for file in (each for folder in folders or () for each in Path(folder).glob("_bindings.*")):
        spec = spec_from_file_location(_MODULE, file)
        if spec and isinstance(spec.loader, ExtensionFileLoader):
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            sys.modules[_MODULE] = module
            return module
    return None
