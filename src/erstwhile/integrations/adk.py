"""Google ADK: a memory service and a session service.

In `services.yaml` beside the agent they are the classes `erstwhile.integrations.adk.MemoryService`
and `SessionService` of the scheme `erstwhile`; `adk web --memory_service_uri erstwhile:///agent.db`
then uses them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.platform import time as platform_time
from google.adk.sessions.base_session_service import (
    BaseSessionService,
    GetSessionConfig,
    ListSessionsResponse,
)
from google.adk.sessions.session import Session
from google.adk.sessions.state import State
from google.genai.types import Content, Part

from erstwhile.bootstrap import open as open_memory
from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.results import all_items
from erstwhile.integrations.chat_items import ChatItems
from erstwhile.integrations.run_memory import found
from erstwhile.memory import Memory
from erstwhile.recall.hits import Hit

_FOUND = 10
_ADK = "adk"
_LATE = 50
"""The events among which a repeated one is looked for."""


class MemoryService(BaseMemoryService):
    """A memory of what was said in sessions, and of what was learned from it.

    Each user of each app has a scope of its own. An event is stored once. Found texts are escaped,
    so that none of them can end the block of the prompt in which ADK puts them.
    """

    def __init__(self, memory: Memory | None = None, *, uri: str | None = None, **_: Any) -> None:
        self._memory = memory or open_memory(_path_in_address(uri))

    async def add_session_to_memory(self, session: Session) -> None:
        """Store the new events of a session, and learn from them."""
        await self.add_events_to_memory(
            app_name=session.app_name,
            user_id=session.user_id,
            events=session.events,
            session_id=session.id,
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002 (has no meaning here)
    ) -> None:
        """Store the new ones of some events, and learn from them."""
        memory = _memory_of_user(self._memory, app_name, user_id)
        said = [each for each in events if _content_text(each.content)]
        await asyncio.to_thread(_learn, memory, _events(memory, str(session_id)), said)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002
    ) -> None:
        """Store facts as words of an agent; the guard judges them."""
        memory = _memory_of_user(self._memory, app_name, user_id).acting_as(person=False)
        for each in memories:
            if text := _content_text(each.content):
                await asyncio.to_thread(memory.remember, text, origin="agent")

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Return the facts and messages that fit a query, best first."""
        memory = _memory_of_user(self._memory, app_name, user_id)
        hits = await asyncio.to_thread(found, memory, query, _FOUND)
        return SearchMemoryResponse(memories=[_entry(*hit) for hit in hits])


class SessionService(BaseSessionService):
    """Sessions in a memory: each is a conversation in the scope of its user.

    The state of a session, a user and an app are the sums of the changes that are stored. A deleted
    session can be restored. On the memory of a `MemoryService`, each event is stored once.
    """

    def __init__(self, memory: Memory | None = None, *, uri: str | None = None, **_: Any) -> None:
        self._memory = memory or open_memory(_path_in_address(uri))

    async def create_session(
        self,
        *,
        app_name: str,
        user_id: str,
        state: dict[str, Any] | None = None,
        session_id: str | None = None,
    ) -> Session:
        id = (session_id or "").strip() or str(uuid4())
        return await asyncio.to_thread(self._create, app_name, user_id, state or {}, id)

    async def get_session(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str,
        config: GetSessionConfig | None = None,
    ) -> Session | None:
        session = await asyncio.to_thread(self._load, app_name, user_id, session_id.strip())
        if session is None or config is None:
            return session
        events, last, since = session.events, config.num_recent_events, config.after_timestamp
        if last is not None:
            events = events[len(events) - min(last, len(events)) :]
        if since is not None:
            earlier = [n for n, each in enumerate(events, 1) if each.timestamp < since]
            events = events[earlier[-1] if earlier else 0 :]
        return session.model_copy(update={"events": events})

    async def list_sessions(
        self, *, app_name: str, user_id: str | None = None
    ) -> ListSessionsResponse:
        """Return the sessions of a user, or of all users, without events."""
        listed = await asyncio.to_thread(self._list, app_name, user_id)
        listed.sort(key=lambda each: (each.last_update_time, each.user_id, each.id))
        return ListSessionsResponse(sessions=listed)

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Hide a session."""
        chat = _events(_memory_of_user(self._memory, app_name, user_id), session_id.strip())
        await asyncio.to_thread(chat.clear)

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Return the state of a user, without the prefix of its keys."""
        return await asyncio.to_thread(_sum_of_changes, self._user_state(app_name, user_id))

    async def append_event(self, session: Session, event: Event) -> Event:
        """Append an event to a session, and its changes to the states; a repeat adds nothing."""
        if event.partial:
            return event
        chat = _events(_memory_of_user(self._memory, session.app_name, session.user_id), session.id)
        stored = await asyncio.to_thread(chat.all, _LATE)
        if not stored:
            raise SessionNotFoundError(f"Session {session.id} not found.")
        if any(each.get("id") == event.id and _event(each) == event for each in stored):
            return event
        await super().append_event(session=session, event=event)
        session.last_update_time = event.timestamp
        await asyncio.to_thread(chat.add, [_dump(event)])
        changes = (event.actions and event.actions.state_delta) or {}
        await asyncio.to_thread(self._store_states, session.app_name, session.user_id, changes)
        return event

    def _create(self, app: str, user: str, state: Mapping[str, Any], id: str) -> Session:
        chat = _events(_memory_of_user(self._memory, app, user), id, app)
        if chat.all(1):
            raise AlreadyExistsError(f"Session with id {id} already exists.")
        chat.add([{"state": _part_with_prefix(state, None), "at": platform_time.get_time()}])
        self._store_states(app, user, state)
        created = self._load(app, user, id)
        assert created is not None  # noqa: S101
        return created

    def _load(self, app: str, user: str, id: str) -> Session | None:
        first, *rest = _events(_memory_of_user(self._memory, app, user), id).all() or [{}]
        if "state" not in first:
            return None
        events = [_event(each) for each in rest]
        deltas = [(each.actions and each.actions.state_delta) or {} for each in events]
        state = dict(first["state"])
        for delta in deltas:
            state.update(_part_with_prefix(delta, None))
        state |= _with_prefix(State.APP_PREFIX, _sum_of_changes(self._app_state(app)))
        state |= _with_prefix(State.USER_PREFIX, _sum_of_changes(self._user_state(app, user)))
        return Session(
            app_name=app,
            user_id=user,
            id=id,
            state=state,
            events=events,
            last_update_time=events[-1].timestamp if events else first["at"],
        )

    def _list(self, app: str, user: str | None) -> list[Session]:
        view = (
            self._memory.everything() if user is None else _memory_of_user(self._memory, app, user)
        )
        about = [each.metadata.get(_ADK) for each in all_items(view.conversations.list)]
        ids = {tuple(each) for each in about if each and each[0] == app}
        found = [self._load(app, each, id) for _, each, id in ids if user in (None, each)]
        return [each.model_copy(update={"events": []}) for each in found if each]

    def _store_states(self, app: str, user: str, changes: Mapping[str, Any]) -> None:
        if for_app := _part_with_prefix(changes, State.APP_PREFIX):
            self._app_state(app).add([for_app])
        if for_user := _part_with_prefix(changes, State.USER_PREFIX):
            self._user_state(app, user).add([for_user])

    def _app_state(self, app: str) -> ChatItems:
        return ChatItems(self._memory, f"adk-app-state:{app}", learn=False, read=_without_text)

    def _user_state(self, app: str, user: str) -> ChatItems:
        memory = _memory_of_user(self._memory, app, user)
        return ChatItems(memory, "adk-user-state", learn=False, read=_without_text)


