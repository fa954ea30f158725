"""Memory: the verbs. It delegates, and decides nothing; its collections are in `holdings`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Unpack

from erstwhile.core.defaults import FLOOR, TOKENS
from erstwhile.core.errors import ScopeError
from erstwhile.core.keywords import check_keywords
from erstwhile.core.kinds import State, choice
from erstwhile.core.page import MAX_LIMIT, checked_limit
from erstwhile.core.scope import SHARED, Scope, Viewer
from erstwhile.core.stats import Stats
from erstwhile.core.text import checked_reason
from erstwhile.core.time import Moment
from erstwhile.facts import remember_many as remembering_many
from erstwhile.facts import remembering
from erstwhile.facts.details import Details
from erstwhile.facts.draft import Draft, draft, limited
from erstwhile.facts.fact import Fact
from erstwhile.facts.filters import Filters
from erstwhile.lazy_collections import LazyCollections

if TYPE_CHECKING:
    from erstwhile.context.model import Context, ContextOptions
    from erstwhile.facts.usage_signals import Feedback, Judged
    from erstwhile.learning.attempt import Attempt
    from erstwhile.learning.observed import Observed
    from erstwhile.recall.hits import FactHits, Fusion, WhyNot


class Memory(LazyCollections):
    """A memory, seen from one scope. `erstwhile.open` makes the first, `scoped` the others."""

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self._access.viewer.scope

    def scoped(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        session: str | None = None,
    ) -> Memory:
        """The same memory, narrowed. What is set already cannot be changed, only added to."""
        viewer = self._access.viewer
        narrower = viewer.scope.narrowed(user=user, agent=agent, project=project, session=session)
        return self._seen_by(replace(viewer, scope=narrower, everything=False))

    def as_person(
        self,
        name: str,
        *,
        agent: str | None = None,
        project: str | None = None,
        session: str | None = None,
    ) -> Memory:
        """The memory of the person whom a name means, as `identities` link it now.

        All that is done through it is done for that person, whichever of their names was given.
        """
        narrower = self.scoped(agent=agent, project=project)
        return narrower.scoped(user=narrower.identities.resolve(name), session=session)

    def everything(self) -> Memory:
        """An administrator's view over all scopes. It can change facts, but not remember new."""
        viewer = self._access.viewer
        if viewer.scope != SHARED:
            raise ScopeError(
                f"a memory scoped to {viewer.scope} cannot see everything",
                remedy="call it on the memory that `open` returned",
            )
        return self._seen_by(replace(viewer, everything=True))

    def remember(self, text: str, **details: Unpack[Details]) -> Fact:
        """Store one fact now. A verbatim repeat adds evidence to the one that is there."""
        check_keywords(details, Details)
        said = draft(text, now=self._access.clock.now(), **details)
        return self._access.change(lambda unit: remembering.remember(unit, said))

    def remember_many(self, items: Iterable[str | Mapping[str, Any] | Draft]) -> list[Fact]:
        """Store several facts in one transaction: all of them, or none."""
        return remembering_many.remember_many(self._access, items)

    def observe_turn(
        self,
        user: str,
        assistant: str,
        *,
        tools: Sequence[str] = (),
        conversation: str | None = None,
        channel: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        said_at: Moment | None = None,
        key: str | None = None,
        wait: bool = False,
    ) -> Observed:
        """Store a turn of a conversation, and learn from it: in the background, or with `wait` now.

        `tools` are the texts that tools returned in between; `metadata` is the answer's. What was
        not learned when the process ends is learned by the next that learns.
        """
        # Loaded here and below: who only stores and looks up needs none of it.
        from erstwhile.learning import collection as learning
        from erstwhile.learning import observe as observing

        said = observing.turn_said(self._access, user, assistant, tools, metadata, said_at, key)
        seen = observing.observe(self._access, self._services, said, conversation, channel)
        if wait:
            self.learn(seen.conversation)
            return replace(seen, attempts=learning.attempts_at(self._access, seen.user))
        if self._services.learning_thread is not None:
            self._services.learning_thread.wake()
        return seen

    def learn(
        self,
        conversation: str | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Attempt]:
        """Learn now from all that was said in the conversations of exactly this scope, or in one.

        What was learned from already is left alone, and so is what another process is at.
        `progress` is told how many messages are done and how many there are.
        """
        from erstwhile.learning import collection as learning

        tell = progress or (lambda _done, _total: None)
        return learning.learn(self._access, self._services, conversation, tell)

    def recall(
        self,
        query: str,
        limit: int = 10,
        *,
        floor: float = FLOOR,
        fusion: Fusion | str = "convex",
        graph: bool = False,
        recent: bool = False,
        include_retired: bool = False,
        explain: bool = False,
        **filters: Unpack[Filters],
    ) -> FactHits:
        """The facts that matter for a question, best first, each with the reasons.

        Nothing relevant gives nothing: `floor` is how well a fact must match. `graph` and `recent`
        fill up what is left of `limit` with linked and with recent facts. `include_retired` also
        brings what was true once. `explain` also lists what was compared and not returned. The
        filters are those of `facts.list`.
        """
        from erstwhile.recall.hits import Fusion, Options

        check_keywords(filters, Filters)
        options = Options(
            limit=checked_limit(limit),
            floor=floor,
            fusion=choice(Fusion, fusion, name="fusion"),
            graph=graph,
            recent=recent,
            include_retired=include_retired,
            explain=explain,
        )
        return self._services.search.recall(self._access, query, filters, options)

    def context(
        self, query: str, tokens: int = TOKENS, **options: Unpack[ContextOptions]
    ) -> Context:
        """Memory as text for a prompt, within a budget of tokens: what matters for a question.

        A blank question gives what needs none: the profile, open tasks, the conversation so far.
        """
        from erstwhile.context.build import Builder
        from erstwhile.context.model import ContextOptions
        from erstwhile.context.request import asked

        check_keywords(options, ContextOptions)
        return Builder(self._access, self._services).build(asked(query, tokens, **options))

    def why_not(self, query: str, id: str, **filters: Unpack[Filters]) -> WhyNot:
        """Why a fact is not among the first ten answers to a question, or that it is."""
        from erstwhile.recall.hits import Options

        check_keywords(filters, Filters)
        return self._services.search.why_not(self._access, query, id, filters, Options())

    def feedback(
        self, ids: str | Sequence[str], verdict: Feedback | str, *, reason: str | None = None
    ) -> list[Judged]:
        """Say of one or several facts that they were useful, or irrelevant.

        It counts at once, and for who reads in this scope or a narrower one: such facts come
        a little earlier, or later, among those that match about as well.
        """
        from erstwhile.facts import usage as fact_uses
        from erstwhile.facts.usage_signals import Feedback

        wanted = [ids] if isinstance(ids, str) else limited(ids, "ids", MAX_LIMIT)
        chosen, why = choice(Feedback, verdict, name="verdict"), checked_reason(reason)
        return self._access.change(lambda unit: fact_uses.judge(unit, wanted, chosen, why))

    def flush(self, timeout: float | None = None) -> int:
        """Embed what waits, for at most so many seconds; how many records still wait."""
        self._services.usage_recorder.write()
        return self._services.search.flush(self._access, timeout)

    def reembed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Give every fact and decision a vector of this process's embedder, and let that serve.

        The memory stays in use meanwhile, and a run that was stopped goes on where it was.
        `progress` is told how many are done and how many there are.
        """
        return self._services.search.reembed(self._access, progress)

    def stats(self) -> Stats:
        """How much is visible from here, and how large the store is."""
        states = [state for state in State if state is not State.ANY]
        tallies: dict[State, dict[str, int]] = self._access.ask(
            lambda view: {state: dict(view.rows("tally_facts", {}, state)) for state in states}
        )
        engine, unscoped = self._access.engine, self.scope == SHARED
        return Stats(
            **{state.value: sum(tallies[state].values()) for state in states},
            kinds=MappingProxyType(tallies[State.LIVE]),
            engine=engine.dialect,
            schema=engine.schema(),
            bytes=engine.size() if unscoped else None,
        )

    def close(self) -> None:
        """Finish what is under way and release the store, for all views of it.

        What was observed and not yet learned from is tried once more, for half a minute at most.
        """
        for thread in (self._services.learning_thread, self._services.embedding_thread):
            if thread is not None:
                thread.stop()
        self._services.usage_recorder.write()
        self._access.engine.close()

    def _seen_by(self, viewer: Viewer) -> Memory:
        return Memory(self._access.seen_by(viewer), self._services)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        viewer = self._access.viewer
        return f"<Memory {'everything' if viewer.everything else viewer.scope}>"
