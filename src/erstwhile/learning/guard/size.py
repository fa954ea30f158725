"""Size: a fact that was learned is short. There is no minimum, since two characters may be one."""

from __future__ import annotations

from collections.abc import Iterator

from erstwhile.core.policy import Policy
from erstwhile.learning.verdict import Action, Verdict


def check(text: str, policy: Policy) -> Iterator[Verdict]:
    if not text.strip():
        yield Verdict(action=Action.REFUSE, text=text, reason="it is blank", rule="size/blank")
    if len(text) > policy.longest:
        reason = f"it has {len(text):,} characters, {policy.longest:,} are allowed"
        yield Verdict(action=Action.REFUSE, text=text, reason=reason, rule="size/long")
