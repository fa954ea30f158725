"""Read the answer of a language model about a turn.

One mistake of the model does not cost the rest. Details that cannot be read are left out with a
note. A proposal that cannot be read is refused with a record, so that nothing disappears.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple, TypeVar

from erstwhile.adapters.llm.answers import parse
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import Kind, choice
from erstwhile.core.text import checked_name, checked_text, folded
from erstwhile.core.time import parse_expiry, parse_moment
from erstwhile.facts.fact import Fact, Relation
from erstwhile.learning.attempts import AttemptChange, refusal
from erstwhile.learning.candidate import BY_MODEL, About, Candidate
from erstwhile.learning.extract import KEYS, by_shown_id
from erstwhile.learning.turn import Turn
from erstwhile.secrets.masking import mask_text

MAX_STATEMENT = 2_000
MAX_QUOTE = 1_000
_LISTS = ("supersede", "add", "end")
_SHAPE = {
    "type": "object",
    "properties": {name: {"type": ["array", "object"]} for name in _LISTS},
}
"""A list may be left out around a single proposal."""
_MAX_NAMES = 8
Read = TypeVar("Read")


class ReadAnswer(NamedTuple):
    """The proposals of a model, the refused ones, and notes on details that were left out."""

    candidates: tuple[Candidate, ...]
    refused: tuple[AttemptChange, ...]
    notes: tuple[str, ...]


def read(answer: str, turn: Turn, facts: Sequence[Fact], model: str, most: int) -> ReadAnswer:
    """Return up to `most` proposals of an answer; raise LlmError if nothing is readable."""
    items = parse(answer, _SHAPE, list_key="add")
    reader = _AnswerReader(turn, by_shown_id(facts), f"{BY_MODEL}{model}")
    found = list(reader.candidates(items))
    for each in found[most:]:
        reader.refuse(each.text, each.quote, f"a turn gives at most {most} facts")
    notes = tuple(dict.fromkeys(reader.notes))
    return ReadAnswer(tuple(found[:most]), tuple(reader.refused), notes)


class _UnusableError(Exception):
    """A proposal that cannot be read, with the reason."""


@dataclass
class _AnswerReader:
    """Reads one answer and collects notes and refused proposals."""

    turn: Turn
    shown: Mapping[str, Fact]
    found_by: str
    notes: list[str] = field(default_factory=list)
    refused: list[AttemptChange] = field(default_factory=list)

    def candidates(self, value: Mapping[str, Any]) -> Iterator[Candidate]:
        for name in _LISTS:
            for item in _listed(value.get(name)):
                try:
                    yield self._ending(item) if name == "end" else self._statement(item)
                except _UnusableError as problem:
                    said = item if isinstance(item, dict) else {"text": item}
                    self.refuse(said.get("text"), said.get("quote"), str(problem))

    def refuse(self, text: object, quote: object, because: str) -> None:
        """Record a proposal that is not followed."""
        said, quoted = (mask_text(str(each or "")) for each in (text, quote))
        self.refused.append(refusal(said, quoted, because, "answer"))

    def _statement(self, given: object) -> Candidate:
        item = _mapping(given)
        text = _text(item.get("text"))
        key, value = self._key(item.get("key")), item.get("value")
        kind = self._kind(item.get("kind"), key)
        return Candidate(
            text=text,
            kind=kind,
            about=self._about(item.get("about")),
            key=key,
            value=next(self._each([value] if key and value else [], _label, "value"), None),
            entities=tuple(self._each(item.get("entities"), _label, "entity"))[:_MAX_NAMES],
            relations=tuple(self._each(item.get("relations"), _relation, "relation"))[:_MAX_NAMES],
            valid_from=self._moment(item.get("valid_from"), "valid_from", parse_moment),
            expires_at=self._expiry(item.get("expires"), kind),
            replaces=tuple(fact.id for fact in self._facts(item.get("ids"))),
            quote=_quote(item.get("quote")),
            found_by=self.found_by,
        )

    def _ending(self, value: object) -> Candidate:
        item = _mapping(value)
        facts = self._facts(item.get("id"))
        if not facts:
            raise _UnusableError("it ends a fact that was not shown")
        fact = facts[0]
        return Candidate(
            text=fact.text[:MAX_STATEMENT],
            kind=fact.kind,
            replaces=(fact.id,),
            ends=True,
            quote=_quote(item.get("quote")),
            found_by=self.found_by,
        )

    def _kind(self, value: object, key: str | None) -> Kind:
        """Return the kind; if it is missing or unknown, that of most facts of its sort."""
        try:
            return choice(Kind, folded(str(value)), name="kind")
        except InvalidInputError:
            kind = Kind.FACT if key is None else Kind.PROFILE
            said = f"the unknown kind {str(value)[:40]!r}" if value else "a missing kind"
            self.notes.append(f"{said}, taken as {kind}")
            return kind

    def _about(self, value: object) -> About | None:
        """Return the subject; None if the model names none, so that the kind decides."""
        try:
            return choice(About, folded(str(value)), name="about") if value else None
        except InvalidInputError:
            self.notes.append(f"the unknown subject {str(value)[:40]!r}")
            return None

    def _facts(self, value: object) -> list[Fact]:
        """Return the facts with exactly these short ids."""
        ids = [str(each).strip() for each in _listed(value)]
        for each in dict.fromkeys(ids):
            if each not in self.shown:
                self.notes.append(f"an id that was not shown: {each[:40]!r}")
        return [self.shown[each] for each in dict.fromkeys(ids) if each in self.shown]

    def _key(self, value: object) -> str | None:
        key = folded(str(value)) if value else None
        if key is None or key in KEYS:
            return key
        self.notes.append(f"the unknown key {key[:40]!r}")
        return None

    def _expiry(self, value: object, kind: Kind) -> datetime | None:
        """Return the end. It is judged at the time of the turn, however late it is learned from."""
        expiry, said_at = self._moment(value, "expires", parse_expiry), self.turn.said_at
        if expiry is not None and expiry.time() == time() and expiry.date() == said_at.date():
            expiry += timedelta(days=1)  # "until today"
        if expiry is None or expiry > said_at:
            return expiry
        if kind is Kind.STATE:
            raise _UnusableError("it was over when it was said")
        self.notes.append("an end before the turn")
        return None

    def _moment(
        self, value: object, name: str, parse_value: Callable[..., datetime]
    ) -> datetime | None:
        try:
            return parse_value(str(value), now=self.turn.said_at, name=name) if value else None
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


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _UnusableError("it is not an object")
    return value


def _text(value: object) -> str:
    if value is None:
        raise _UnusableError("it has no text")
    try:
        return mask_text(checked_text(value, name="text", limit=MAX_STATEMENT)).strip()
    except InvalidInputError as error:
        raise _UnusableError(error.message) from None


def _quote(value: object) -> str:
    """Return the quotation, masked like the turn; empty if it is no text or too long for one."""
    quote = mask_text(value).strip() if isinstance(value, str) else ""
    return quote if len(quote) <= MAX_QUOTE else ""


def _label(value: object) -> str:
    return mask_text(checked_name(value, name="entity"))


def _relation(value: object) -> Relation:
    item = _mapping(value)
    subject, predicate, target = (_label(item.get(part)) for part in Relation._fields)
    return Relation(subject, folded(predicate), target)
