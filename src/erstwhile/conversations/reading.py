"""Questions about conversations, each answered on one view of the store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from erstwhile.conversations import table
from erstwhile.conversations.conversation import (
    Conversation,
    ConversationStats,
    ConversationStatus,
    Message,
    MessageHit,
    Role,
    Transcript,
    checked_channel,
)
from erstwhile.conversations.rows import to_message
from erstwhile.conversations.table import Idleness
from erstwhile.core.ids import HIGHEST, id_range
from erstwhile.core.kinds import choice
from erstwhile.core.page import NEWEST, Page, checked_limit, checked_number
from erstwhile.core.ports import Words
from erstwhile.core.text import checked_text
from erstwhile.core.time import EPOCH, FOREVER, Moment
from erstwhile.storage import full_text as fulltext
from erstwhile.storage.view import View

_MAX_QUERY = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Which conversations are asked for."""

    status: ConversationStatus | str | None = None
    channel: str | None = None
    summarised: bool = False
    limit: int
    cursor: str | None

    def page(self, view: View, idleness: Idleness) -> Page[Conversation]:
        wanted = checked_limit(self.limit)
        standing = "present"
        if self.status is not None:
            standing = choice(ConversationStatus, self.status, name="status")
        params = {
            "channel": None if self.channel is None else checked_channel(self.channel),
            "summarised": int(self.summarised),
            "quiet_since": idleness.since(view),
            "before": HIGHEST if self.cursor is None else id_range(self.cursor)[0],
            "limit": wanted + 1,
        }
        found = idleness.read(view, view.rows("list_conversations", params, standing))
        page = tuple(found[:wanted])
        return Page(page, page[-1].id if len(found) > wanted else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Which messages are looked for."""

    query: str
    limit: int
    role: Role | str | Sequence[Role] | None = None
    channel: str | None = None
    since: Moment | None = None
    until: Moment | None = None
    conversation: str | None = None
    exclude: str | None = None

    def hits(self, view: View, idleness: Idleness, words: Words) -> list[MessageHit]:
        query = checked_text(self.query, name="query", limit=_MAX_QUERY)
        wanted = fulltext.Wanted(
            kind=fulltext.Kind.MESSAGE,
            statement="match_messages",
            query=query,
            limit=checked_limit(self.limit),
            narrowed={
                "roles": "".join(f",{role}," for role in self._roles()),
                "channel": None if self.channel is None else checked_channel(self.channel),
                "since": view.parse(self.since, "since", default=EPOCH),
                "until": view.parse(self.until, "until", default=FOREVER),
                "conversation": _id_of(view, idleness, self.conversation),
                "exclude": _id_of(view, idleness, self.exclude),
            },
        )
        found = fulltext.search(view, words, wanted)
        terms, messages = words.query_terms(query), _in_full(view, [each.id for each in found])
        return [
            MessageHit(
                message=messages[each.id],
                snippet=words.snippet(messages[each.id].content, terms),
                score=each.score,
            )
            for each in found
        ]

    def _roles(self) -> Sequence[Role]:
        """Those whose messages are wanted; all, if there are none."""
        if isinstance(self.role, str):
            return (choice(Role, self.role, name="role"),)
        return self.role or ()


def messages(
    view: View, idleness: Idleness, id: str, limit: int, cursor: str | None
) -> Page[Message]:
    """The last messages, in their order; the page before them is `next`."""
    wanted = checked_limit(limit)
    before = NEWEST if cursor is None else checked_number(cursor)
    found = table.find(view, idleness, id)
    last = table.messages(view, found.id, limit=wanted + 1, before=before)
    page = tuple(last[-wanted:])
    return Page(page, str(page[0].position) if len(last) > wanted else None)


def transcript(view: View, idleness: Idleness, id: str, limit: int) -> Transcript:
    return transcript_of(view, table.find(view, idleness, id), limit)


def transcript_of(view: View, conversation: Conversation, limit: int) -> Transcript:
    """Of a conversation that was found already."""
    wanted, id = checked_limit(limit), conversation.id
    summed_up = table.compactions(view, id)
    after = summed_up[-1].last if summed_up else 0
    last = table.messages(view, id, limit=wanted, after=after)
    left = len(last)
    if left == wanted:  # there may be more
        [(left,)] = view.rows("count_messages_after", {"conversation": id, "after": after})
    return Transcript(
        conversation=conversation,
        compactions=tuple(summed_up),
        omitted=left - len(last),
        messages=tuple(last),
    )


def stats(view: View, idleness: Idleness) -> ConversationStats:
    idle = {"quiet_since": idleness.since(view)}
    tally = {
        status.value: view.rows("count_conversations", idle, status)[0][0]
        for status in ConversationStatus
    }
    roles: dict[str, int] = dict(view.rows("tally_messages", {}))
    return ConversationStats(
        **tally,
        messages=sum(roles.values()),
        roles=MappingProxyType(roles),
    )


def _id_of(view: View, idleness: Idleness, given: str | None) -> str | None:
    return None if given is None else table.find(view, idleness, given).id


def _in_full(view: View, ids: list[str]) -> dict[str, Message]:
    rows = view.rows("messages_in_full", {"ids": json.dumps(ids)}) if ids else []
    return {row[0]: to_message(row) for row in rows}
