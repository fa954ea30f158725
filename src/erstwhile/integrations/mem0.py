"""A memory in the shape of mem0 2: change the import, and keep the program.

from erstwhile.integrations.mem0 import Memory

The package mem0 is not needed, nor a language model. Returned texts are escaped, so that none
can act as markup in a prompt. Each user has a scope of its own; without a user, each agent, or
each run.
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from hashlib import md5
from itertools import islice
from typing import Any

import erstwhile
from erstwhile.context.escaping import escaped
from erstwhile.core.errors import NotFoundError
from erstwhile.core.results import MAX_LIMIT, all_items
from erstwhile.core.scope import SHARED
from erstwhile.facts.fact import Fact, FactChange
from erstwhile.integrations.run_memory import raising, short_channel
from erstwhile.learning.candidate import ChangeType

_DIMENSIONS = {"user_id": "user", "agent_id": "agent", "run_id": "session"}
_ID = "mem0_id"
"""The field with the id of the first version of a memory."""
_EVENTS = {ChangeType.ADD: "ADD", ChangeType.CONFLICT: "ADD", ChangeType.SUPERSEDE: "UPDATE"}
_ALL = 1_000_000
Answer = dict[str, Any]


class Mem0Memory:
    """The verbs of mem0's `Memory` on a memory of Erstwhile; by default the one of the settings."""

    def __init__(self, config: Any = None, *, memory: erstwhile.Memory | None = None) -> None:
        if config is not None:
            raise ValueError("a configuration of mem0 has no meaning here: pass memory=…")
        self._memory = memory or erstwhile.open()

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: Any = None,
        agent_id: Any = None,
        run_id: Any = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = None,
        infer: bool = True,
    ) -> Answer:
        """Learn from messages, or store each as it is with `infer=False`."""
        ids = _ids({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        said = _checked_messages(messages)
        memory, about = self._memory_of(ids), {**(metadata or {}), **ids}
        with raising(ValueError):
            store = _learn if infer else _store_as_given
            return {"results": list(store(memory, said, about, expiration_date))}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = 0.1,
        rerank: bool = False,  # noqa: ARG002 (a reranker is a setting here)
        explain: bool = False,
        show_expired: bool = False,
        **others: Any,
    ) -> Answer:
        """Return the memories that fit a query, best first, each with a score from 0 to 1."""
        memory, rest = self._filtered(filters, top_k, others)
        if not isinstance(query, str) or not query.strip():
            raise ValueError("Invalid query: cannot be empty or whitespace-only.")
        limit = MAX_LIMIT if rest else min(top_k, MAX_LIMIT)
        state = "any" if show_expired else "live"
        with raising(ValueError):
            hits = memory.recall(query, max(limit, 1), floor=threshold, state=state)
        shown = (
            {**item, "score": hit.relevance, **({"score_details": str(hit.why)} if explain else {})}
            for hit in hits
            if _matches(item := _memory_fields(hit.fact), rest)
        )
        return {"results": [*islice(shown, top_k)]}

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        **others: Any,
    ) -> Answer:
        """Return memories, newest first."""
        memory, rest = self._filtered(filters, top_k, others)
        items = map(_memory_fields, _current_facts(memory, expired=show_expired))
        return {"results": [*islice((each for each in items if _matches(each, rest)), top_k)]}

    def get(self, memory_id: str) -> Answer | None:
        try:
            return _memory_fields(self._find(memory_id))
        except ValueError:
            return None

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        data: str | None = None,
    ) -> Answer:
        """Replace the text of a memory, or change its metadata; the history keeps the old text."""
        fact, new = self._find(memory_id), text if text is not None else data
        if new is None and metadata is None:
            raise ValueError("At least one of text or metadata must be provided.")
        kept = {name: value for name, value in (metadata or {}).items() if name not in _DIMENSIONS}
        old = fact.to_dict()["metadata"]
        fields, facts = {**old, **kept}, self._view_for_ids().facts
        with raising(ValueError):
            if new is not None and new != fact.text:
                facts.replace(fact.id, new, metadata={**fields, _ID: memory_id})
            elif fields != old:
                facts.update(fact.id, metadata=fields)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Answer:
        """Delete a memory. `facts.restore` brings it back."""
        with raising(ValueError):
            self._view_for_ids().facts.delete(self._find(memory_id).id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, user_id: Any = None, agent_id: Any = None, run_id: Any = None) -> Answer:
        ids = _ids({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        for fact in [*_current_facts(self._memory_of(ids))]:
            if _matches(_memory_fields(fact), ids):
                self._view_for_ids().facts.delete(fact.id)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Answer]:
        """Return the changes of a memory, oldest first."""
        with raising(ValueError):
            changes = self._view_for_ids().facts.history(memory_id)
        return [*_changes(memory_id, changes)]

    def close(self) -> None:
        self._memory.close()

    def _view_for_ids(self) -> erstwhile.Memory:
        """Return the view for an id, which names no user: everything, unless this is one scope."""
        return self._memory.everything() if self._memory.scope == SHARED else self._memory

    def _memory_of(self, ids: Mapping[str, str]) -> erstwhile.Memory:
        name = next(name for name in _DIMENSIONS if name in ids)
        with raising(ValueError):
            return self._memory.scoped(**{_DIMENSIONS[name]: ids[name]})

    def _filtered(
        self, filters: Mapping[str, Any] | None, top_k: Any, others: Mapping[str, Any]
    ) -> tuple[erstwhile.Memory, dict[str, Any]]:
        """Return the view that filters name, and the filters that are left to be compared."""
        if others:
            raise ValueError(f"{', '.join(others)} is not supported: use filters={{…}} instead.")
        if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 0:
            raise ValueError(f"Invalid top_k: {top_k}. Must be a non-negative integer.")
        given = dict(filters or {})
        ids = _ids({name: given.get(name) for name in _DIMENSIONS})
        return self._memory_of(ids), {**given, **ids}

    def _find(self, id: str) -> Fact:
        facts = self._view_for_ids().facts
        later = facts.list(metadata={_ID: id}, limit=1)
        try:
            found = later[0] if later else facts.get(id)
        except NotFoundError:
            raise ValueError(f"Memory with id {id} not found") from None
        if found.deleted_at or found.retired_at:
            raise ValueError(f"Memory with id {id} not found")
        return found


def _ids(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the ids of user, agent and run that are given; one must be."""
    ids = {name: str(value).strip() for name, value in given.items() if value is not None}
    for name, value in ids.items():
        if not value or " " in value:
            raise ValueError(f"Invalid {name}: it must be a word, not {value!r}.")
    if not ids:
        raise ValueError("At least one of user_id, agent_id, run_id is needed: {'user_id': 'u1'}")
    return ids


def _checked_messages(messages: Any) -> list[dict[str, Any]]:
    listed = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    listed = [listed] if isinstance(listed, Mapping) else listed
    if not isinstance(listed, Sequence) or not all(isinstance(each, Mapping) for each in listed):
        raise ValueError("messages must be str, dict, or list[dict]")
    return [dict(each) for each in listed if each.get("role") != "system"]


def _learn(
    memory: erstwhile.Memory, said: Sequence[Any], about: Mapping[str, Any], expires: Any
) -> Iterator[Answer]:
    channel = short_channel(f"mem0:{about.get('run_id', '')}")
    observed = memory.observe(said, channel=channel, wait=True)
    for change in (each for attempt in observed.attempts for each in attempt.changes):
        if change.fact and (event := _EVENTS.get(change.act)):
            fact = memory.facts.update(change.fact, metadata=_metadata(about, expires))
            yield {"id": fact.id, "memory": escaped(fact.text), "event": event}


def _store_as_given(
    memory: erstwhile.Memory, said: Sequence[Any], about: Mapping[str, Any], expires: Any
) -> Iterator[Answer]:
    for each in said:
        origin = "person" if each.get("role") == "user" else "agent"
        fields = {**_metadata(about, expires), "role": each.get("role", "user")}
        fact = memory.remember(
            each["content"], origin=origin, metadata=fields, expires_at=expires or None
        )
        event = "ADD" if fact.evidence == 1 else "NONE"
        yield {"id": fact.id, "memory": escaped(fact.text), "event": event}


def _metadata(about: Mapping[str, Any], expires: Any) -> dict[str, Any]:
    return {**about, **({"expiration_date": str(expires)} if expires else {})}


def _current_facts(memory: erstwhile.Memory, *, expired: bool = False) -> Iterable[Fact]:
    """Return the facts of a view, newest first; with `expired`, also those whose time ran out."""
    for fact in all_items(memory.facts.list, state="any" if expired else "live"):
        if fact.superseded_by is None:
            yield fact


def _memory_fields(fact: Fact) -> Answer:
    owner = {name: getattr(fact.scope, dimension) for name, dimension in _DIMENSIONS.items()}
    fields = {name: value for name, value in owner.items() if value} | fact.to_dict()["metadata"]
    own = (*_DIMENSIONS, "role", "expiration_date")
    rest = {name: value for name, value in fields.items() if name not in (*own, _ID)}
    return {
        "id": fields.get(_ID, fact.id),
        "memory": escaped(fact.text),
        "hash": md5(fact.text.encode(), usedforsecurity=False).hexdigest(),
        "created_at": fact.valid_from.isoformat(),
        "updated_at": fact.recorded_at.isoformat() if _ID in fields else None,
        **{name: fields[name] for name in own if name in fields},
        **({"metadata": rest} if rest else {}),
    }


def _changes(id: str, changes: Sequence[FactChange]) -> Iterator[Answer]:
    old: str | None = None
    for change in changes:
        text, gone = change.fact.text, change.fact.deleted_at is not None
        if text == old and not gone:
            continue
        event = "DELETE" if gone else "ADD" if old is None else "UPDATE"
        yield {
            "memory_id": id,
            "old_memory": old,
            "new_memory": None if gone else text,
            "event": event,
            "created_at": changes[0].at.isoformat(),
            "updated_at": change.at.isoformat(),
            "is_deleted": gone,
        }
        old = text


_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": lambda value, other: value is not None and value > other,
    "gte": lambda value, other: value is not None and value >= other,
    "lt": lambda value, other: value is not None and value < other,
    "lte": lambda value, other: value is not None and value <= other,
    "in": lambda value, other: value in other,
    "nin": lambda value, other: value not in other,
    "contains": lambda value, other: other in (value or ""),
    "icontains": lambda value, other: other.lower() in (value or "").lower(),
}


def _matches(item: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether an item has all values, with mem0's operators, AND, OR, NOT and wildcard."""
    return all(_matches_one(item, name, value) for name, value in wanted.items())


def _matches_one(item: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name == "AND":
        return all(_matches(item, each) for each in wanted)
    if name == "OR":
        return any(_matches(item, each) for each in wanted)
    if name == "NOT":
        return not any(_matches(item, each) for each in wanted)
    value = item[name] if name in item else item.get("metadata", {}).get(name)
    if wanted == "*":
        return value is not None
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    if unknown := wanted.keys() - _COMPARISONS:
        raise ValueError(f"Unsupported metadata filter operator: {', '.join(sorted(unknown))}")
    return all(_COMPARISONS[name](value, other) for name, other in wanted.items())


def _on_thread(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    async def called(self: AsyncMem0Memory, *given: Any, **options: Any) -> Any:
        return await asyncio.to_thread(method, self.sync, *given, **options)

    return called


class AsyncMem0Memory:
    """The verbs of mem0's `AsyncMemory`: each runs on a thread."""

    def __init__(self, config: Any = None, *, memory: erstwhile.Memory | None = None) -> None:
        self.sync = Mem0Memory(config, memory=memory)

    add = _on_thread(Mem0Memory.add)
    search = _on_thread(Mem0Memory.search)
    get_all = _on_thread(Mem0Memory.get_all)
    get = _on_thread(Mem0Memory.get)
    update = _on_thread(Mem0Memory.update)
    delete = _on_thread(Mem0Memory.delete)
    delete_all = _on_thread(Mem0Memory.delete_all)
    history = _on_thread(Mem0Memory.history)


Memory, AsyncMemory = Mem0Memory, AsyncMem0Memory
"""The names that mem0 gives them."""
