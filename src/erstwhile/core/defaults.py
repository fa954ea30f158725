"""The defaults of the verbs of a memory, in a module that loads fast."""

from __future__ import annotations

from datetime import timedelta

FLOOR = 0.1
"""A fact must have a tenth of the weight of the question's words, or be near in meaning."""
TOKENS = 4_000
"""The size of a context."""
IDLE = timedelta(minutes=120)
"""The time without a message after which a conversation ends."""
