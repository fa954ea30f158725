"""The texts and schemas for models, which are files beside this module."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def read_text(name: str) -> str:
    """Return the text of a file."""
    return files(__package__).joinpath(name).read_text("utf-8")


def read_json(name: str) -> Any:
    """Return the content of a JSON file."""
    return json.loads(read_text(name))
