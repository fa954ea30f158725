"""Summaries of messages that no longer fit into a prompt.

A range of messages is summarised once, by a language model or by its key sentences, and the summary
is stored. A summary covers all messages except the last ones that fit into half of the room. So a
new message rarely causes a new summary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from erstwhile.adapters.llm.answers import parse
from erstwhile.context.key_sentences import key_sentences, shorten
from erstwhile.conversations.changes import compact
from erstwhile.conversations.conversation import Message, Transcript
from erstwhile.conversations.messages import compactions_of, last_messages
from erstwhile.conversations.queries import transcript as read_transcript
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

Cost = Callable[[Message], int]
"""Returns the tokens of a message."""

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

    def summarise(self, transcript: Transcript, room: int, cost: Cost) -> Transcript:
        """Return the transcript with older messages summarised, if not all messages fit.

        A conversation of another scope stays unchanged: the viewer does not own it.
        """
        viewer, conversation = self.access.viewer, transcript.conversation
        if viewer.everything or viewer.scope != conversation.scope:
            return transcript
        if not fitting(transcript, room, cost).omitted:
            return transcript
        older = self._older(transcript, room // 2, cost)
        if not older:
            return transcript
        summary = summary_of(older, self._model(), self.budget)
        self.access.change(lambda unit: self._store(unit, transcript, older, summary))
        limit = max(len(transcript.messages), 1)
        return self.access.ask(
            lambda view: read_transcript(view, self.table.find(view, conversation.id), limit)
        )

    def _model(self) -> Llm | None:
        """Return the language model, or None if it is missing, broken or over the daily limit."""
        try:
            llm = self.services.llm()
        except ErstwhileError as error:  # such as a missing key: a prompt must not fail with it
            log_failure(__name__, "the language model cannot be created", error=error)
            return None
        return None if llm is None or self.budget.reached_limit() else llm

    def _older(self, transcript: Transcript, room: int, cost: Cost) -> list[Message]:
        """Return the messages to summarise: all without a summary, except the last that fit."""
        kept = fitting(transcript, room, cost).messages or transcript.messages[-1:]
        if not kept:
            return []
        return self.access.ask(lambda view: _range(view, transcript, before=kept[0].position))

    def _store(
        self, unit: Unit, transcript: Transcript, older: Sequence[Message], summary: str
    ) -> None:
        """Store a summary, unless its messages changed or another process stored one meanwhile."""
        found = self.table.find_own(unit, transcript.conversation.id)
        covered = [each.id for each in compactions_of(unit, found.id)]
        if covered != [each.id for each in transcript.compactions]:
            return
        if _range(unit, transcript, before=older[-1].position + 1) == list(older):
            compact(unit, found, summary, older[-1])


def _range(view: View, transcript: Transcript, *, before: int) -> list[Message]:
    """Return the messages without a summary, up to a position."""
    covered = transcript.compactions[-1].last if transcript.compactions else 0
    id = transcript.conversation.id
    return last_messages(view, id, limit=_ALL, after=covered, before=before)


def fitting(transcript: Transcript, room: int, cost: Cost) -> Transcript:
    """Return the last messages that fit, without a gap. The others count as omitted."""
    kept: list[Message] = []
    for message in reversed(transcript.messages):
        room -= cost(message)
        if room < 0:
            break
        kept.append(message)
    left_out = len(transcript.messages) - len(kept)
    return replace(
        transcript, messages=tuple(reversed(kept)), omitted=transcript.omitted + left_out
    )


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
