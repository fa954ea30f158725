"""What a proposal in quarantine would change besides adding its text: it waits in the metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LABELS = ("key", "value")
_MOST = 10
"""How many facts one proposal replaces or ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The change that approval makes."""

    key: str | None = None
    value: str | None = None
    replaces: tuple[str, ...] = ()
    """The ids of the facts that it replaces or ends."""
    ends: bool = False
    """Whether these facts only end; the text in quarantine says so, and is no fact."""
    wrong: bool = False
    """Whether what ends was never true."""

    def __bool__(self) -> bool:
        return self.key is not None or bool(self.replaces)

    def to_metadata(self) -> dict[str, Any]:
        """Return the parts that say something, as JSON."""
        parts = {
            "key": self.key,
            "value": self.value,
            "replaces": list(self.replaces[:_MOST]),
            "ends": self.ends,
            "wrong": self.wrong,
        }
        return {name: part for name, part in parts.items() if part}


def to_proposal(stored: object) -> Proposal:
    """Return the proposal that metadata hold. Anybody may write anything into metadata."""
    if not isinstance(stored, Mapping):
        return Proposal()
    labels = {name: stored[name] for name in _LABELS if isinstance(stored.get(name), str)}
    ids = stored.get("replaces")
    return Proposal(
        key=labels.get("key"),
        value=labels.get("value") if "key" in labels else None,
        replaces=tuple(map(str, ids[:_MOST])) if isinstance(ids, list | tuple) else (),
        ends=stored.get("ends") is True,
        wrong=stored.get("wrong") is True,
    )
