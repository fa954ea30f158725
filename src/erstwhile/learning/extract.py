"""Extraction: ask the language model what to remember of a turn; and the parts of its prompts.

Messages, facts and proposals are lines of JSON inside marks, so that no text in them can close the
marks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import LlmError
from erstwhile.core.kinds import Kind, State
from erstwhile.core.ports import Llm, Prompt, Tokens
from erstwhile.facts.fact import Fact
from erstwhile.facts.queries import Filters
from erstwhile.learning.candidate import About
from erstwhile.learning.turn import Turn, TurnLine, shortened, shown_before, shown_lines
from erstwhile.recall.filters import ANY_RECORD, RecallOptions, RecordFilters
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.usage.collection import SpendingBudget

_PROMPTS = Path(__file__).parent / "prompts"
_SLOT = re.compile(r"\{\{(\w+)\}\}")
KEYS = (
    *("name", "preferred_name", "surname", "pronouns", "birthday", "age"),
    *("home", "hometown", "timezone", "native_language", "employer", "occupation", "diet"),
    "relationship_status",
)
"""The single-valued attributes of a person. Patterns and models use no other keys."""
SHOWN = 30
"""How many facts the model is shown: the most relevant ones."""
AHEAD = 5
"""How many facts that are not true yet the model is shown: a plan may change."""
MAX_FACT = 300
_MAX_QUERY = 2_000
_SHORT = 60
"""A message of fewer characters is often an answer: the exchange before tells what it is about."""
_MIN_ID, _MAX_ID = 4, 36
_TEXT = {"type": "string"}
_UPCOMING = RecordFilters(facts=Filters(state=State.UPCOMING))


def object_with(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema}


_FACT = {
    "text": _TEXT,
    "quote": _TEXT,
    "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
    "about": {"type": "string", "enum": [about.value for about in About]},
    "entities": list_of(_TEXT),
    "relations": list_of(object_with({"subject": _TEXT, "predicate": _TEXT, "object": _TEXT})),
    "valid_from": _TEXT,
    "expires": _TEXT,
    "key": _TEXT,
    "value": _TEXT,
}
SCHEMA = object_with(
    {
        "add": list_of(object_with(_FACT)),
        "supersede": list_of(object_with({"ids": list_of(_TEXT), **_FACT})),
        "end": list_of(object_with({"id": _TEXT, "quote": _TEXT})),
    }
)


@dataclass(slots=True)
class ModelCalls:
    """The calls of a language model in one attempt, and their cost."""

    llm: Llm
    budget: SpendingBudget
    cancelled: Callable[[], bool]
    tokens: Tokens | None = None
    """The paid tokens; None if the model read no prompt."""
    answered: bool = False
    """Whether the model read the last prompt: a failure then is the fault of the turn."""

    @property
    def cost(self) -> Decimal | None:
        """The cost in dollars; None if there is none, or the price is unknown."""
        return None if self.tokens is None else self.budget.cost_of(self.llm.model, self.tokens)

    def ask(self, prompt: Prompt) -> str:
        """Call the model. It may be code of the caller, so every exception becomes an LlmError."""
        self.answered = False
        try:
            completion = self.llm.complete(prompt, self.cancelled)
            spent, text = completion.tokens, "" + completion.text  # raises if it is no Completion
        except LlmError as failure:
            self.answered = failure.spent is not None
            if failure.spent is not None and failure.spent != Tokens():
                self._add(failure.spent)
            raise
        except Exception as error:
            raise LlmError(
                f"the language model failed with {type(error).__name__}", retryable=False
            ) from error
        self.answered = True
        self._add(spent)
        return text

    def _add(self, spent: Tokens) -> None:
        self.tokens = (self.tokens or Tokens()) + spent


def relevant_facts(services: Services, access: Access, turn: Turn) -> list[Fact]:
    """Return the facts to show: relevant, linked and recent live ones, then upcoming ones."""
    text = turn.spoken_by(Role.USER) or turn.spoken_by(*Role)
    if len(text) < _SHORT:
        text = "\n".join((*(each for _, each in shown_before(turn.before)), text))
    query, search = shortened(text, _MAX_QUERY), services.recall.search
    options = RecallOptions(limit=SHOWN, graph=True, recent=True)
    live = search(access, query, ANY_RECORD, options)
    ahead = search(access, query, _UPCOMING, RecallOptions(limit=AHEAD))
    return [hit.fact for hit in (*live, *ahead)]


def extraction_prompt(turn: Turn, facts: Sequence[Fact]) -> Prompt:
    """Return the prompt: the rules, the date, the relevant facts, the turn and its context."""
    values = {
        "keys": ", ".join(KEYS),
        "date": dated(turn),
        "facts": "\n".join(_fact(id, fact) for id, fact in by_shown_id(facts).items()),
        "before": said_lines(shown_before(turn.before)),
        "turn": said_lines(shown_lines(turn.lines)),
    }
    rules, question = filled("extract.md", values)
    return Prompt(system=rules, user=question, schema=SCHEMA)


def by_shown_id(facts: Sequence[Fact]) -> dict[str, Fact]:
    """Return the facts by the short ids that the model sees.

    A short id is the random end of an id, so an id that a model invents names no fact.
    """
    ids = {fact.id for fact in facts}
    length = next(
        length
        for length in range(_MIN_ID, _MAX_ID + 1)
        if len({id[-length:] for id in ids}) == len(ids)
    )
    return {fact.id[-length:]: fact for fact in facts}


def _fact(id: str, fact: Fact) -> str:
    text = shortened(fact.text, MAX_FACT)
    since = f"{fact.valid_from:%Y-%m-%d}"
    return as_data({"id": id, "kind": fact.kind, "since": since, "text": text})


def filled(name: str, values: Mapping[str, str]) -> tuple[str, str]:
    """Return the rules and the question of a prompt file, with its slots filled.

    They are filled in one pass, so that slots inside the values stay as they are.
    """
    rules, _, question = (_PROMPTS / name).read_text("utf-8").partition("\n---\n")
    made = [_SLOT.sub(lambda slot: values[slot[1]], part).strip() for part in (rules, question)]
    return made[0], made[1]


def dated(turn: Turn) -> str:
    """Return the date of a turn as prompts show it."""
    return f"{turn.said_at:%Y-%m-%d (%A)}"


def said_lines(lines: Sequence[tuple[TurnLine, str]]) -> str:
    """Return messages as data, one on each line."""
    return "\n".join(as_data({"role": line.role, "text": text}) for line, text in lines)


def as_data(value: Mapping[str, Any]) -> str:
    """Return JSON on one line without "<", which could close the marks.

    Without spaces it takes a fifth fewer tokens.
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return written.replace("<", "\\u003c")
