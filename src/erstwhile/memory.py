"""The class Memory. Each of its methods delegates to the package for its idea."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack, cast

from erstwhile.core.arguments import check_keywords
from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.core.kinds import choice
from erstwhile.core.results import MAX_LIMIT, checked_limit
from erstwhile.core.scope import SHARED, Dimensions, Scope, Viewer
from erstwhile.core.settings import FLUSH, TOKENS
from erstwhile.core.text import checked_reason
from erstwhile.core.time import Moment
from erstwhile.facts.draft import Details, Draft, limited
from erstwhile.facts.fact import Fact
from erstwhile.facts.queries import Filters, measure, scope_counts, tag_counts
from erstwhile.facts.remember import remember_many, remember_one
from erstwhile.lazy_collections import LazyCollections
from erstwhile.recall.filters import RecallOptions, RecordFilters, asked_at, checked_among

if TYPE_CHECKING:
    from erstwhile.context.model import Context, ContextOptions
    from erstwhile.core.kinds import TextKind
    from erstwhile.core.policies import RetentionLimits
    from erstwhile.core.results import Erasure, Flushed, ScopeCount, Stats
    from erstwhile.facts.feedback import Feedback, Judged
    from erstwhile.learning.attempts import Attempt, Observed, ObservedMessages
    from erstwhile.learning.consolidation.collection import Consolidation
    from erstwhile.operations.results import Maintained
    from erstwhile.recall.hits import RecallHits, WhyNot
    from erstwhile.services import Services
    from erstwhile.storage.access import Access
    from erstwhile.storage.change_listeners import MemoryChange
    from erstwhile.tools.toolset import Toolset


class Memory(LazyCollections):
    """A memory, seen from one scope. `erstwhile.open` returns it, `scoped` a narrower view."""

    def __init__(self, access: Access | None = None, services: Services | None = None) -> None:
        if access is None or isinstance(access, str | PathLike):
            raise InvalidInputError(
                "a Memory is not made from a location", remedy="call erstwhile.open(location)"
            )
        super().__init__(access, cast("Services", services))

    @property
    def scope(self) -> Scope:
        """The scope of this view: the owner of the memory that it shows."""
        return self._access.viewer.scope

    def scoped(self, **dimensions: Unpack[Dimensions]) -> Memory:
        """Return a view of the same memory with a narrower scope: user, agent, project, session.

        A dimension that is set already cannot be changed. A dimension that is None is left out. But
        a view with `user=None` does not learn: a request without a user must not teach all users.
        """
        check_keywords(dimensions, Dimensions)
        return self._seen_by(self._access.viewer.narrowed(**dimensions))

    def as_person(
        self,
        name: str,
        *,
        agent: str | None = None,
        project: str | None = None,
        session: str | None = None,
    ) -> Memory:
        """Return the view of a person, found by any of their names that `identities` links.

        All reads and writes of this view are for that person.
        """
        narrower = self.scoped(agent=agent, project=project)
        return narrower.scoped(user=narrower.identities.resolve(name), session=session)

    def acting_as(self, actor: str | None = None, *, person: bool = True) -> Memory:
        """Return the same view for an actor: this name is in the audit trail for its changes.

        With `person=False` it is an agent: the guard checks its texts, and it cannot undo what a
        person did.
        """
        return self._seen_by(self._access.viewer.acting_as(actor, person=person))

    def everything(self) -> Memory:
        """Return an administrator's view of all scopes. It can change facts, but not add any."""
        if self.scope != SHARED:
            raise ScopeError(
                f"a memory scoped to {self.scope} cannot see everything",
                remedy="call it on the memory that `open` returned",
            )
        return self._seen_by(replace(self._access.viewer, everything=True))

    def remember(self, text: str, **details: Unpack[Details]) -> Fact:
        """Store one fact now. A verbatim repeat adds evidence to the existing fact.

        The result has live facts that resemble it as `similar`, and those that it seems to
        contradict as `conflicts`: replace or retire them, or keep both.

        The guard checks a fact with the origin `agent`, and may quarantine or refuse it.
        """
        from erstwhile.facts.similar import with_similar  # opening a memory does not need it

        check_keywords(details, Details)
        return remember_one(self._access, text, details, self._services.admission, with_similar)

    def remember_many(self, items: Iterable[str | Mapping[str, Any] | Draft]) -> list[Fact]:
        """Store several facts in one transaction: either all or none."""
        return remember_many(self._access, items, self._services.admission)

    def observe(
        self,
        messages: Sequence[Any],
        *,
        conversation: str | None = None,
        channel: str | None = None,
        said_at: Moment | None = None,
        learn_to: Sequence[str] | str | None = None,
        wait: bool = False,
    ) -> ObservedMessages:
        """Store the new messages of a chat in OpenAI's or Anthropic's shape, and learn from them.

        Pass the whole list after each answer: messages that are already stored are skipped.
        Results of tools are stored as a tool's messages; system prompts are left out.
        Without `conversation`, the list continues the last conversation of the channel.
        `learn_to` and `wait` are those of `observe_turn`.
        """
        return self._observer.observe(
            messages,
            conversation=conversation,
            channel=channel,
            said_at=said_at,
            learn_to=learn_to,
            wait=wait,
        )

    def observe_turn(
        self,
        user: str,
        assistant: str | None,
        *,
        tools: Sequence[str] | None = None,
        conversation: str | None = None,
        channel: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        said_at: Moment | None = None,
        key: str | None = None,
        learn_to: Sequence[str] | str | None = None,
        wait: bool = False,
    ) -> Observed:
        """Store a turn of a conversation, and learn from it in the background, or now with `wait`.

        `tools` are the texts that tools returned. The answer is None or blank if a model only
        called tools. `metadata` belongs to the answer; with `injected` in it, nothing is learned.
        Facts about the person are stored in the user's scope, all others in this scope; `learn_to`
        names the dimensions of another one: "user", ["user", "project"] or "shared". If the process
        ends before it has learned, the next one does so.
        """
        return self._observer.observe_turn(
            user,
            assistant,
            tools=tools,
            conversation=conversation,
            channel=channel,
            metadata=metadata,
            said_at=said_at,
            key=key,
            learn_to=learn_to,
            wait=wait,
        )

    def learn(
        self,
        conversation: str | None = None,
        *,
        missed: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Attempt]:
        """Learn now from the conversations of exactly this scope, or from one of them.

        Skip messages that were learned from already, and conversations leased by other processes.
        With `missed`, read only the turns that the daily limit kept from the language model. Call
        `progress` with the number of messages done and the total, or of turns with `missed`.
        """
        learn = self._observer.learn_missed if missed else self._observer.learn
        return learn(conversation, progress)

    def consolidate(self, *, preview: bool = False) -> Consolidation:
        """Merge facts that say the same, note conflicts, and propose what only a person decides.

        It consolidates exactly this scope, and for `everything()` each scope. What rules prove is
        done; what a language model suggests waits in quarantine. `consolidations.undo` reverts a
        run. With `preview`, only report, without the language model.
        """
        from erstwhile.learning.consolidation.run import consolidate  # few programs need it

        return consolidate(self._access, self._services, preview=preview)

    def recall(
        self,
        query: str,
        limit: int = 10,
        *,
        among: Iterable[TextKind | str] | str = ("facts",),
        floor: float | None = None,
        graph: bool = False,
        recent: bool = False,
        include_retired: bool = False,
        explain: bool = False,
        now: Moment | None = None,
        **filters: Unpack[Filters],
    ) -> RecallHits:
        """Return the records that are relevant to a query, best first, each with the reasons.

        `among` names the kinds of records: facts, messages, observations, lessons, summaries, or
        "all". Without a `floor`, there are no hits unless the best one has a relevance of 0.5;
        with one, all records above it are hits. `graph` and `recent` fill the rest of `limit` with
        linked facts and with recent facts. `include_retired` also returns facts that are no longer
        true, after the others. `explain` also lists the records that were not returned. `now` is
        the date of the question: nothing later is found, and "last week" is relative to it. The
        filters are those of `facts.list`; only facts pass a filter that other records do not have.
        """
        own = ("limit", "among", "floor", "graph", "recent", "include_retired", "explain", "now")
        check_keywords(filters, Filters, *own)
        filters = asked_at(now, filters, self._access.clock)
        options = RecallOptions(
            limit=checked_limit(limit),
            among=checked_among(among),
            floor=floor,
            graph=graph,
            recent=recent,
            include_retired=include_retired,
            explain=explain,
            rerank=True,
        )
        wanted = RecordFilters(facts=filters)
        return self._services.recall.search(self._access, query, wanted, options)

    def context(
        self, query: str, tokens: int = TOKENS, **options: Unpack[ContextOptions]
    ) -> Context:
        """Return memory as text for a prompt, within a budget of tokens.

        A blank query returns the sections that need none, such as the profile and open tasks.
        """
        return self._context_builder.build(query, tokens, **options)

    def why_not(
        self,
        query: str,
        id: str,
        *,
        among: Iterable[TextKind | str] | str = ("facts",),
        **filters: Unpack[Filters],
    ) -> WhyNot:
        """Explain why a record is not among the first ten answers to a query."""
        check_keywords(filters, Filters, "among")
        wanted, options = RecordFilters(facts=filters), RecallOptions(among=checked_among(among))
        return self._services.recall.why_not(self._access, query, id, wanted, options)

    def feedback(
        self, ids: str | Sequence[str], verdict: Feedback | str, *, reason: str | None = None
    ) -> list[Judged]:
        """Mark one or several facts as useful or irrelevant.

        From now on, among facts that match about equally well, useful ones rank higher and
        irrelevant ones lower, for viewers in this scope or a narrower one.
        """
        from erstwhile.facts import feedback  # few programs give feedback

        wanted = [ids] if isinstance(ids, str) else limited(ids, "ids", MAX_LIMIT)
        chosen, why = choice(feedback.Feedback, verdict, name="verdict"), checked_reason(reason)
        return self._access.change(lambda unit: feedback.judge(unit, wanted, chosen, why))

    def flush(self, timeout: float | None = FLUSH) -> Flushed:
        """Wait up to `timeout` seconds for learning and embedding; return what is left."""
        return self._observer.flush(timeout)

    def reembed(
        self,
        progress: Callable[[int, int], None] | None = None,
        *,
        pairs: Mapping[str, str] | None = None,
    ) -> int:
        """Give every passage and decision a vector of this process's embedder, then switch to it.

        The memory can be used meanwhile. An interrupted run continues where it stopped.
        `progress` gets the number of records done and the total. `pairs` maps your own questions to
        facts that answer them, to calibrate the relevance of hits with this model.
        """
        return self._services.recall.reembed(self._access, progress, pairs)

    def scopes(self) -> list[ScopeCount]:
        """Return the scopes that this view sees, each with the number of its live facts."""
        return scope_counts(self._access)

    def users(self) -> dict[str, int]:
        """Return the users whose memory this view sees, each with the number of live facts.

        Only `everything()` sees several users.
        """
        counts: dict[str, int] = {}
        for each in scope_counts(self._access):
            if (user := each.scope.user) is not None:
                counts[user] = counts.get(user, 0) + each.facts
        return counts

    def tags(self) -> dict[str, int]:
        """Return the tags of live facts, each with the number of facts that have it."""
        return tag_counts(self._access)

    def stats(self) -> Stats:
        """Count the visible facts by state and kind, and measure the store."""
        return measure(self._access)

    def ping(self) -> None:
        """Prove that the store works: write a mark and read it back. It leaves no record."""
        self._maintainer.ping()

    def maintain(
        self,
        retention: RetentionLimits | None = None,
        *,
        preview: bool = False,
        compact: bool = False,
        progress: Callable[[str], None] | None = None,
    ) -> Maintained:
        """Remove records that exceed their retention, and maintain index, log and file.

        Others can use the memory meanwhile; one process at a time maintains it. `retention` such as
        "messages 1 year, usage 10000" replaces the setting. With `preview`, only count. With
        `compact`, also rewrite the store, so that no byte of a removed record is left.
        """
        return self._maintainer.maintain(
            retention, preview=preview, compact=compact, progress=progress
        )

    def erase_user(self, user: str, *, preview: bool = False) -> Erasure:
        """Destroy everything of a user, down to the bytes, in every collection and narrower scope.

        Include the scopes and the links of all names that `identities` links to the user. With
        `preview`, only count. A memory that is scoped itself erases within its own scope.
        """
        return self._eraser.erase_user(user, preview=preview)

    def erase_scope(self, *, preview: bool = False, **dimensions: Unpack[Dimensions]) -> Erasure:
        """Destroy everything in a scope and in all narrower scopes, down to the bytes.

        The dimensions narrow the scope of this memory. With `preview`, only count.
        """
        check_keywords(dimensions, Dimensions, "preview")
        return self._eraser.erase_scope(dimensions, preview=preview)

    def clear(self, collection: str, *, preview: bool = False) -> Erasure:
        """Destroy one collection, such as "facts", of exactly this scope, down to the bytes."""
        return self._eraser.clear(collection, preview=preview)

    def tools(self, groups: Sequence[str] | None = None) -> Toolset:
        """Return tools for a language model that calls functions: definitions, and their calls.

        `groups` limits them: facts, blocks, decisions, tasks, history. The model acts as an agent.
        """
        from erstwhile.tools.toolset import Toolset  # few programs need tools

        return Toolset(self, groups)

    def on_change(self, listener: Callable[[MemoryChange], object]) -> Callable[[], None]:
        """Call a function after each change that this process stores and this memory's scope sees.

        It runs on a thread of its own, after the commit: it delays no write, and its errors are
        only logged. Return a function that ends the calls.
        """
        return self._access.listeners.add(self._access.viewer, listener)

    def close(self) -> None:
        """Finish running operations, and close the store for all views of this memory.

        Learn from waiting turns for a few seconds; the next process learns from the rest.
        """
        for work in (self._services.learning_pool, self._services.embedding_thread):
            if work is not None:
                work.stop()
        self._services.conversations_in_work.close()
        self._services.usage_recorder.write()
        self._access.engine.close()

    def _seen_by(self, viewer: Viewer) -> Memory:
        return Memory(self._access.seen_by(viewer), self._services)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Memory {'everything' if self._access.viewer.everything else self.scope}>"
