"""The defaults of the verbs of a memory, in a module that loads fast."""

from __future__ import annotations

from datetime import timedelta

FLOOR = 0.1
"""The lowest relevance: a tenth of the weight of the query's words, or a similar meaning."""
TOKENS = 4_000
"""The token budget of a context."""
FLUSH = 60.0
"""Seconds that `flush` waits."""
LEARNERS, MOST_LEARNERS = 4, 64
"""How many conversations a process with a language model learns from at the same time."""
IDLE = timedelta(minutes=120)
"""The time without a message after which a conversation ends."""
EMBEDDER_WAIT = 5.0
"""Seconds that a query waits for a remote embedder. The background work waits longer."""
