"""The packages of extras: import one, or say how to install it."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from erstwhile.core.errors import InvalidInputError


def install_extra(extra: str) -> str:
    """Return the command that installs an extra, from the place that Erstwhile was installed from.

    This is a checkout, a file, a repository or the package index.
    """
    metadata = import_module("importlib.metadata")  # loaded for errors only
    try:
        found = metadata.distribution("erstwhile").read_text("direct_url.json")
        source = json.loads(found or "{}")
        url, vcs = source.get("url"), source.get("vcs_info", {}).get("vcs")
    except (metadata.PackageNotFoundError, ValueError, AttributeError):
        url = vcs = None
    place = f" @ {f'{vcs}+' if vcs else ''}{url}" if url else ""
    return f'pip install "erstwhile[{extra}]{place}"'


def import_extra(module: str, extra: str) -> Any:
    """Return a module; raise InvalidInputError with the extra if one of its packages is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("erstwhile"):
            raise  # a defect of ours, which no extra mends
        raise InvalidInputError(
            f"the package {error.name} is missing", remedy=install_extra(extra)
        ) from None
