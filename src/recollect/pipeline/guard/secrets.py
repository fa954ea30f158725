"""Secrets: every one of them is masked."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.model.policy import Policy
from recollect.model.secrets import mask_text
from recollect.model.verdict import Action, Verdict


def check(text: str, _policy: Policy) -> Iterator[Verdict]:
    masked = mask_text(text)
    if masked != text:
        reason = "a secret in it was masked"
        yield Verdict(action=Action.REDACT, text=masked, reason=reason, rule="secrets/masked")
