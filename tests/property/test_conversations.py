"""Random changes of conversations, compared with a model made of plain lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import erstwhile
from tests.property.places import TurnedClock

IDLE = timedelta(minutes=120)
WORDS = ("tea", "coffee", "milk")
picks = st.integers(0, 30)
words = st.sampled_from(WORDS)
channels = st.sampled_from(["mail", "chat"])
places = st.integers(0, 1)


@dataclass
class ConversationModel:
    place: int
    channel: str
    said: list[tuple[str, str]] = field(default_factory=list)
    """The origin and the word of each message that was not undone."""
    closed: bool = False
    deleted: bool = False


class ConversationMachine(RuleBasedStateMachine):
    """Two users write on two channels, while the clock moves forward and back."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = TurnedClock()
        self.memory = erstwhile.open(":memory:", clock=self.clock, embedder="none")
        self.views = [self.memory.scoped(user="ana"), self.memory.scoped(user="bob")]
        self.models: dict[str, ConversationModel] = {}
        self.keys: dict[tuple[int, str], erstwhile.Message] = {}

    def teardown(self) -> None:
        self.memory.close()

    def chosen(
        self, pick: int, *, closed: bool | None = False
    ) -> tuple[str, ConversationModel] | None:
        """Return one of the conversations that are not deleted."""
        fitting = [
            (id, model)
            for id, model in self.models.items()
            if not model.deleted and closed in (None, model.closed)
        ]
        return fitting[pick % len(fitting)] if fitting else None

    def heard(self, place: int, message: erstwhile.Message, channel: str) -> None:
        model = self.models.setdefault(message.conversation, ConversationModel(place, channel))
        model.said.append((message.id, message.content))

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
        """Check that a repeated key returns the same message, or refuses another text."""
        conversations, known = self.views[place].conversations, self.keys.get((place, channel))
        try:
            message = conversations.add("tool", word, channel=channel, key=channel)
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
        """Check that the current conversation is open, not idle, and the same for a second call."""
        one = self.views[place].conversations.current(channel)
        model = self.models.setdefault(one.id, ConversationModel(place, channel))
        assert (model.place, model.channel) == (place, channel)
        assert not model.closed
        assert not model.deleted
        assert one.status == "active"
        assert self.views[place].conversations.current(channel).id == one.id

    @precondition(lambda self: self.chosen(0))
    @rule(pick=picks, count=st.integers(1, 3))
    def undo(self, pick: int, count: int) -> None:
        id, model = self.chosen(pick) or ("", ConversationModel(0, ""))
        if count > len(model.said):
            return
        self.views[model.place].conversations.undo(id, count)
        del model.said[-count:]

    @precondition(lambda self: self.chosen(0, closed=None))
    @rule(pick=picks, at=picks)
    def branch(self, pick: int, at: int) -> None:
        id, model = self.chosen(pick, closed=None) or ("", ConversationModel(0, ""))
        messages = self.views[model.place].conversations.messages(id, limit=1_000)
        if messages:
            turn = at % len(messages)
            made = self.views[model.place].conversations.branch(messages[turn].id)
            shared = model.said[: turn + 1]
            self.models[made.id] = ConversationModel(model.place, model.channel, list(shared))

    @precondition(lambda self: self.chosen(0, closed=None))
    @rule(pick=picks, word=words, at=picks)
    def compact(self, pick: int, word: str, at: int) -> None:
        id, model = self.chosen(pick, closed=None) or ("", ConversationModel(0, ""))
        conversations = self.views[model.place].conversations
        rest = conversations.transcript(id, limit=1_000).messages
        if rest:
            conversations.compact(id, word, through=rest[at % len(rest)].id)

    @precondition(lambda self: self.chosen(0, closed=None))
    @rule(pick=picks, verb=st.sampled_from(["close", "reopen", "delete"]))
    def change(self, pick: int, verb: str) -> None:
        id, model = self.chosen(pick, closed=None) or ("", ConversationModel(0, ""))
        getattr(self.views[model.place].conversations, verb)(id)
        model.deleted = verb == "delete"
        if not model.deleted:
            model.closed = verb == "close"

    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        gone = [(id, model) for id, model in self.models.items() if model.deleted]
        if gone:
            id, model = gone[pick % len(gone)]
            self.views[model.place].conversations.restore(id)
            model.deleted = False

    @invariant()
    def everything_is_there_in_its_order(self) -> None:
        for place, view in enumerate(self.views):
            conversations = view.conversations
            mine = {id: model for id, model in self.models.items() if model.place == place}
            present = {id: model for id, model in mine.items() if not model.deleted}
            assert {each.id: each.messages for each in conversations.list(limit=1_000)} == {
                id: len(model.said) for id, model in present.items()
            }
            for id, model in present.items():
                messages = conversations.messages(id, limit=1_000)
                assert [(each.copy_of or each.id, each.content) for each in messages] == model.said
                self.a_transcript_leaves_nothing_out(
                    conversations.transcript(id, limit=1_000), messages
                )

    def a_transcript_leaves_nothing_out(
        self, told: erstwhile.types.Transcript, messages: erstwhile.Page[erstwhile.Message]
    ) -> None:
        ranges = [(each.first, each.last) for each in told.compactions]
        assert [first for first, _ in ranges] == [1, *(last + 1 for _, last in ranges)][:-1] or (
            not ranges
        )
        covered = ranges[-1][1] if ranges else 0
        assert told.omitted == 0
        assert list(told.messages) == [each for each in messages if each.position > covered]

    @invariant()
    def each_message_is_found_once_by_its_words(self) -> None:
        """Find also messages next to one with the word, but none twice."""
        for place, view in enumerate(self.views):
            present = [
                model
                for model in self.models.values()
                if model.place == place and not model.deleted
            ]
            for word in WORDS:
                said = {origin for model in present for origin, each in model.said if each == word}
                hits = view.conversations.search(word, limit=1_000)
                found = [hit.message for hit in hits if hit.message.content == word]
                assert {message.copy_of or message.id for message in found} == said
                assert len({hit.message.id for hit in hits}) == len(hits)
                assert all(hit.relevance > 0 for hit in hits)

    @invariant()
    def the_trail_covers_it(self) -> None:
        checked = self.memory.everything().audit.verify()
        assert checked.ok, checked.problems


TestConversations = ConversationMachine.TestCase
