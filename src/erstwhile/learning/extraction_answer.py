"""Reading what a language model answered about a turn. Nothing in it is believed unseen.

What is not understood is dropped, one thing at a time and with a note, so that a single mistake of
the model costs no more than it must. Dates are read by us, ids are those that were shown, kinds and
keys are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from erstwhile.adapters.llm.answers import parse
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import Kind, choice
from erstwhile.core.text import checked_label, checked_text, folded
from erstwhile.core.time import parse_expiry, parse_moment
from erstwhile.facts.fact import Fact, Relation
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.extraction_prompt import KEYS, by_shown_id
from erstwhile.learning.reconcile.keys import can_be_value
from erstwhile.learning.turn import Turn, TurnLine, least_trusted
from erstwhile.secrets.masking import mask_text

MOST = 8
"""Facts from one turn: a turn that seems to hold more holds chatter."""
LONGEST_STATEMENT = 2_000
_LISTS = ("supersede", "add", "end")
_SHAPE = {"type": "object", "properties": {name: {"type": "array"} for name in _LISTS}}
_MOST_NAMES = 8
Read = TypeVar("Read")


def read(
    answer: str, turn: Turn, facts: Sequence[Fact], model: str, now: datetime
) -> tuple[list[Candidate], list[str]]:
    """The candidates, and notes on what was dropped; LlmError if it is no answer at all."""
    said = parse(answer, _SHAPE, list_key="add")
    reader = _Reader(turn, by_shown_id(facts), f"llm:{model}", now)
    found = list(reader.candidates(said))
    if len(found) > MOST:
        reader.notes.append(f"{len(found) - MOST} more than {MOST} facts were said: left out")
    return found[:MOST], reader.notes


class _UnusableError(Exception):
    """An item that must be dropped, with the reason."""


@dataclass
class _Reader:
    turn: Turn
    shown: Mapping[str, Fact]
    found_by: str
    now: datetime
    notes: list[str] = field(default_factory=list)

    def candidates(self, said: Mapping[str, Any]) -> Iterator[Candidate]:
        for name in _LISTS:
            for item in said.get(name) or ():
                try:
                    yield self._ending(item) if name == "end" else self._statement(item)
                except _UnusableError as problem:
                    self.notes.append(str(problem))

    def _statement(self, said: object) -> Candidate:
        item = _mapping(said)
        kind = self._kind(item.get("kind"))
        lines = self._lines(item.get("lines"))
        text = _text(item.get("text"))
        return Candidate(
            text=text,
            kind=kind,
            key=self._key(item.get("key"), text),
            entities=tuple(self._each(item.get("entities"), _label, "entity"))[:_MOST_NAMES],
            relations=tuple(self._each(item.get("relations"), _relation, "relation"))[:_MOST_NAMES],
            valid_from=self._moment(item.get("valid_from"), "valid_from", parse_moment),
            expires_at=self._expiry(item.get("expires"), kind),
            replaces=tuple(fact.id for fact in self._facts(item.get("ids"))),
            messages=tuple(line.message for line in lines),
            origin=least_trusted(lines),
            found_by=self.found_by,
        )

    def _ending(self, said: object) -> Candidate:
        item = _mapping(said)
        facts = self._facts(item.get("id"))
        if not facts:
            raise _UnusableError("an end of an unknown fact")
        lines, fact = self._lines(item.get("lines")), facts[0]
        return Candidate(
            text=fact.text[:LONGEST_STATEMENT],
            kind=fact.kind,
            replaces=(fact.id,),
            ends=True,
            messages=tuple(line.message for line in lines),
            origin=least_trusted(lines),
            found_by=self.found_by,
        )

    def _kind(self, said: object) -> Kind:
        try:
            return choice(Kind, folded(str(said)), name="kind")
        except InvalidInputError:
            raise _UnusableError(f"the unknown kind {str(said)[:40]!r}") from None

    def _lines(self, said: object) -> tuple[TurnLine, ...]:
        """The lines that were named; when none can be told, any of the turn may be meant."""
        named, last = _listed(said), len(self.turn.lines)
        known = [number for number in map(_number, named) if 1 <= number <= last]
        if len(known) < len(named):
            self.notes.append("a line that is not there")
        return tuple(self.turn.lines[number - 1] for number in dict.fromkeys(known)) or (
            self.turn.lines
        )

    def _facts(self, said: object) -> list[Fact]:
        """Those that were shown under exactly these ids: a mere beginning names nothing."""
        ids = [str(each).strip() for each in _listed(said)]
        if any(each not in self.shown for each in ids):
            self.notes.append("an id that was not shown")
        return [self.shown[each] for each in dict.fromkeys(ids) if each in self.shown]

    def _key(self, said: object, text: str) -> str | None:
        if not said:
            return None
        key = folded(str(said))
        if key not in KEYS:
            self.notes.append(f"the unknown key {key[:40]!r}")
            return None
        if not can_be_value(key, text, self.turn.scope.user):
            self.notes.append(f"a key of which it is no value, {key}")
            return None
        return key

    def _expiry(self, said: object, kind: Kind) -> datetime | None:
        expiry = self._moment(said, "expires", parse_expiry)
        if expiry is None and kind is Kind.STATE:
            raise _UnusableError("a state without an expiry")
        if expiry is not None and expiry <= self.now:
            raise _UnusableError("something that is over already")
        return expiry

    def _moment(
        self, said: object, name: str, parse_said: Callable[..., datetime]
    ) -> datetime | None:
        if not said:
            return None
        try:
            return parse_said(str(said), now=self.turn.said_at, name=name)
        except InvalidInputError:
            self.notes.append(f"a date that is none, in {name}")
            return None

    def _each(self, said: object, read: Callable[[object], Read], name: str) -> Iterator[Read]:
        for item in said if isinstance(said, list) else []:
            try:
                yield read(item)
            except (_UnusableError, InvalidInputError):
                self.notes.append(f"an unusable {name}")


def _listed(said: object) -> list[Any]:
    """Where no schema is enforced, models write one thing by itself that belongs in a list."""
    if isinstance(said, list):
        return said
    return [] if said is None or said == "" else [said]


def _number(said: object) -> int:
    """A line's number, also in quotes; 0, which no line has, for anything else."""
    written = str(said).strip()
    return int(written) if written.isascii() and written.isdigit() and len(written) < 9 else 0


def _mapping(said: object) -> Mapping[str, Any]:
    if not isinstance(said, dict):
        raise _UnusableError("an item that is no object")
    return said


def _text(said: object) -> str:
    try:
        return mask_text(checked_text(said, name="text", limit=LONGEST_STATEMENT)).strip()
    except InvalidInputError as error:
        raise _UnusableError(f"a statement of which the {error.message}") from None


def _label(said: object) -> str:
    return mask_text(checked_label(said, name="entity"))


def _relation(said: object) -> Relation:
    item = _mapping(said)
    subject, predicate, target = (_label(item.get(part)) for part in Relation._fields)
    return Relation(subject, folded(predicate), target)
