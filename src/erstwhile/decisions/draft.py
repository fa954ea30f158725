"""Checks of new decisions and requests. Every secret in them is masked."""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import sqrt
from typing import Any, NamedTuple

from erstwhile.core.errors import InvalidInputError, TooLargeError
from erstwhile.core.kinds import choice
from erstwhile.core.results import checked_int
from erstwhile.core.text import checked_id, checked_label, checked_text
from erstwhile.core.time import Moment, parse_moment
from erstwhile.decisions.decision import (
    Choice,
    Coverage,
    Decider,
    Decision,
    DecisionRequest,
    Lasting,
    to_json,
)
from erstwhile.facts.draft import limited
from erstwhile.secrets.masking import mask_json

MAX_INPUT = 200_000
MAX_VALUE = 400
"""The compared length of each value, so that a long file content does not outweigh its path."""
MAX_TEXT = 2_000
OTHER_TOOL = 0.8
"""The factor for the similarity to a call of another tool."""

_WORD = re.compile(r"\w+")
_ASCII_WORDS = "".join(chr(n).lower() if _WORD.match(chr(n)) else " " for n in range(128))
"""A translation that separates ASCII words by blanks. It is quicker than a search."""
_ROUNDING = 1e-9


class Digests(NamedTuple):
    """The keyed digests of a goal, and of a tool with its input."""

    goal: bytes
    input: bytes


def keyed(key: bytes, text: str) -> bytes:
    """Return the keyed digest of a text."""
    return hmac.digest(key, text.encode(), "sha256")


def canonical(value: Any) -> str:
    """Return JSON with sorted keys, equal for equal inputs."""
    try:
        _check(value)
        text = to_json(value)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"the input cannot be written as JSON ({type(error).__name__})",
            remedy="use only JSON types, text keys, and no NUL character",
        ) from None
    if len(text) > MAX_INPUT:
        raise TooLargeError(
            f"the input has {len(text):,} characters as JSON, {MAX_INPUT:,} are allowed",
            remedy="pass a reference to the long value",
        )
    return text


def compared_text(tool: str, canonical_input: str) -> str:
    """Return the text of a canonical input that is embedded and compared: its values.

    Keys are left out: they are the same in every call of a tool.
    """
    values = " ".join(each[:MAX_VALUE] for each in _values(json.loads(canonical_input)))
    return values[:MAX_TEXT].strip() or tool


def split_words(text: str) -> list[str]:
    """Return the words of a text; pairs of characters for words outside ASCII."""
    if text.isascii():  # fast path for most texts
        return text.translate(_ASCII_WORDS).split()
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word.isascii() or len(word) < 3:
            found.append(word)
        else:
            found += (word[at : at + 2] for at in range(len(word) - 1))
    return found


def word_similarity(words: frozenset[str], others: Sequence[str], floor: float = 0.0) -> float:
    """Return the share of common words from 0 to 1; it is symmetric.

    A similarity that must be below the floor is returned as 0, which is faster: an agent waits for
    thousands of comparisons.
    """
    common = len(words.intersection(others))
    if not common or common < floor * floor * len(words) - _ROUNDING:
        return 0.0
    return common / sqrt(len(words) * len(set(others)))


def _values(value: Any) -> Iterator[str]:
    match value:
        case None:
            return
        case str():
            yield " ".join(value.split())
        case dict():
            for each in value.values():
                yield from _values(each)
        case list():
            for each in value:
                yield from _values(each)
        case _:
            yield json.dumps(value)


def _check(value: Any) -> None:
    """Raise if a key is not text (1 would become "1"), or a text has a NUL character."""
    match value:
        case str():
            if "\0" in value:
                raise ValueError("a NUL")
        case Mapping():
            if not all(isinstance(key, str) for key in value):
                raise TypeError("a key is not text")
            for key, each in value.items():
                _check(key)
                _check(each)
        case list() | tuple():
            for each in value:
                _check(each)


MAX_DECISION_TEXT = 10_000
MAX_OPTIONS = 50
MAX_TURN = 2**31 - 1
CLOCKS_DIFFER = timedelta(minutes=5)
"""How far ahead of our clock the clock of a caller may be."""
_ADDED = (
    "id", "scope", "recorded_at", "outcome", "superseded_by", "superseded_because", "deleted_at",
    "trusted",
)  # fmt: skip
"""The fields that the memory sets."""


