"""Summaries in the place of what no longer fits into a prompt.

One is made once for a range of messages, and stored. So that not every new message makes another,
much is summed up at a time: all but what fits into half of the room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from erstwhile.context.history import Cost, fitting
from erstwhile.context.summary import summed_up
from erstwhile.conversations import operations as talking
from erstwhile.conversations import reading as conversation_reading
from erstwhile.conversations import table
from erstwhile.conversations.conversation import Message, Transcript
from erstwhile.conversations.table import Idleness
from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Llm
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.usage.spending import SpendingBudget

_ALL = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Summaries:
    """Summaries of what no longer fits, made by a language model, or by choosing sentences."""

    access: Access
    services: Services

    @property
    def idleness(self) -> Idleness:
        return Idleness(self.services.idle)

    @property
    def budget(self) -> SpendingBudget:
        return SpendingBudget(self.access, self.services)

    def made(self, transcript: Transcript, room: int, cost: Cost) -> Transcript:
        """The same conversation, in which older messages are summed up if they do not all fit.

        A conversation of another scope is left as it is: who only sees it may add nothing to it.
        """
        viewer, conversation = self.access.viewer, transcript.conversation
        if viewer.everything or viewer.scope != conversation.scope:
            return transcript
        if not fitting(transcript, room, cost).omitted:
            return transcript
        older = self._older(transcript, room // 2, cost)
        if not older:
            return transcript
        summary = summed_up(older, self._model(), self.budget)
        self.access.change(lambda unit: self._store(unit, transcript, older, summary))
        limit = max(len(transcript.messages), 1)
        return self.access.ask(
            lambda view: conversation_reading.transcript(
                view, self.idleness, conversation.id, limit
            )
        )

    def _model(self) -> Llm | None:
        """The model, unless there is none, it cannot be had, or enough was spent today."""
        try:
            llm = self.services.llm()
        except ErstwhileError as error:  # such as a missing key: a prompt must not fail with it
            log_failure(__name__, "the language model cannot be created", error=error)
            return None
        return None if llm is None or self.budget.reached_limit() else llm

    def _older(self, transcript: Transcript, room: int, cost: Cost) -> list[Message]:
        """What is to be summed up: all that no summary covers, but for the last messages."""
        kept = fitting(transcript, room, cost).messages or transcript.messages[-1:]
        if not kept:
            return []
        return self.access.ask(lambda view: _range(view, transcript, before=kept[0].position))

    def _store(
        self, unit: Unit, transcript: Transcript, older: Sequence[Message], summary: str
    ) -> None:
        """Unless the messages changed while it was made, or another process was faster."""
        found = table.find_own(unit, self.idleness, transcript.conversation.id)
        covered = [each.id for each in table.compactions(unit, found.id)]
        if covered != [each.id for each in transcript.compactions]:
            return
        if _range(unit, transcript, before=older[-1].position + 1) == list(older):
            talking.compact(unit, found, summary, older[-1])


def _range(view: View, transcript: Transcript, *, before: int) -> list[Message]:
    """The messages that no summary covers, up to a position."""
    covered = transcript.compactions[-1].last if transcript.compactions else 0
    id = transcript.conversation.id
    return table.messages(view, id, limit=_ALL, after=covered, before=before)