def _memory_of_user(memory: Memory, app: str, user: str) -> Memory:
    return memory.scoped(user=f"{quote(app, safe='')}/{user}")


def _path_in_address(uri: str | None) -> str:
    """Return the path in an address: relative after three slashes, absolute after four."""
    parts = urlsplit(uri or "")
    if parts.netloc or len(parts.path) < 2:
        raise InvalidInputError(
            "the address names no file", remedy="pass a memory, or uri='erstwhile:///agent.db'"
        )
    return unquote(parts.path[1:])


def _events(memory: Memory, session: str, app: str | None = None) -> ChatItems:
    """Return the events of a session; both services find them here."""
    user = (memory.scope.user or "").partition("/")[2]
    about = None if app is None else {_ADK: [app, user, session]}
    return ChatItems(
        memory,
        f"adk:{session}",
        learn=False,
        read=_role_and_text,
        key=lambda item: item.get("id"),
        metadata=about,
    )


def _learn(memory: Memory, chat: ChatItems, events: Iterable[Event]) -> None:
    conversation = chat.add(map(_dump, events))
    if conversation:
        memory.learn(conversation)


def _dump(event: Event) -> dict[str, Any]:
    dumped: dict[str, Any] = event.model_dump(mode="json", exclude_none=True)
    return dumped


def _event(item: Mapping[str, Any]) -> Event:
    return Event.model_validate(item)


def _role_and_text(item: Mapping[str, Any]) -> tuple[Role, str]:
    if "id" not in item:  # the first state of a session
        return _without_text(item)
    event = _event(item)
    return Role.USER if event.author == "user" else Role.ASSISTANT, _content_text(event.content)


def _without_text(_: Any) -> tuple[Role, str]:
    return Role.ASSISTANT, ""


def _sum_of_changes(changes: ChatItems) -> dict[str, Any]:
    return {name: value for each in changes.all() for name, value in each.items()}


def _part_with_prefix(state: Mapping[str, Any], prefix: str | None) -> dict[str, Any]:
    """Return the part of a state with a prefix, without it; or the part of the session."""
    if prefix:
        return {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
    others = (State.APP_PREFIX, State.USER_PREFIX, State.TEMP_PREFIX)
    return {name: value for name, value in state.items() if not name.startswith(others)}


def _with_prefix(prefix: str, state: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{prefix}{name}": value for name, value in state.items()}


def _content_text(content: Content | None) -> str:
    return "\n".join(part.text for part in (content and content.parts) or () if part.text)


def _entry(hit: Hit, text: str) -> MemoryEntry:
    record, author = hit.record, "memory"
    if hit.kind == "messages":
        author = str(hit.message.role)
    content = Content(role="user", parts=[Part(text=text)])
    when = record.timestamp.isoformat()
    return MemoryEntry(content=content, id=record.id, author=author, timestamp=when)
