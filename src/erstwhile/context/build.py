"""Build a context in stages: gather records, fill the prefix, fill the tail, report.

`budget.py` decides how much fits, and cuts the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Unpack

from erstwhile.context.budget import ContextPart, prefix_rooms, token_counter
from erstwhile.context.gather import Gathered, gather, search
from erstwhile.context.history import Summaries
from erstwhile.context.model import (
    Context,
    ContextOptions,
    ContextReport,
    ContextRequest,
    HistoryOverflow,
    LeftOut,
    Omission,
    Section,
    checked_request,
)
from erstwhile.context.pieces import PieceFactory
from erstwhile.context.prefix import fill_prefix
from erstwhile.context.tail import TailFilling
from erstwhile.context.wording import wording
from erstwhile.core.languages import LANGUAGE_KEY, language_code
from erstwhile.facts.fact import Fact
from erstwhile.services import Services
from erstwhile.storage.access import Access

_MAX_REPORTED = 100
"""The most omissions that a report lists."""


@dataclass(frozen=True, slots=True)
class ContextBuilder:
    """Builds contexts for one viewer."""

    access: Access
    services: Services

    def build(self, query: str, tokens: int, **options: Unpack[ContextOptions]) -> Context:
        """Check a request, and build its context."""
        request = checked_request(query, tokens, options, self.access.clock.now())
        findings = search(self.access, self.services, request)
        read = partial(gather, findings, self.access, self.services, request)
        found = self.access.ask(read, request.now)
        built = self._assemble(request, found)
        is_short = built.report.omitted and request.overflow is HistoryOverflow.SUMMARISE
        if is_short and self._summarise(found, built):
            built = self._assemble(request, found)
        facts = [item.id for item in built.items if isinstance(item.source, Fact)]
        self.services.usage_recorder.note(self.access.viewer, facts, request.query)
        return built

    def _summarise(self, found: Gathered, built: Context) -> bool:
        """Summarise messages that do not fit. It may wait for a model, so no view may be open."""
        if found.history is None:
            return False
        costs = {item.id: item.tokens for item in built.items if item.section is Section.HISTORY}
        room = built.report.sections.get(Section.HISTORY, 0)
        summarised = Summaries(self.access, self.services).summarise(found.history, room, costs)
        found.history, changed = summarised, summarised is not found.history
        return changed

    def _assemble(self, request: ContextRequest, found: Gathered) -> Context:
        """Fill prefix and tail from the gathered records, and report."""
        profile = found.values.get(LANGUAGE_KEY)  # it may have any text: only a language counts
        known = language_code(profile.value or profile.text) if profile else None
        language = request.language or known
        words, count = wording(language, request.templates), token_counter(self.services.tokenizers)
        now = request.now or self.access.clock.now()
        make = PieceFactory(words, now, found.topics, today=request.now is None)

        half, most = prefix_rooms(request.tokens, request.needs)
        prefix = ContextPart(words, count, most if found.blocks else half)
        if language and Section.LANGUAGE in request.needs:
            prefix.add_hint(Section.LANGUAGE, language)
        fill_prefix(prefix, found, request.needs, make, half)
        first = prefix.final_text()

        tail = ContextPart(words, count, request.tokens, first)
        if found.stage is not None:
            tail.add_hint(Section.ONBOARDING, found.stage.hint)
        tail.see(prefix.seen)
        TailFilling(tail, prefix, found, make, request).fill()
        last = tail.final_text()

        shown = {piece.id for piece in (*prefix.pieces, *tail.pieces)}
        left_out, trace = _left_out(found, prefix, tail, shown), found.findings.trace
        relevant = trace.candidates - trace.below_floor
        return Context(
            prefix=first,
            tail=last,
            tail_without_history=tail.text(without=Section.HISTORY),
            items=(*prefix.items, *tail.items),
            report=ContextReport(
                budget=request.tokens,
                tokens=count(first + last),
                tokenizer=self.services.tokenizers.default.name,
                prefix=count(first),
                sections={**prefix.sections, **tail.sections},
                left_out=tuple(left_out[:_MAX_REPORTED]),
                left_out_count=len(left_out) + max(relevant - len(found.findings), 0),
                below_floor=trace.below_floor,
                omitted=found.history.omitted(shown) if found.history else 0,
                notices=trace.notices,
            ),
        )


def _left_out(
    found: Gathered, prefix: ContextPart, tail: ContextPart, shown: set[str]
) -> list[LeftOut]:
    """Return the records that were found and are nowhere in the text."""
    overridden = [
        LeftOut(section=Section.FACTS, id=fact.id, text=fact.text, reason=Omission.OVERRIDDEN)
        for fact in (hit.record for hit in found.findings)
        if isinstance(fact, Fact) and found.is_overridden(fact)
    ]
    return [
        each
        for each in (*overridden, *prefix.left_out, *tail.left_out)
        if not (each.reason is Omission.BUDGET and each.id in shown)
    ]
