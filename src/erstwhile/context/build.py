"""Building a context, stage by stage.

recall, and one read for the rest -> sections of pieces -> prefix -> tail -> text and report
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from erstwhile.context.budget import facts_asked, history_room, prefix_room
from erstwhile.context.counting import Count, counting
from erstwhile.context.gather import Gathered, gather
from erstwhile.context.model import (
    Context,
    ContextReport,
    HistoryOverflow,
    LeftOut,
    Omission,
    Section,
)
from erstwhile.context.pack import Part
from erstwhile.context.pieces import Pieces
from erstwhile.context.request import Asked
from erstwhile.context.sections import is_overridden, prefix_sections, tail_sections
from erstwhile.context.summaries import Summaries
from erstwhile.context.wording import Wording, wording
from erstwhile.conversations.conversation import Message, Transcript
from erstwhile.core.language import LANGUAGE_KEY, is_language
from erstwhile.facts.fact import Fact
from erstwhile.facts.filters import Filters
from erstwhile.recall.hits import FactHits, RecallOptions
from erstwhile.services import Services
from erstwhile.storage.access import Access


@dataclass(frozen=True, slots=True)
class Builder:
    """What contexts are made with."""

    access: Access
    services: Services

    def build(self, asked: Asked) -> Context:
        hits = self._recalled(asked)
        recalled = [hit.fact for hit in hits or ()]
        found = gather(self.access, self.services, asked, recalled)
        language = asked.language or _language(found.values)
        worded = wording(language, asked.templates)
        making = Making(
            asked=asked,
            language=language,
            wording=worded,
            pieces=Pieces(worded, self.access.clock.now()),
            count=counting(self.services.tokenizers.default),
            tokenizer=self.services.tokenizers.default.name,
        )
        found.transcript = self._summed_up(found.transcript, making)
        made = making.context(found, hits)
        facts = [item.id for item in made.items if isinstance(item.source, Fact)]
        self.services.usage_recorder.note(self.access.viewer, facts, asked.query)
        return made

    def _recalled(self, asked: Asked) -> FactHits | None:
        if Section.FACTS not in asked.needs or not asked.query or not asked.tokens:
            return None
        options = RecallOptions(limit=facts_asked(asked.tokens))
        return self.services.recall.search(self.access, asked.query, Filters(), options)

    def _summed_up(self, transcript: Transcript | None, making: Making) -> Transcript | None:
        """Reads and writes of its own, and may wait for a model: outside of every view."""
        asked = making.asked
        if transcript is None or asked.overflow is not HistoryOverflow.SUMMARISE:
            return transcript
        summaries = Summaries(self.access, self.services)
        return summaries.made(transcript, history_room(asked.tokens), making.cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """One context, made of what was read."""

    asked: Asked
    language: str | None
    wording: Wording
    pieces: Pieces
    count: Count
    tokenizer: str

    def context(self, found: Gathered, hits: FactHits | None) -> Context:
        prefix = self._prefix(found)
        first = prefix.settled()
        tail = self._tail(found, hits, first, prefix.marks | self._told(found, prefix))
        last = tail.settled()
        items = (*prefix.items, *tail.items)
        left = [*prefix.left_out, *tail.left_out, *_overridden(found, hits)]
        shown = {item.id for item in items}
        trace = None if hits is None else hits.trace
        report = ContextReport(
            budget=self.asked.tokens,
            tokens=self.count(first + last),
            tokenizer=self.tokenizer,
            prefix=self.count(first),
            sections={**prefix.sections, **tail.sections},
            left_out=tuple(each for each in left if not _stands_elsewhere(each, shown)),
            below_floor=trace.below_floor if trace else 0,
            omitted=_omitted(found.transcript, shown),
            notices=trace.notices if trace else (),
        )
        return Context(prefix=first, tail=last, items=items, report=report)

    def cost(self, message: Message) -> int:
        return self.count(self.pieces.message(message).lines)

    def _prefix(self, found: Gathered) -> Part:
        """It knows nothing of the question, nor of what the tail will need."""
        part = Part(self.wording, self.count, prefix_room(self.asked.tokens, self.asked.needs))
        if self.language and Section.LANGUAGE in self.asked.needs:
            part.advise(Section.LANGUAGE, self.language)
        sections = prefix_sections(found, self.asked.needs, self.pieces)
        part.fill(sections, self._told(found, part))
        return part

    def _tail(self, found: Gathered, hits: FactHits | None, before: str, marks: set[str]) -> Part:
        part = Part(self.wording, self.count, self.asked.tokens, before)
        if found.stage is not None:
            part.advise(Section.ONBOARDING, found.stage.hint)
        part.fill(tail_sections(found, hits, self.pieces), marks)
        return part

    def _told(self, found: Gathered, prefix: Part) -> set[str]:
        """Where a hint names the language, no fact needs to, and none may say another."""
        value = found.values.get(LANGUAGE_KEY)
        return {value.id} if value and Section.LANGUAGE in prefix.sections else set()


def _language(values: Mapping[str, Fact]) -> str | None:
    """What was set or noticed; any text may have been stored under the key, and is no hint."""
    value = values.get(LANGUAGE_KEY)
    return value.text.lower() if value and is_language(value.text) else None


def _overridden(found: Gathered, hits: FactHits | None) -> list[LeftOut]:
    return [
        LeftOut(
            section=Section.FACTS,
            id=hit.fact.id,
            text=hit.fact.text,
            reason=Omission.OVERRIDDEN,
        )
        for hit in hits or ()
        if is_overridden(hit.fact, found)
    ]


def _stands_elsewhere(left: LeftOut, shown: set[str]) -> bool:
    """What found no room in the prefix may be in the tail."""
    return left.reason is Omission.BUDGET and left.id in shown


def _omitted(transcript: Transcript | None, shown: set[str]) -> int:
    if transcript is None:
        return 0
    return transcript.omitted + sum(each.id not in shown for each in transcript.messages)
