"""Measure learning without a model: the share of personal statements learned, and the precision.

`statements.jsonl` has sentences of our own; a personal statement stands between brackets.
`statements_elsewhere.jsonl` has places in public conversations, which are read from files of the
caller: BEAM and LoCoMo may be measured with, not copied.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import erstwhile
from bench.evaluation.readers import Samples, read_samples
from bench.evaluation.simulated_model import SETS
from erstwhile import InvalidInputError, Memory, Settings
from erstwhile.core.text import folded
from erstwhile.testing.clock import FakeClock
from erstwhile.types import AttemptChange, ChangeType

_SAID_AT = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
_STATEMENT = re.compile(r"\[([^\[\]]*)\]")
_WORD = re.compile(r"[^\W_a-zÀ-ɏЀ-ӿ]|[a-zÀ-ɏЀ-ӿ']+")
"""A word, or one character in scripts without spaces; digits are single, too."""
_NOT_LEARNED = (ChangeType.HOLD, ChangeType.REFUSE)

Messages: TypeAlias = Mapping[tuple[str, str], str]
"""The texts of messages by conversation and id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSentence:
    """A sentence in its message, and the statements in it that are worth learning."""

    set: str
    split: str
    message: str
    sentence: str
    said: tuple[str, ...]
    may: tuple[str, ...] = ()
    """Statements that may be learned, and that are not missed."""


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence, and the changes that learning made because of it."""

    label: LabelledSentence
    learned: tuple[AttemptChange, ...]

    @property
    def wrong(self) -> list[AttemptChange]:
        """What was learned without a statement that says it."""
        spans = (*self.label.said, *self.label.may)
        return [each for each in self.learned if not any(_covers(each, span) for span in spans)]

    @property
    def missed(self) -> list[str]:
        """The statements that were not learned."""
        return [
            span
            for span in self.label.said
            if not any(_covers(each, span) for each in self.learned)
        ]


def own_sentences() -> list[LabelledSentence]:
    """Return the labelled sentences of our own, in eleven languages."""
    return [_own(row) for row in _rows(SETS / "statements.jsonl")]


def public_sentences(file: Path) -> list[LabelledSentence]:
    """Return the labelled sentences of a public file: BEAM or LoCoMo."""
    name, samples = read_samples(file)
    if name not in _MESSAGES:
        raise InvalidInputError(
            f"{file} has no labelled statements", remedy="give a file of BEAM or LoCoMo"
        )
    messages = dict(_MESSAGES[name](samples))
    rows = _rows(SETS / "statements_elsewhere.jsonl")
    return [_elsewhere(row, messages) for row in rows if row["set"] == name]


def read_sentences(labels: Iterable[LabelledSentence]) -> list[ReadSentence]:
    """Learn from the message of each sentence, in the scope of a user of its own."""
    with erstwhile.open(
        ":memory:", settings=Settings(), embedder="none", llm="none", clock=FakeClock(_SAID_AT)
    ) as memory:
        return [
            ReadSentence(label, tuple(_learned(memory.scoped(user=f"{number}"), label)))
            for number, label in enumerate(labels)
        ]


def _learned(user: Memory, label: LabelledSentence) -> Iterator[AttemptChange]:
    """Yield what is learned from the sentence, as a part of its message."""
    seen = user.observe_turn(label.message, "OK.", said_at=_SAID_AT, wait=True)
    within = " ".join(_words(label.sentence))
    for change in (change for attempt in seen.attempts for change in attempt.changes):
        if change.act not in _NOT_LEARNED and " ".join(_words(change.quote)) in within:
            yield change


def _covers(change: AttemptChange, span: str) -> bool:
    """Return whether half of the shorter one's words are also in the other."""
    quoted, said = set(_words(change.quote)), set(_words(span))
    return 2 * len(quoted & said) >= min(len(quoted), len(said))


def _words(text: str) -> list[str]:
    return _WORD.findall(folded(text.replace("’", "'")))


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(row) for row in file.read_text("utf-8").splitlines()]


def _own(row: Mapping[str, str]) -> LabelledSentence:
    text = _STATEMENT.sub(lambda found: found[1], row["text"])
    return LabelledSentence(
        set=f"own {row['language']}",
        split=row["split"],
        message=text,
        sentence=text,
        said=tuple(_STATEMENT.findall(row["text"])),
    )


def _elsewhere(row: Mapping[str, Any], messages: Messages) -> LabelledSentence:
    text = messages.get((row["conversation"], row["message"]), "")
    sentence = text[row["start"] : row["end"]]
    if sha256(sentence.encode()).hexdigest()[: len(row["hash"])] != row["hash"]:
        place = f"{row['set']} {row['conversation']}/{row['message']}"
        raise InvalidInputError(
            f"the message {place} is not the one that was labelled", remedy="use the published file"
        )
    return LabelledSentence(
        set=row["set"],
        split=row["split"],
        message=text,
        sentence=sentence,
        said=tuple(text[start:end] for start, end in row["said"]),
        may=tuple(text[start:end] for start, end in row["may"]),
    )


def _beam_messages(samples: Samples) -> Iterator[tuple[tuple[str, str], str]]:
    for sample in samples:
        for message in sample["messages"]:
            yield (str(sample["id"]), str(message["id"])), message["content"]


def _locomo_messages(samples: Samples) -> Iterator[tuple[tuple[str, str], str]]:
    for sample in samples:
        for session in sample["conversation"].values():
            for turn in session if isinstance(session, list) else ():
                yield (sample["sample_id"], turn["dia_id"]), turn["text"]


_MESSAGES = {"beam": _beam_messages, "locomo": _locomo_messages}
