"""Build a context in stages.

search, gather other records -> prefix -> tail -> text and report
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

from erstwhile.context.assembly import Assembly
from erstwhile.context.citations import Citations
from erstwhile.context.counting import token_counter
from erstwhile.context.gather import gather
from erstwhile.context.gathered import Gathered
from erstwhile.context.model import Context, ContextOptions, HistoryOverflow, Section
from erstwhile.context.pieces import PieceFactory
from erstwhile.context.request import ContextRequest, checked_request
from erstwhile.context.summaries import Summaries
from erstwhile.context.wording import wording
from erstwhile.core.keywords import check_keywords
from erstwhile.core.language import LANGUAGE_KEY, is_language
from erstwhile.facts.fact import Fact
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
        found = gather(self.access, self.services, request)
        made = self._assembly(request, found).context(found)
        is_short = made.report.omitted and request.overflow is HistoryOverflow.SUMMARISE
        if is_short and self._summarise(found, made):
            made = self._assembly(request, found).context(found)
        facts = [item.id for item in made.items if isinstance(item.source, Fact)]
        self.services.usage_recorder.note(self.access.viewer, facts, request.query)
        return made

    def _assembly(self, request: ContextRequest, found: Gathered) -> Assembly:
        language = request.language or _language(found.values)
        worded = wording(language, request.templates)
        citations = Citations()
        return Assembly(
            request=request,
            language=language,
            wording=worded,
            citations=citations,
            pieces=PieceFactory(worded, self.access.clock.now(), citations),
            count=token_counter(self.services.tokenizers),
            tokenizer=self.services.tokenizers.default.name,
        )

    def _summarise(self, found: Gathered, made: Context) -> bool:
        """Summarise messages that do not fit. It may wait for a model, so no view may be open."""
        if found.history is None:
            return False
        costs = {item.id: item.tokens for item in made.items if item.section is Section.HISTORY}
        room = made.report.sections.get(Section.HISTORY, 0)
        summarised = Summaries(self.access, self.services).summarise(found.history, room, costs)
        found.history, changed = summarised, summarised is not found.history
        return changed


def _language(values: Mapping[str, Fact]) -> str | None:
    """Return the language of the profile. The key may have any text: only a code counts."""
    value = values.get(LANGUAGE_KEY)
    return value.text.lower() if value and is_language(value.text) else None
