"""Secrets: every one of them is masked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from recollect.model.policy import Policy
from recollect.model.secrets import mask_text
from recollect.model.verdict import Action, Verdict

_MASK = re.compile(r"\[masked:([\w-]+)\]")


def check(text: str, _policy: Policy) -> Iterator[Verdict]:
    masked = mask_text(text)
    if masked != text:
        kinds = Counter(_MASK.findall(masked)) - Counter(_MASK.findall(text))
        reason = f"a secret in it was masked: {', '.join(kinds)}"
        yield Verdict(action=Action.REDACT, text=masked, reason=reason, rule="secrets/masked")
