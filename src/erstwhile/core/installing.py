"""The command that installs an extra of Erstwhile, from the place that it was installed from."""

from __future__ import annotations

import json
from importlib import import_module


def install_extra(extra: str) -> str:
    """Return the command: from a checkout, a file or a repository, else from the package index."""
    metadata = import_module("importlib.metadata")  # loaded for errors only
    try:
        found = metadata.distribution("erstwhile").read_text("direct_url.json")
        source = json.loads(found or "{}")
        url, vcs = source.get("url"), source.get("vcs_info", {}).get("vcs")
    except (metadata.PackageNotFoundError, ValueError, AttributeError):
        url = vcs = None
    place = f" @ {f'{vcs}+' if vcs else ''}{url}" if url else ""
    return f'pip install "erstwhile[{extra}]{place}"'
