"""Assemble one context from gathered records: prefix, tail, and the report."""

from __future__ import annotations

from dataclasses import dataclass

from erstwhile.context.budget import blocks_room, prefix_room
from erstwhile.context.citations import Citations
from erstwhile.context.counting import Count
from erstwhile.context.gathered import Gathered
from erstwhile.context.model import Context, ContextReport, LeftOut, Omission, Section
from erstwhile.context.pack import ContextPart
from erstwhile.context.pieces import PieceFactory
from erstwhile.context.prefix import fill_blocks, fill_prefix
from erstwhile.context.request import ContextRequest
from erstwhile.context.sections import (
    is_overridden,
    listed_sections,
    prefix_facts,
    prefix_sections,
    stream,
)
from erstwhile.context.tail import TailFilling
from erstwhile.context.wording import Wording
from erstwhile.core.language import LANGUAGE_KEY
from erstwhile.facts.fact import Fact

_MOST_TOLD = 100
"""The most omissions that a report lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """Assembles one context."""

    request: ContextRequest
    language: str | None
    wording: Wording
    citations: Citations
    pieces: PieceFactory
    count: Count
    tokenizer: str

    def context(self, found: Gathered) -> Context:
        """Return the text of prefix and tail, with the report."""
        prefix = self._prefix(found)
        first = prefix.final_text()
        tail = self._tail(found, prefix, first)
        last = tail.final_text()
        items = (*prefix.items, *tail.items)
        return Context(
            prefix=first,
            tail=last,
            tail_without_history=tail.text_without(Section.HISTORY),
            items=items,
            report=self._report(found, prefix, tail, first, last),
        )

    def _report(
        self, found: Gathered, prefix: ContextPart, tail: ContextPart, first: str, last: str
    ) -> ContextReport:
        shown = {piece.id for piece in (*prefix.pieces, *tail.pieces)}
        left = [*_overridden(found), *prefix.left_out, *tail.left_out]
        told = [each for each in left if not _is_elsewhere(each, shown)]
        return ContextReport(
            budget=self.request.tokens,
            tokens=self.count(first + last),
            tokenizer=self.tokenizer,
            prefix=self.count(first),
            sections={**prefix.sections, **tail.sections},
            left_out=tuple(told[:_MOST_TOLD]),
            left_out_count=len(told) + found.findings.unread,
            below_floor=found.findings.below_floor,
            omitted=found.history.omitted(shown) if found.history else 0,
            notices=found.findings.notices,
        )

    def _prefix(self, found: Gathered) -> ContextPart:
        """Fill the prefix. It must not depend on the query or on the tail."""
        needs, tokens = self.request.needs, self.request.tokens
        half, most = prefix_room(tokens, needs), blocks_room(tokens, needs)
        limit = most if found.blocks else half
        part = ContextPart(self.wording, self.count, limit)
        if self.language and Section.LANGUAGE in needs:
            part.add_hint(Section.LANGUAGE, self.language)
        part.see(self._language_marks(found, part))
        self._reserve(found)
        fill_prefix(part, prefix_sections(found, needs, self.pieces), part.room + half - limit)
        fill_blocks(part, found.blocks, self.pieces, self.count)
        return part

    def _reserve(self, found: Gathered) -> None:
        """Assign the citations of the prefix first, so that they do not depend on the tail."""
        facts = prefix_facts(found, self.request.needs).values()
        self.citations.reserve(fact.id for placed in facts for fact in placed)
        self.citations.reserve(block.id for block in found.blocks)

    def _tail(self, found: Gathered, prefix: ContextPart, before: str) -> ContextPart:
        """Fill the tail, after the text `before`."""
        part = ContextPart(self.wording, self.count, self.request.tokens, before)
        if found.stage is not None:
            part.add_hint(Section.ONBOARDING, found.stage.hint)
        part.see(prefix.seen)
        TailFilling(
            part,
            prefix,
            found,
            self.pieces,
            stream(found, self.request.needs),
            listed_sections(found, self.pieces),
        ).fill()
        return part

    def _language_marks(self, found: Gathered, prefix: ContextPart) -> set[str]:
        """Return the id of the language fact if a hint replaces it."""
        value = found.values.get(LANGUAGE_KEY)
        return {value.id} if value and Section.LANGUAGE in prefix.sections else set()


def _overridden(found: Gathered) -> list[LeftOut]:
    """Return the found facts whose key has another value here."""
    facts = [each.record for each in found.findings.found if isinstance(each.record, Fact)]
    return [
        LeftOut(section=Section.FACTS, id=fact.id, text=fact.text, reason=Omission.OVERRIDDEN)
        for fact in facts
        if is_overridden(fact, found)
    ]


def _is_elsewhere(left: LeftOut, shown: set[str]) -> bool:
    """Return whether an item without room in the prefix is in the tail."""
    return left.reason is Omission.BUDGET and left.id in shown
