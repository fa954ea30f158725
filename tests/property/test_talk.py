"""Conversations against a second way of keeping them: plain lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import erstwhile
from tests.property.clock import TurnedClock

IDLE = timedelta(minutes=120)
WORDS = ("tea", "coffee", "milk")
picks = st.integers(0, 30)
words = st.sampled_from(WORDS)
channels = st.sampled_from(["mail", "chat"])
places = st.integers(0, 1)


@dataclass
class Talk:
    """A conversation as it should be."""

    place: int
    channel: str
    said: list[tuple[str, str]] = field(default_factory=list)
    """The origin and the word of each message that was not undone."""
    closed: bool = False
    deleted: bool = False


class Talking(RuleBasedStateMachine):
    """Two users talk on two channels, while the clock goes forth and back."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = TurnedClock()
        self.memory = erstwhile.open(":memory:", clock=self.clock, embedder="none")
        self.views = [self.memory.scoped(user="ana"), self.memory.scoped(user="bob")]
        self.talks: dict[str, Talk] = {}
        self.keys: dict[tuple[int, str], erstwhile.Message] = {}

    def teardown(self) -> None:
        self.memory.close()

    def chosen(self, pick: int, *, closed: bool | None = False) -> tuple[str, Talk] | None:
        """One of the conversations that are not deleted."""
        fitting = [
            (id, talk)
            for id, talk in self.talks.items()
            if not talk.deleted and closed in (None, talk.closed)
        ]
        return fitting[pick % len(fitting)] if fitting else None

    def heard(self, place: int, message: erstwhile.Message, channel: str) -> None:
        talk = self.talks.setdefault(message.conversation, Talk(place, channel))
        talk.said.append((message.id, message.content))

    @rule(by=st.sampled_from([-90, -1, 0, 1, 119, 121, 500]))
    def wait(self, by: int) -> None:
        self.clock.turn(timedelta(minutes=by))

    @rule(place=places, channel=channels, word=words)
    def add(self, place: int, channel: str, word: str) -> None:
        message = self.views[place].conversations.add("user", word, channel=channel)
        self.heard(place, message, channel)

    @rule(place=places, channel=channels, first=words, second=words)
    def exchange(self, place: int, channel: str, first: str, second: str) -> None:
        for message in self.views[place].conversations.add_exchange(first, second, channel=channel):
            self.heard(place, message, channel)

    @rule(place=places, channel=channels, word=words)
    def add_with_a_key(self, place: int, channel: str, word: str) -> None:
        """Said again it is the same message; another under this key is refused."""
        chats, known = self.views[place].conversations, self.keys.get((place, channel))
        try:
            message = chats.add("tool", word, channel=channel, key=channel)
        except erstwhile.ConflictError:
            assert known is not None
            assert known.content != word
            return
        if known is None:
            self.keys[place, channel] = message
            self.heard(place, message, channel)
        else:
            assert (message.id, message.content) == (known.id, word)

    @rule(place=places, channel=channels)
    def current(self, place: int, channel: str) -> None:
        """It is open, of this place and channel, and not idle; asking again gives the same."""
        one = self.views[place].conversations.current(channel)
        talk = self.talks.setdefault(one.id, Talk(place, channel))
        assert (talk.place, talk.channel) == (place, channel)
        assert not talk.closed
        assert not talk.deleted
        assert one.status == "active"
        assert self.views[place].conversations.current(channel).id == one.id

    @precondition(lambda self: self.chosen(0))
    @rule(pick=picks, count=st.integers(1, 3))
    def undo(self, pick: int, count: int) -> None:
        id, talk = self.chosen(pick) or ("", Talk(0, ""))
        if count > len(talk.said):
            return
        self.views[talk.place].conversations.undo(id, count)
        del talk.said[-count:]

    @precondition(lambda self: self.chosen(0, closed=None))
    @rule(pick=picks, at=picks)
    def branch(self, pick: int, at: int) -> None:
        id, talk = self.chosen(pick, closed=None) or ("", Talk(0, ""))
        messages = self.views[talk.place].conversations.messages(id, limit=1_000)
        if messages:
            turn = at % len(messages)
            made = self.views[talk.place].conversations.branch(messages[turn].id)
            shared = talk.said[: turn + 1]
            self.talks[made.id] = Talk(talk.place, talk.channel, list(shared))

    @precondition(lambda self: self.chosen(0, closed=None))
    @rule(pick=picks, word=words, at=picks)
    def compact(self, pick: int, word: str, at: int) -> None:
        """Messages are never touched by it."""
        id, talk = self.chosen(pick, closed=None) or ("", Talk(0, ""))
        chats = self.views[talk.place].conversations
        rest = chats.transcript(id, limit=1_000).messages
        if rest:
            chats.compact(id, word, through=rest[at % len(rest)].id)

    @precondition(lambda self: self.chosen(0, closed=None))
    @rule(pick=picks, verb=st.sampled_from(["close", "reopen", "delete"]))
    def change(self, pick: int, verb: str) -> None:
        id, talk = self.chosen(pick, closed=None) or ("", Talk(0, ""))
        getattr(self.views[talk.place].conversations, verb)(id)
        talk.deleted = verb == "delete"
        if not talk.deleted:
            talk.closed = verb == "close"

    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        gone = [(id, talk) for id, talk in self.talks.items() if talk.deleted]
        if gone:
            id, talk = gone[pick % len(gone)]
            self.views[talk.place].conversations.restore(id)
            talk.deleted = False

    @invariant()
    def everything_is_there_in_its_order(self) -> None:
        for place, view in enumerate(self.views):
            chats = view.conversations
            mine = {id: talk for id, talk in self.talks.items() if talk.place == place}
            present = {id: talk for id, talk in mine.items() if not talk.deleted}
            assert {each.id: each.messages for each in chats.list(limit=1_000)} == {
                id: len(talk.said) for id, talk in present.items()
            }
            for id, talk in present.items():
                messages = chats.messages(id, limit=1_000)
                assert [(each.copy_of or each.id, each.content) for each in messages] == talk.said
                self.a_transcript_leaves_nothing_out(chats.transcript(id, limit=1_000), messages)

    def a_transcript_leaves_nothing_out(
        self, told: erstwhile.types.Transcript, messages: erstwhile.Page[erstwhile.Message]
    ) -> None:
        """Each message is either covered by exactly one summary or shown."""
        ranges = [(each.first, each.last) for each in told.compactions]
        assert [first for first, _ in ranges] == [1, *(last + 1 for _, last in ranges)][:-1] or (
            not ranges
        )
        covered = ranges[-1][1] if ranges else 0
        assert told.omitted == 0
        assert list(told.messages) == [each for each in messages if each.position > covered]

    @invariant()
    def each_message_is_found_once_by_its_words_and_by_no_others(self) -> None:
        for place, view in enumerate(self.views):
            present = [
                talk for talk in self.talks.values() if talk.place == place and not talk.deleted
            ]
            for word in WORDS:
                said = {origin for talk in present for origin, each in talk.said if each == word}
                hits = view.conversations.search(word, limit=1_000)
                found = {hit.message.copy_of or hit.message.id for hit in hits}
                assert found == said
                assert all(hit.score > 0 for hit in hits)

    @invariant()
    def the_trail_covers_it(self) -> None:
        checked = self.memory.everything().audit.verify()
        assert checked.ok, checked.problems


TestTalking = Talking.TestCase
