"""Read turns with the answer of a language model, of which every proposal is labelled.

The answers are as models give them: in other words, in English for any language, with dates
counted from relative ones; and over-eager or wrong. The later set is for judging only:
nobody tunes on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from erstwhile.core.kinds import Kind
from erstwhile.evaluation.simulated_model import Proposals

TURNS = Path(__file__).parent / "sets" / "turns.json"
"""Our own set, in 19 languages."""
LATER_TURNS = TURNS.with_name("turns_later.json")
"""A set in 27 languages, written later by somebody who did not know the code."""
LATER = "later"
"""The part that the later set is."""
CORRECT = "correct"
"""The label of a proposal that the turn supports. Other labels say why it does not."""


class Fate(StrEnum):
    """What must have become of a known fact after the turn."""

    LIVE = "live"
    RETIRED = "retired"
    WRONG = "wrong"
    """Retired because it was never true."""


class KnownFact(NamedTuple):
    """A fact that is remembered before the turn."""

    text: str
    kind: Kind
    key: str | None
    value: str | None
    after: Fate


class EarlierExchange(NamedTuple):
    """What was said just before the turn."""

    user: str
    assistant: str


class LabelledStatement(NamedTuple):
    """A proposed fact with its label."""

    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTurn:
    """A turn with its past, and the labelled answer of a model."""

    id: str
    half: str
    """"a", "b" for the held-out half, or "later"."""
    language: str
    kind: str
    """What the turn is about, such as "move" or "pasted"."""
    said_at: datetime
    before: tuple[EarlierExchange, ...]
    known: tuple[KnownFact, ...]
    user: str
    tools: tuple[str, ...]
    assistant: str
    answer: Proposals = field(hash=False)

    @property
    def statements(self) -> Iterator[LabelledStatement]:
        """The facts that the model proposes, also in place of known ones."""
        for name in ("add", "supersede"):
            for each in self.answer.get(name, ()):
                yield LabelledStatement(each["label"], each["text"])

    def successors(self, fact: KnownFact) -> Iterator[str]:
        """Yield the correct statements that take the place of a known fact."""
        for each in self.answer.get("supersede", ()):
            named = any(fact.text.startswith(id.removeprefix("@")) for id in each["ids"])
            if named and each["label"] == CORRECT:
                yield each["text"]


def read_turns(path: Path = TURNS) -> list[SampleTurn]:
    """Return the turns of a file."""
    return [read_turn(each) for each in json.loads(path.read_text("utf-8"))]


def read_turn(data: Mapping[str, Any]) -> SampleTurn:
    """Return a turn from its JSON object."""
    return SampleTurn(
        id=data["id"],
        half=data["half"],
        language=data["language"],
        kind=data["kind"],
        said_at=datetime.fromisoformat(data["said_at"]).replace(hour=12, tzinfo=UTC),
        before=tuple(EarlierExchange(**each) for each in data.get("before", ())),
        known=tuple(map(_known, data.get("known", ()))),
        user=data["user"],
        tools=tuple(data.get("tools", ())),
        assistant=data["assistant"],
        answer=data["answer"],
    )


def _known(data: Mapping[str, Any]) -> KnownFact:
    return KnownFact(
        text=data["text"],
        kind=Kind(data["kind"]),
        key=data.get("key"),
        value=data.get("value"),
        after=Fate(data["after"]),
    )
