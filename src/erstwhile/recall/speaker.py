"""The weight of a message by its speaker.

What is asked about the user was mostly said by the user, while the assistant's answers are longer
and have more of every word. So a message that is not the user's own counts for less, unless the
question is about what the assistant said.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path

OTHERS_WEIGHT = 0.6
"""The weight of messages that are not the user's own. The user's have the weight 1."""


@lru_cache(maxsize=8)
def others_weight(query: str) -> float:
    """Return the weight of the messages of others for this query."""
    return 1.0 if _about_the_assistant().search(query) else OTHERS_WEIGHT


@cache
def _about_the_assistant() -> re.Pattern[str]:
    rules = tomllib.loads((Path(__file__).parent / "speaker.toml").read_text("utf-8"))
    return re.compile("|".join(rules["about_the_assistant"]), re.IGNORECASE)
