"""Names of what LangGraph stores in a memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256

NAME = "langgraph"


def digest(parts: Sequence[str]) -> str:
    """Return a short label for names of any length, characters and letter case."""
    return f"{NAME}:{sha256(json.dumps(list(parts)).encode()).hexdigest()[:32]}"
