"""Read LoCoMo: long conversations in sessions, and questions whose evidence are turns.

Each turn becomes one item. Adversarial questions, which have no answer, are left out. Questions
without a turn as evidence are left out, too. Both speakers are people: as messages, both have the
role of a user, and the text names the speaker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from erstwhile.evaluation.haystack import Haystack, Item, Question

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D(\d+):(\d+)")


def read_locomo(samples: Sequence[Mapping[str, Any]]) -> list[Haystack]:
    """Return the conversations, each with its questions."""
    return [_haystack(sample) for sample in samples]


def _haystack(sample: Mapping[str, Any]) -> Haystack:
    items = list(_items(sample["conversation"]))
    known = {item.id for item in items}
    return Haystack(
        name=sample["sample_id"], items=items, questions=list(_questions(sample["qa"], known))
    )


def _items(conversation: Mapping[str, Any]) -> Iterator[Item]:
    names = [name for name in conversation if _SESSION.fullmatch(name)]
    for name in sorted(names, key=lambda name: int(name.removeprefix("session_"))):
        said_at = _moment(conversation[f"{name}_date_time"])
        for turn in conversation[name]:
            about = {"entities": [turn["speaker"]], "source": name, "valid_from": said_at}
            yield Item(
                id=turn["dia_id"], text=_text(turn), details=about, session=name, said_at=said_at
            )


def _text(turn: Mapping[str, Any]) -> str:
    shares = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{shares}"


def _moment(written: str) -> datetime:
    """Return the time of a session, written like "1:56 pm on 8 May, 2023"."""
    return datetime.strptime(written, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _questions(samples: list[Mapping[str, Any]], known: set[str]) -> Iterator[Question]:
    for question in samples:
        category = CATEGORIES.get(question["category"])
        relevant = frozenset(_evidence(question["evidence"]) & known)
        if category and relevant:
            yield Question(text=question["question"], relevant=relevant, category=category)


def _evidence(written: list[str]) -> set[str]:
    """Return the turn ids of evidence. A string may have several ids, or the form D:1:2."""
    ids = _TURN.findall(" ".join(written).replace("D:", "D"))
    return {f"D{int(session)}:{int(turn)}" for session, turn in ids}