class DecisionDraft(NamedTuple):
    """A decision that can be stored, and its input as it was."""

    decision: Decision
    request: CheckedRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRequest:
    """A request that can be compared: with its secrets masked, and as it was.

    What begins with `whole_` is never stored.
    """

    goal: str
    tool: str
    input: Any
    whole_goal: str = field(repr=False)
    whole_tool: str = field(repr=False)
    whole_input: str = field(repr=False)
    """The input as canonical JSON."""

    def digests(self, key: bytes) -> Digests:
        """Return the keyed digests of the goal, and of the tool with its input."""
        return Digests(keyed(key, self.whole_goal), self._input_digest(key, self.whole_input))

    def fields_digest(self, key: bytes, names: Iterable[str]) -> bytes:
        """Return the keyed digest of the tool and these fields of its input."""
        given = json.loads(self.whole_input)
        return self._input_digest(
            key, to_json({name: given[name] for name in names if name in given})
        )

    def _input_digest(self, key: bytes, text: str) -> bytes:
        return keyed(key, f"{self.whole_tool}\0{text}")


def checked_decision(decision: Decision, *, now: datetime) -> DecisionDraft:
    """Return a decision that can be stored; the fields that the memory sets are left empty."""
    if not isinstance(decision, Decision):
        raise InvalidInputError(
            f"not a decision: {type(decision).__name__}", remedy="pass a Decision"
        )
    request = checked_request(
        DecisionRequest(goal=decision.goal, tool=decision.tool, input=decision.input)
    )
    options = limited(decision.options, "options", MAX_OPTIONS)
    checked = Decision(
        key=checked_id(decision.key, name="key"),
        goal=request.goal,
        tool=request.tool,
        input=request.input,
        turn=checked_int(decision.turn, "turn", 0, MAX_TURN),
        choice=choice(Choice, decision.choice, name="choice"),
        message=safe_text(decision.message, "message"),
        rationale=safe_text(decision.rationale, "rationale"),
        options=tuple(safe_text(option, "each option") for option in options),
        decided_by=choice(Decider, decision.decided_by, name="decided_by"),
        decided_at=_checked_time(decision.decided_at, now),
        lasts=choice(Lasting, decision.lasts, name="lasts"),
        covers=choice(Coverage, decision.covers, name="covers"),
        transient=bool(decision.transient),
    )
    _check_coverage(checked)
    return DecisionDraft(checked, request)


def checked_request(request: DecisionRequest) -> CheckedRequest:
    """Return a checked request, with its input as it was and with its secrets masked."""
    if not isinstance(request, DecisionRequest):
        raise InvalidInputError(
            f"not a request: {type(request).__name__}", remedy="pass a DecisionRequest"
        )
    goal, tool = checked_label(request.goal, name="goal"), checked_label(request.tool, name="tool")
    whole = canonical(request.input)
    return CheckedRequest(
        goal=goal,
        tool=tool,
        input=mask_json(json.loads(whole)),
        whole_goal=request.goal.strip(),
        whole_tool=request.tool.strip(),
        whole_input=whole,
    )


def safe_text(value: str, name: str) -> str:
    """Return a checked text, which may be empty."""
    return checked_text(value, name=name, limit=MAX_DECISION_TEXT) if value else ""


def same_content(stored: Decision, draft: Decision) -> bool:
    """Return whether the fields that the caller sets are equal."""
    draft = replace(draft, decided_at=draft.decided_at or stored.decided_at)
    return replace(draft, **{name: getattr(stored, name) for name in _ADDED}) == stored


def _checked_time(decided_at: Moment | None, now: datetime) -> datetime | None:
    if decided_at is None:
        return None
    parsed = parse_moment(decided_at, now=now, name="decided_at")
    if parsed > now + CLOCKS_DIFFER:
        raise InvalidInputError(
            "decided_at lies in the future", remedy="record a decision when it is made"
        )
    return parsed


def _check_coverage(decision: Decision) -> None:
    """Raise if a decision about some fields is not one that a person wrote."""
    if decision.covers != Coverage.FIELDS:
        return
    if decision.decided_by != Decider.PERSON:
        raise InvalidInputError(
            "only a person decides about every input with the same fields",
            remedy="leave `covers` out",
        )
    if not isinstance(decision.input, dict) or not decision.input:
        raise InvalidInputError(
            "the input has no fields to cover", remedy="give the fields that must be equal"
        )
