"""Read and check the answer of a language model about a turn.

An invalid item is dropped with a note, so that one mistake of the model does not cost the rest.
Only known kinds, known keys and ids from the prompt are accepted. Dates are parsed here.
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
"""The highest number of facts from one turn. A turn with more facts is chatter."""
LONGEST_STATEMENT = 2_000
_LISTS = ("supersede", "add", "end")
_SHAPE = {"type": "object", "properties": {name: {"type": "array"} for name in _LISTS}}
_MOST_NAMES = 8
Read = TypeVar("Read")


def read(
    answer: str, turn: Turn, facts: Sequence[Fact], model: str, now: datetime
) -> tuple[list[Candidate], list[str]]:
    """Return the candidates and notes on dropped items; raise LlmError if nothing is readable."""
    items = parse(answer, _SHAPE, list_key="add")
    reader = _AnswerReader(turn, by_shown_id(facts), f"llm:{model}", now)
    found = list(reader.candidates(items))
    if len(found) > MOST:
        reader.notes.append(f"{len(found) - MOST} more than {MOST} facts were found and left out")
    return found[:MOST], reader.notes


class _UnusableError(Exception):
    """An item that must be dropped, with the reason."""


@dataclass
class _AnswerReader:
    """Reads one answer and collects notes."""

    turn: Turn
    shown: Mapping[str, Fact]
    found_by: str
    now: datetime
    notes: list[str] = field(default_factory=list)

    def candidates(self, value: Mapping[str, Any]) -> Iterator[Candidate]:
        for name in _LISTS:
            for item in value.get(name) or ():
                try:
                    yield self._ending(item) if name == "end" else self._statement(item)
                except _UnusableError as problem:
                    self.notes.append(str(problem))

    def _statement(self, value: object) -> Candidate:
        item = _mapping(value)
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

    def _ending(self, value: object) -> Candidate:
        item = _mapping(value)
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

    def _kind(self, value: object) -> Kind:
        try:
            return choice(Kind, folded(str(value)), name="kind")
        except InvalidInputError:
            raise _UnusableError(f"the unknown kind {str(value)[:40]!r}") from None

    def _lines(self, value: object) -> tuple[TurnLine, ...]:
        """Return the named lines of the turn; all lines if none is valid."""
        named, last = _listed(value), len(self.turn.lines)
        known = [number for number in map(_number, named) if 1 <= number <= last]
        if len(known) < len(named):
            self.notes.append("a line number that does not exist")
        return tuple(self.turn.lines[number - 1] for number in dict.fromkeys(known)) or (
            self.turn.lines
        )

    def _facts(self, value: object) -> list[Fact]:
        """Return the facts with exactly these short ids."""
        ids = [str(each).strip() for each in _listed(value)]
        if any(each not in self.shown for each in ids):
            self.notes.append("an id that was not shown")
        return [self.shown[each] for each in dict.fromkeys(ids) if each in self.shown]

    def _key(self, value: object, text: str) -> str | None:
        if not value:
            return None
        key = folded(str(value))
        if key not in KEYS:
            self.notes.append(f"the unknown key {key[:40]!r}")
            return None
        if not can_be_value(key, text, self.turn.scope.user):
            self.notes.append(f"a statement that cannot be the value of its key {key}")
            return None
        return key

    def _expiry(self, value: object, kind: Kind) -> datetime | None:
        expiry = self._moment(value, "expires", parse_expiry)
        if expiry is None and kind is Kind.STATE:
            raise _UnusableError("a state without an expiry")
        if expiry is not None and expiry <= self.now:
            raise _UnusableError("an item that expired already")
        return expiry

    def _moment(
        self, value: object, name: str, parse_value: Callable[..., datetime]
    ) -> datetime | None:
        if not value:
            return None
        try:
            return parse_value(str(value), now=self.turn.said_at, name=name)
        except InvalidInputError:
            self.notes.append(f"an invalid date in {name}")
            return None

    def _each(self, value: object, read: Callable[[object], Read], name: str) -> Iterator[Read]:
        for item in value if isinstance(value, list) else []:
            try:
                yield read(item)
            except (_UnusableError, InvalidInputError):
                self.notes.append(f"an unusable {name}")


def _listed(value: object) -> list[Any]:
    """Return a list. Models without a schema often write a single item without a list around it."""
    if isinstance(value, list):
        return value
    return [] if value is None or value == "" else [value]


def _number(value: object) -> int:
    """Return the number of a line, also if it is a text; 0 (not a line) for any other value."""
    written = str(value).strip()
    return int(written) if written.isascii() and written.isdigit() and len(written) < 9 else 0


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _UnusableError("an item that is not an object")
    return value


def _text(value: object) -> str:
    try:
        return mask_text(checked_text(value, name="text", limit=LONGEST_STATEMENT)).strip()
    except InvalidInputError as error:
        raise _UnusableError(f"an invalid statement: {error.message}") from None


def _label(value: object) -> str:
    return mask_text(checked_label(value, name="entity"))


def _relation(value: object) -> Relation:
    item = _mapping(value)
    subject, predicate, target = (_label(item.get(part)) for part in Relation._fields)
    return Relation(subject, folded(predicate), target)
