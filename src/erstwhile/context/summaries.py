"""Summaries of messages that no longer fit into a prompt.

A range of messages is summarised once, by a language model or by its key sentences, and the summary
is stored. A summary covers all messages except the last ones that fit into half of the room. So a
new message rarely causes a new summary. The messages stay, and are shown wherever they fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from erstwhile.adapters.llm.answers import parse
from erstwhile.context.history import History
from erstwhile.context.key_sentences import key_sentences, shorten
from erstwhile.conversations.changes import compact
from erstwhile.conversations.conversation import Message
from erstwhile.conversations.messages import compactions_of, last_messages
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.errors import ErstwhileError, LlmError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Llm, Prompt
from erstwhile.core.text import encodable
from erstwhile.core.tokens import Tokens
from erstwhile.secrets.masking import mask_text
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.usage.spending import SpendingBudget

LONGEST = 1_200
"""The most characters of a summary."""
_SHOWN = 24_000
"""The characters of messages that a model gets; of longer messages, the key sentences."""
_MOST_TOKENS = 1_000
_NO_TEXT = "…"
_PROMPT = Path(__file__).parent / "prompts" / "summarise.md"
_SCHEMA = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}
_ALL = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Summaries:
    """Creates and stores summaries of messages that do not fit."""

    access: Access
    services: Services

    @property
    def table(self) -> ConversationTable:
        """The table of conversations."""
        return ConversationTable(self.services.idle)

    @property
    def budget(self) -> SpendingBudget:
        """The daily limit on language model calls."""
        return SpendingBudget(self.access, self.services)

    def summarise(self, history: History, room: int, costs: Mapping[str, int]) -> History:
        """Return the history with a summary of older messages, if some fit nowhere else.

        `room` has the tokens of the messages that are shown, `costs` those of each by its id. A
        conversation of another scope stays unchanged: the viewer does not own it.
        """
        viewer, conversation = self.access.viewer, history.conversation
        if viewer.everything or viewer.scope != conversation.scope:
            return history
        if not history.has_uncovered(costs):
            return history
        older = self._older(history, room // 2, costs)
        if not older:
            return history
        summary = summary_of(older, self._model(), self.budget)
        viewer = self.access.viewer  # our model wrote the summary, also if an agent asked
        ours = self.access.seen_by(replace(viewer, name=viewer.actor, person=True))
        ours.change(lambda unit: self._store(unit, history, older, summary))
        stored = self.access.ask(lambda view: compactions_of(view, conversation.id))
        return replace(history, compactions=stored)

    def _model(self) -> Llm | None:
        """Return the language model, or None if it is missing, broken or over the daily limit."""
        try:
            llm = self.services.llm()
        except ErstwhileError as error:  # such as a missing key: a prompt must not fail with it
            log_failure(__name__, "the language model cannot be created", error=error)
            return None
        return None if llm is None or self.budget.reached_limit() else llm

    def _older(self, history: History, room: int, costs: Mapping[str, int]) -> list[Message]:
        """Return the messages to summarise: all without a summary, except the last that fit."""
        kept = fitting(history.messages, room, costs) or history.messages[-1:]
        if not kept:
            return []
        return self.access.ask(lambda view: _range(view, history, before=kept[0].position))

    def _store(self, unit: Unit, history: History, older: Sequence[Message], summary: str) -> None:
        """Store a summary, unless its messages changed or another process stored one meanwhile."""
        found = self.table.find_own(unit, history.conversation.id)
        covered = [each.id for each in compactions_of(unit, found.id)]
        if covered != [each.id for each in history.compactions]:
            return
        if _range(unit, history, before=older[-1].position + 1) == list(older):
            compact(unit, found, summary, older[-1])


def _range(view: View, history: History, *, before: int) -> list[Message]:
    """Return the messages without a summary, up to a position."""
    id, after = history.conversation.id, history.covered
    return last_messages(view, id, limit=_ALL, after=after, before=before)


def fitting(messages: Sequence[Message], room: int, costs: Mapping[str, int]) -> Sequence[Message]:
    """Return the last messages that fit, without a gap; one without a cost does not fit."""
    first = len(messages)
    while first and (cost := costs.get(messages[first - 1].id, room + 1)) <= room:
        room -= cost
        first -= 1
    return messages[first:]


def summary_of(messages: Sequence[Message], llm: Llm | None, budget: SpendingBudget) -> str:
    """Return a summary by the language model or, if it fails once, by key sentences."""
    text = "" if llm is None else _llm_summary(messages, llm, budget)
    summary = text or key_sentences(messages, LONGEST) or _NO_TEXT
    return shorten(mask_text(summary), LONGEST)


def _llm_summary(messages: Sequence[Message], llm: Llm, budget: SpendingBudget) -> str:
    """Return the summary of the language model; empty if it fails."""
    shown = mask_text(key_sentences(messages, _SHOWN)).replace("</conversation", "< /conversation")
    prompt = Prompt(
        system=_system(),
        user=f"<conversation>\n{shown}\n</conversation>",
        schema=_SCHEMA,
        max_tokens=_MOST_TOKENS,
    )
    try:
        answer = llm.complete(prompt)
    except LlmError as failure:
        log_failure(__name__, "a summary is made without the language model", error=failure)
        if failure.spent not in (None, Tokens()):
            budget.record(llm.model, failure.spent)
        return ""
    except Exception as error:  # a model is foreign code, and a prompt must not fail with it
        log_failure(__name__, "a summary is made without the language model", error=error)
        return ""
    budget.record(llm.model, answer.tokens)
    return _parsed_summary(answer.text)


def _parsed_summary(text: str) -> str:
    """Return the summary in an answer; empty if the answer is invalid or cannot be stored."""
    try:
        summary: str = parse(text, _SCHEMA)["summary"]
    except LlmError as error:
        log_failure(__name__, "the summary of the language model is unusable", error=error)
        return ""
    return "" if "\0" in summary or not encodable(summary) else summary.strip()


@cache
def _system() -> str:
    return _PROMPT.read_text("utf-8").replace("{{longest}}", f"{LONGEST:,}")
