"""Measure learning without a model: the share of personal statements learned, and the precision.

The labels are in `sets`. `statements.jsonl` has sentences of our own; a personal statement stands
between brackets. `statements_elsewhere.jsonl` has places in public conversations, which are read
from files of the caller: BEAM and LoCoMo may be measured with, not copied.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.policy import Policy
from erstwhile.core.scope import Scope
from erstwhile.core.text import folded
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.guard import gravest, judge
from erstwhile.learning.patterns import candidates
from erstwhile.learning.salience import salience
from erstwhile.learning.turn import Turn, TurnLine
from erstwhile.learning.verdict import Action

SETS = Path(__file__).with_name("sets")
SPLITS = ("fresh", "held", "tune")
SAID_AT = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
_STATEMENT = re.compile(r"\[([^\[\]]*)\]")
_WORD = re.compile(r"[^\W_a-zÀ-ɏЀ-ӿ]|[a-zÀ-ɏЀ-ӿ']+")
"""A word, or one character in scripts without spaces; digits are single, too."""

Messages: TypeAlias = Mapping[tuple[str, str], str]
"""The texts of messages by conversation and id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSentence:
    """A sentence in its message, and the statements in it that are worth learning."""

    set: str
    split: str
    language: str
    message: str
    sentence: str
    said: tuple[str, ...]
    may: tuple[str, ...] = ()
    """Statements that may be learned, and that are not missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementScores:
    """How much is learned of the sentences of one set and split."""

    set: str
    split: str
    sentences: int
    said: int
    said_learned: int
    learned: int
    """The number of facts that were learned from these sentences."""
    right: int

    @property
    def share(self) -> float:
        return self.said_learned / self.said if self.said else 1.0

    @property
    def precision(self) -> float:
        return self.right / self.learned if self.learned else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementReport:
    """The scores of each set and split, and what was wrong and missed, in words."""

    lines: tuple[StatementScores, ...]
    wrong: tuple[str, ...]
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A sentence, and the facts that were learned from it."""

    label: LabelledSentence
    facts: tuple[Candidate, ...]

    @property
    def wrong(self) -> list[Candidate]:
        spans = (*self.label.said, *self.label.may)
        return [fact for fact in self.facts if not any(_covers(fact, span) for span in spans)]

    @property
    def missed(self) -> list[str]:
        return [span for span in self.label.said if not any(_covers(f, span) for f in self.facts)]


def run_statements(labels: Sequence[LabelledSentence]) -> StatementReport:
    """Learn from the messages of the labelled sentences, and score what the guard lets in."""
    outcomes = [_Outcome(label, tuple(_learned(label))) for label in labels]
    parts = sorted({(each.set, each.split) for each in labels})
    return StatementReport(
        lines=tuple(_scores(name, split, outcomes) for name, split in parts),
        wrong=tuple(f"{o.label.split} {f.found_by}: {f.text}" for o in outcomes for f in o.wrong),
        missed=tuple(f"{o.label.split} {span}" for o in outcomes for span in o.missed),
    )


def own_sentences(file: Path = SETS / "statements.jsonl") -> list[LabelledSentence]:
    """Return the labelled sentences of our own, in eleven languages."""
    return [_own(json.loads(row)) for row in file.read_text("utf-8").splitlines()]


def sentences_elsewhere(
    name: str, messages: Messages, file: Path = SETS / "statements_elsewhere.jsonl"
) -> list[LabelledSentence]:
    """Return the labelled sentences of a public set, whose messages are given."""
    rows = [json.loads(row) for row in file.read_text("utf-8").splitlines()]
    return [_elsewhere(row, messages) for row in rows if row["set"] == name]


def beam_messages(samples: Sequence[Mapping[str, Any]]) -> Messages:
    """Return the messages of BEAM."""
    return {
        (str(sample["id"]), str(message["id"])): message["content"]
        for sample in samples
        for message in sample["messages"]
    }


def locomo_messages(samples: Sequence[Mapping[str, Any]]) -> Messages:
    """Return the turns of LoCoMo."""
    return {
        (sample["sample_id"], turn["dia_id"]): turn["text"]
        for sample in samples
        for session in sample["conversation"].values()
        if isinstance(session, list)
        for turn in session
    }


def _own(row: Mapping[str, str]) -> LabelledSentence:
    text = _STATEMENT.sub(lambda found: found[1], row["text"])
    return LabelledSentence(
        set=f"own {row['language']}",
        split=row["split"],
        language=row["language"],
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
            f"the message {place} is not the one that was labelled: use the published file"
        )
    return LabelledSentence(
        set=row["set"],
        split=row["split"],
        language="en",
        message=text,
        sentence=sentence,
        said=tuple(text[start:end] for start, end in row["said"]),
        may=tuple(text[start:end] for start, end in row["may"]),
    )


def _learned(label: LabelledSentence) -> Iterator[Candidate]:
    """Yield what is learned from the sentence, as a part of its message."""
    line = TurnLine(message="m", role=Role.USER, text=label.message)
    turn = Turn(conversation="c", scope=Scope(), said_at=SAID_AT, lines=(line,))
    within = " ".join(_words(label.sentence))
    for each in candidates(turn) if salience(turn).durable else ():
        judged, verdicts = judge(each, turn, Policy(), {})
        kept = gravest(verdicts) not in (Action.REFUSE, Action.HOLD)
        if kept and " ".join(_words(each.quote)) in within:
            yield judged


def _covers(fact: Candidate, span: str) -> bool:
    """Return whether half of the shorter one's words are also in the other."""
    quoted, said = set(_words(fact.quote)), set(_words(span))
    return 2 * len(quoted & said) >= min(len(quoted), len(said))


def _words(text: str) -> list[str]:
    return _WORD.findall(folded(text.replace("’", "'")))


def _scores(name: str, split: str, outcomes: Iterable[_Outcome]) -> StatementScores:
    own = [each for each in outcomes if (each.label.set, each.label.split) == (name, split)]
    said, learned = sum(len(o.label.said) for o in own), sum(len(o.facts) for o in own)
    return StatementScores(
        set=name,
        split=split,
        sentences=len(own),
        said=said,
        said_learned=said - sum(len(each.missed) for each in own),
        learned=learned,
        right=learned - sum(len(each.wrong) for each in own),
    )
