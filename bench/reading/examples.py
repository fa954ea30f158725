"""Make examples for the network from labelled turns.

A proposal whose words the user said is an example of support. A known fact that a proposal ends or
replaces is an example of a fate; so is one that nothing names, beside other words of its turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.cached import CachedEmbedder
from erstwhile.adapters.embedders.universal import UniversalEmbedder
from erstwhile.core.kinds import Kind
from erstwhile.evaluation.dialogues import DIALOGUES, FURTHER_DIALOGUES
from erstwhile.evaluation.turns import LATER_TURNS, TURNS
from erstwhile.learning.grounding.quotation import places
from erstwhile.learning.moods import sentence_around
from erstwhile.learning.quoted_words import QuotedWords, before_text
from erstwhile.learning.reading.passage import QuotedPassage
from erstwhile.learning.reading.reader import (
    ClaimedFact,
    ProposedText,
    Reader,
)

WRITTEN = Path(__file__).parent / "turns"
"""Turns that were written for training."""
HELD_OUT = ("round 3", "round 4", "round 6")
"""The parts of the fresh turns that nothing is trained on."""
LABELS = (
    *("correct", "question", "hypothetical", "plan", "joke", "other person", "pasted", "story"),
    *("temporary", "negated", "past", "misread", "invented", "wrong", "assistant", "tool"),
)
FATES = ("live", "retired", "wrong")
_SYNONYMS = {"quotation": "pasted", "quoted": "pasted"}


@dataclass(frozen=True, slots=True)
class Example:
    """One question to the network, and the right answer."""

    source: str
    turn: str
    task: int
    """0 for the support of a statement, 1 for the fate of a fact."""
    answer: int
    passage: QuotedPassage
    statement: NDArray[np.float32]
    successor: NDArray[np.float32] | None
    figures: tuple[float, ...]
    named: bool = True
    """Whether a proposal names the fact."""
    text: str = ""
    quote: str = ""


def labelled_turns() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each turn with the name of its source."""
    for path in (TURNS, LATER_TURNS, TURNS.with_name("turns_fresh.json")):
        for turn in json.loads(path.read_text("utf-8")):
            yield f"{path.stem} {turn['half']}", turn
    for path in (DIALOGUES, FURTHER_DIALOGUES):
        for dialogue in json.loads(path.read_text("utf-8")):
            yield from ((path.stem, turn) for turn in _able_turns(dialogue))
    for path in sorted(WRITTEN.glob("*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").splitlines()):
            yield path.stem, {"id": f"{path.stem}-{number}"} | json.loads(line)


def _able_turns(dialogue: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the turns of a dialogue with the right answer, and what was stated before each."""
    known = list[Mapping[str, Any]]()
    for number, turn in enumerate(dialogue["turns"]):
        answer = {
            name: [{"label": LABELS[0], **each} for each in proposals]
            for name, proposals in turn.get("able", {}).items()
        }
        over = [id for each in answer.get("supersede", ()) for id in each["ids"]]
        over += [each["id"] for each in answer.get("end", ())]
        gone = tuple(id.removeprefix("@") for id in over)
        facts = [
            {**fact, "after": FATES[fact["text"].startswith(gone)] if gone else FATES[0]}
            for fact in known
        ]
        yield {**turn, "id": f"{dialogue['id']}-{number}", "known": facts, "answer": answer}
        stated = [each for name in ("add", "supersede") for each in answer.get(name, ())]
        known = [fact for fact in facts if fact["after"] == FATES[0]]
        known += [{**each, "kind": _kind(each.get("kind", ""))} for each in stated]


def reader() -> Reader:
    """Return a reader without networks, for the features."""
    embedder = UniversalEmbedder()
    return Reader(CachedEmbedder(embedder), embedder.piece_features, ())


def examples(turns: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Example]:
    """Yield the examples of the turns."""
    features = reader()
    for source, turn in turns:
        yield from _TurnExamples(source, turn, features).all()


@dataclass(frozen=True, slots=True)
class _TurnExamples:
    source: str
    turn: Mapping[str, Any]
    reader: Reader

    def all(self) -> Iterator[Example]:
        quoted = list[QuotedWords]()
        named = set[str]()
        for list_name, proposals in self.turn["answer"].items():
            for each in proposals:
                named.update(self._named(each))
                if words := self._words(each):
                    quoted.append(words)
                    yield from self._of_proposal(list_name, each, words)
        others = [fact for fact in self._known() if fact["text"] not in named]
        for place, fact in enumerate(others if quoted else ()):
            if fact["after"] == FATES[0]:
                words = quoted[place % len(quoted)]
                yield self._fate(words, fact, None, named=False)

    def _known(self) -> list[Mapping[str, Any]]:
        return list(self.turn.get("known", ()))

    def _named(self, proposal: Mapping[str, Any]) -> list[str]:
        ids = proposal.get("ids") or [proposal.get("id", "")]
        names = [id.removeprefix("@") for id in ids if id]
        known = (fact["text"] for fact in self._known())
        return [text for text in known if any(map(text.startswith, names))]

    def _words(self, proposal: Mapping[str, Any]) -> QuotedWords | None:
        text = self.turn["user"]
        if (found := next(places(proposal["quote"], text), None)) is None:
            return None
        start, end = found[0].start, found[-1].end
        earlier = self.turn.get("before", ())[-1:]
        before = before_text([line for each in earlier for line in each.values()])
        return QuotedWords(text, start, end, sentence_around(text, start, end), before)

    def _of_proposal(
        self, list_name: str, proposal: Mapping[str, Any], words: QuotedWords
    ) -> Iterator[Example]:
        statement = None
        if list_name != "end":
            key, kind = proposal.get("key"), _kind(proposal.get("kind", ""))
            statement = ProposedText(proposal["text"], kind, key, list_name == "supersede")
            yield self._support(words, statement, proposal["label"])
        for fact in self._known():
            if fact["text"] in self._named(proposal):
                yield self._fate(words, fact, statement)

    def _passage(self, words: QuotedWords) -> QuotedPassage:
        found = self.reader.passage(words)
        return replace(found, rows=_half(found.rows))

    def _support(self, words: QuotedWords, statement: ProposedText, label: str) -> Example:
        label = _SYNONYMS.get(label, label)
        answer = LABELS.index(label if label in LABELS else "invented")
        return Example(
            *(self.source, self.turn["id"], 0, answer, self._passage(words)),
            *(_half(self.reader.rows(statement.text)), None),
            tuple(self.reader.support_figures(words, statement)),
            text=statement.text,
            quote=words.text[words.start : words.end],
        )

    def _fate(
        self,
        words: QuotedWords,
        fact: Mapping[str, Any],
        successor: ProposedText | None,
        *,
        named: bool = True,
    ) -> Example:
        key = fact.get("key")
        rivals = [each["text"] for each in self._known() if each["text"] != fact["text"]]
        same_key = successor is not None and key is not None and key == successor.key
        new = None if successor is None else successor.text
        known = ClaimedFact(fact["text"], Kind(fact["kind"]), rivals, new, same_key)
        rows = None if new is None else _half(self.reader.rows(new))
        return Example(
            *(self.source, self.turn["id"], 1, FATES.index(fact["after"])),
            *(self._passage(words), _half(self.reader.rows(known.text)), rows),
            tuple(self.reader.fate_figures(words, known)),
            named=named,
            text=known.text,
            quote=words.text[words.start : words.end],
        )


def _half(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows in half of their size."""
    return rows.astype(np.float16)


def _kind(name: str) -> Kind:
    """Return a kind; models also name some that do not exist."""
    return Kind(name) if name in list(Kind) else Kind.FACT
