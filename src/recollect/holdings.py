"""What a memory holds: its collections, each loaded and made when it is first used.

A process that asks one question pays for one collection, and a view of a scope costs next to
nothing. A collection keeps no state but its way into the store, so it does not matter which of two
threads that come at once made the one that stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model.once import cached_property

if TYPE_CHECKING:
    from recollect.model.language import LanguageGuess
    from recollect.pipeline.decisions import Decisions
    from recollect.pipeline.learning import Learning
    from recollect.pipeline.parts import Parts
    from recollect.store.access import Access
    from recollect.store.audit import Audit
    from recollect.store.blocks import Blocks
    from recollect.store.checkpoints import Checkpoints
    from recollect.store.conflicts import Conflicts
    from recollect.store.conversations import Conversations
    from recollect.store.entities import Entities
    from recollect.store.facts import Facts
    from recollect.store.identities import Identities
    from recollect.store.lessons import Lessons
    from recollect.store.limitations import Limitations
    from recollect.store.observations import Observations
    from recollect.store.onboarding import Onboarding
    from recollect.store.outcomes import Outcomes
    from recollect.store.profile import Profile
    from recollect.store.quarantine import Quarantine
    from recollect.store.sessions import Sessions
    from recollect.store.tasks import Tasks
    from recollect.store.usage import Usage


class Holdings:
    """The collections of a memory, seen from one scope."""

    def __init__(self, access: Access, parts: Parts) -> None:
        self._access = access
        self._parts = parts

    @cached_property
    def facts(self) -> Facts:
        from recollect.store.facts import Facts

        return Facts(self._access)

    @cached_property
    def entities(self) -> Entities:
        from recollect.store.entities import Entities

        return Entities(self._access)

    @cached_property
    def quarantine(self) -> Quarantine:
        from recollect.store.quarantine import Quarantine

        return Quarantine(self._access)

    @cached_property
    def conflicts(self) -> Conflicts:
        from recollect.store.conflicts import Conflicts

        return Conflicts(self._access)

    @cached_property
    def blocks(self) -> Blocks:
        from recollect.store.blocks import Blocks

        return Blocks(self._access, self._parts.tokenizers)

    @cached_property
    def decisions(self) -> Decisions:
        from recollect.pipeline.decisions import Decisions

        return Decisions(self._access, self._parts.searching)

    @cached_property
    def outcomes(self) -> Outcomes:
        from recollect.store.outcomes import Outcomes

        return Outcomes(self._access)

    @cached_property
    def lessons(self) -> Lessons:
        from recollect.store.lessons import Lessons

        return Lessons(self._access)

    @cached_property
    def observations(self) -> Observations:
        from recollect.search import words
        from recollect.store.observations import Observations

        return Observations(self._access, words)

    @cached_property
    def limitations(self) -> Limitations:
        from recollect.store.limitations import Limitations

        return Limitations(self._access)

    @cached_property
    def usage(self) -> Usage:
        from recollect.store.usage import Usage

        return Usage(self._access, self._parts.means.prices)

    @cached_property
    def profile(self) -> Profile:
        from recollect.store.profile import Profile

        return Profile(self._access, _language_of)

    @cached_property
    def onboarding(self) -> Onboarding:
        from recollect.store.onboarding import Onboarding

        return Onboarding(self._access)

    @cached_property
    def conversations(self) -> Conversations:
        from recollect.search import words
        from recollect.store.conversations import Conversations

        return Conversations(self._access, words, self._parts.idle)

    @cached_property
    def learning(self) -> Learning:
        from recollect.pipeline.learning import Learning

        return Learning(self._access, self._parts.means, self._parts.idle)

    @cached_property
    def sessions(self) -> Sessions:
        from recollect.store.sessions import Sessions

        return Sessions(self._access)

    @cached_property
    def identities(self) -> Identities:
        from recollect.store.identities import Identities

        return Identities(self._access)

    @cached_property
    def tasks(self) -> Tasks:
        from recollect.search import words
        from recollect.store.tasks import Tasks

        return Tasks(self._access, words)

    @cached_property
    def checkpoints(self) -> Checkpoints:
        from recollect.store.checkpoints import Checkpoints

        return Checkpoints(self._access)

    @cached_property
    def audit(self) -> Audit:
        from recollect.store.audit import Audit

        return Audit(self._access)


def _language_of(text: str) -> LanguageGuess:
    # Loaded here: few programs ever ask for a language.
    from recollect.search.language import detect

    return detect(text)
