"""What the verbs of a memory take unless said. It stands apart, since opening one loads no more."""

from __future__ import annotations

from datetime import timedelta

FLOOR = 0.1
"""A fact must hold a tenth of what the question's words weigh, or be near it in meaning."""
TOKENS = 4_000
"""How many tokens a context may take."""
IDLE = timedelta(minutes=120)
"""After so long without a message a conversation is over."""
