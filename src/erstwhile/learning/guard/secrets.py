"""Secrets: every one of them is masked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from erstwhile.core.policy import Policy
from erstwhile.learning.verdict import Action, Verdict
from erstwhile.secrets.masking import mask_text

_MASK = re.compile(r"\[masked:([\w-]+)\]")


def check(text: str, _policy: Policy) -> Iterator[Verdict]:
    masked = mask_text(text)
    if masked != text:
        kinds = Counter(_MASK.findall(masked)) - Counter(_MASK.findall(text))
        reason = f"a secret in it was masked: {', '.join(kinds)}"
        yield Verdict(action=Action.REDACT, text=masked, reason=reason, rule="secrets/masked")
