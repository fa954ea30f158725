"""Import what needs a package of an extra, and say which extra is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from erstwhile.core.errors import InvalidInputError


def import_extra(module: str, extra: str) -> Any:
    """Return a module; raise InvalidInputError with the extra if one of its packages is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("erstwhile"):
            raise  # a defect of ours, which no extra mends
        raise InvalidInputError(
            f"the package {error.name} is missing", remedy=f"pip install 'erstwhile[{extra}]'"
        ) from None
