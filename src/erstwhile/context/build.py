"""Build a context in stages.

recall facts, gather other records -> pieces by section -> prefix -> tail -> text and report
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

from erstwhile.context.budget import (
    Count,
    fact_limit,
    history_room,
    prefix_room,
    token_counter,
)
from erstwhile.context.gather import Gathered, gather
from erstwhile.context.model import (
    Context,
    ContextOptions,
    ContextReport,
    HistoryOverflow,
    LeftOut,
    Omission,
    Section,
)
from erstwhile.context.pack import ContextPart
from erstwhile.context.pieces import PieceFactory
from erstwhile.context.request import ContextRequest, checked_request
from erstwhile.context.sections import is_overridden, prefix_sections, tail_sections
from erstwhile.context.summaries import Summaries
from erstwhile.context.wording import Wording, wording
from erstwhile.conversations.conversation import Message, Transcript
from erstwhile.core.keywords import check_keywords
from erstwhile.core.language import LANGUAGE_KEY, is_language
from erstwhile.facts.fact import Fact
from erstwhile.recall.hits import RecallHits
from erstwhile.recall.request import ANY_RECORD, RecallOptions
from erstwhile.services import Services
from erstwhile.storage.access import Access


@dataclass(frozen=True, slots=True)
class ContextBuilder:
    """Builds contexts for one viewer."""

    access: Access
    services: Services

    def build(self, query: str, tokens: int, **options: Unpack[ContextOptions]) -> Context:
        """Check a request, and build its context."""
        check_keywords(options, ContextOptions, "tokens")
        request = checked_request(query, tokens, **options)
        hits = self._recall(request)
        recalled = [hit.fact for hit in hits or ()]
        found = gather(self.access, self.services, request, recalled)
        language = request.language or _language(found.values)
        worded = wording(language, request.templates)
        assembly = Assembly(
            request=request,
            language=language,
            wording=worded,
            pieces=PieceFactory(worded, self.access.clock.now()),
            count=token_counter(self.services.tokenizers.default),
            tokenizer=self.services.tokenizers.default.name,
        )
        found.transcript = self._summarised(found.transcript, assembly)
        made = assembly.context(found, hits)
        facts = [item.id for item in made.items if isinstance(item.source, Fact)]
        self.services.usage_recorder.note(self.access.viewer, facts, request.query)
        return made

    def _recall(self, request: ContextRequest) -> RecallHits | None:
        if Section.FACTS not in request.needs or not request.query or not request.tokens:
            return None
        options = RecallOptions(limit=fact_limit(request.tokens))
        return self.services.recall.search(self.access, request.query, ANY_RECORD, options)

    def _summarised(self, transcript: Transcript | None, assembly: Assembly) -> Transcript | None:
        """Summarise messages that do not fit. It may wait for a model, so no view may be open."""
        request = assembly.request
        if transcript is None or request.overflow is not HistoryOverflow.SUMMARISE:
            return transcript
        summaries = Summaries(self.access, self.services)
        return summaries.summarise(transcript, history_room(request.tokens), assembly.cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """Assembles one context from gathered records."""

    request: ContextRequest
    language: str | None
    wording: Wording
    pieces: PieceFactory
    count: Count
    tokenizer: str

    def context(self, found: Gathered, hits: RecallHits | None) -> Context:
        """Return the text of prefix and tail, with the report."""
        prefix = self._prefix(found)
        first = prefix.final_text()
        tail = self._tail(found, hits, first, prefix.marks | self._language_marks(found, prefix))
        last = tail.final_text()
        items = (*prefix.items, *tail.items)
        left = [*prefix.left_out, *tail.left_out, *_overridden(found, hits)]
        shown = {item.id for item in items}
        trace = None if hits is None else hits.trace
        report = ContextReport(
            budget=self.request.tokens,
            tokens=self.count(first + last),
            tokenizer=self.tokenizer,
            prefix=self.count(first),
            sections={**prefix.sections, **tail.sections},
            left_out=tuple(each for each in left if not _is_elsewhere(each, shown)),
            below_floor=trace.below_floor if trace else 0,
            omitted=_omitted(found.transcript, shown),
            notices=trace.notices if trace else (),
        )
        return Context(prefix=first, tail=last, items=items, report=report)

    def cost(self, message: Message) -> int:
        """Return the tokens of a message."""
        return self.count(self.pieces.message(message).lines)

    def _prefix(self, found: Gathered) -> ContextPart:
        """Fill the prefix. It must not depend on the query or on the tail."""
        part = ContextPart(
            self.wording, self.count, prefix_room(self.request.tokens, self.request.needs)
        )
        if self.language and Section.LANGUAGE in self.request.needs:
            part.add_hint(Section.LANGUAGE, self.language)
        sections = prefix_sections(found, self.request.needs, self.pieces)
        part.fill(sections, self._language_marks(found, part))
        return part

    def _tail(
        self, found: Gathered, hits: RecallHits | None, before: str, marks: set[str]
    ) -> ContextPart:
        """Fill the tail, after the text `before` and without items that have these marks."""
        part = ContextPart(self.wording, self.count, self.request.tokens, before)
        if found.stage is not None:
            part.add_hint(Section.ONBOARDING, found.stage.hint)
        part.fill(tail_sections(found, hits, self.pieces), marks)
        return part

    def _language_marks(self, found: Gathered, prefix: ContextPart) -> set[str]:
        """Return the id of the language fact if a hint replaces it."""
        value = found.values.get(LANGUAGE_KEY)
        return {value.id} if value and Section.LANGUAGE in prefix.sections else set()


def _language(values: Mapping[str, Fact]) -> str | None:
    """Return the language of the profile. The key may have any text: only a code counts."""
    value = values.get(LANGUAGE_KEY)
    return value.text.lower() if value and is_language(value.text) else None


def _overridden(found: Gathered, hits: RecallHits | None) -> list[LeftOut]:
    """Return the recalled facts whose key has another value here."""
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


def _is_elsewhere(left: LeftOut, shown: set[str]) -> bool:
    """Return whether an item without room in the prefix is in the tail."""
    return left.reason is Omission.BUDGET and left.id in shown


def _omitted(transcript: Transcript | None, shown: set[str]) -> int:
    """Count the messages that are neither quoted nor summarised."""
    if transcript is None:
        return 0
    return transcript.omitted + sum(each.id not in shown for each in transcript.messages)
