"""How long work tells people what it is doing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Tell: TypeAlias = Callable[[str], object]
"""Called with a line that replaces the one before."""
