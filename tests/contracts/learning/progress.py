"""The progress of learning: each turn and its copies once, in order, by one learner at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from erstwhile.core.errors import ConflictError
from erstwhile.facts.draft import draft
from erstwhile.facts.remember import remember
from erstwhile.learning import progress
from erstwhile.learning.progress import LearningLease, PendingTurn, Waiting
from erstwhile.memory import Memory
from erstwhile.storage.unit import Unit
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, inside, unchanged

THREADS = 6
LEASE = timedelta(minutes=1)


def want(memory: Memory, conversation: str | None = None) -> None:
    inside(memory).change(lambda unit: progress.want_all(unit, conversation))


def waiting(memory: Memory) -> list[Waiting]:
    return inside(memory).ask(progress.waiting)


def claim(memory: Memory, conversation: str, holder: str = "w") -> LearningLease | None:
    return inside(memory).change(lambda unit: progress.claim(unit, conversation, holder, LEASE))


def held(memory: Memory, conversation: str, holder: str = "w") -> LearningLease:
    learner = claim(memory, conversation, holder)
    assert learner is not None
    return learner


def renew(memory: Memory, learner: LearningLease) -> LearningLease:
    return inside(memory).change(lambda unit: progress.renew(unit, learner, LEASE))


def next_turn(memory: Memory, learner: LearningLease) -> PendingTurn | None:
    return inside(memory).ask(lambda view: progress.next_turn(view, learner))


def finish(memory: Memory, learner: LearningLease, turn: PendingTurn | None) -> LearningLease:
    return inside(memory).change(lambda unit: progress.finish(unit, learner, turn))


def fail(memory: Memory, learner: LearningLease, minutes: int = 0, *, counted: bool = True) -> int:
    later = inside(memory).clock.now() + timedelta(minutes=minutes)
    return inside(memory).change(
        lambda unit: progress.fail(unit, learner, later if minutes else None, counted=counted)
    )


def release(memory: Memory, learner: LearningLease) -> None:
    inside(memory).change(lambda unit: progress.release(unit, learner))


def said(turn: PendingTurn | None) -> list[str]:
    return [message.content for message in turn.messages] if turn else []


def learned(memory: Memory) -> list[list[str]]:
    """Learn from all pending turns; return their texts."""
    turns: list[list[str]] = []
    for each in waiting(memory):
        learner = held(memory, each.conversation)
        while turn := next_turn(memory, learner):
            turns.append(said(turn))
            learner = finish(memory, learner, turn)
        release(memory, finish(memory, learner, None))
    assert waiting(memory) == []
    return turns


class LearningProgressContract(Contract):
    def test_turns_come_in_order_and_once(self, memory: Memory) -> None:
        """Messages before the first one of the user are a turn, too."""
        chats = memory.conversations
        for role, text in [
            ("assistant", "welcome"), ("user", "a"), ("tool", "t"), ("assistant", "b"),
            ("user", "c"), ("user", "d"), ("assistant", "e"),
        ]:  # fmt: skip
            chats.add(role, text)
        assert waiting(memory) == []
        want(memory)
        assert learned(memory) == [["welcome"], ["a", "t", "b"], ["c"], ["d", "e"]]
        want(memory)
        assert waiting(memory) == []
        chats.add_exchange("f", "g")
        want(memory)
        assert learned(memory) == [["f", "g"]]
        assert memory.audit.verify().ok

    def test_a_turn_may_be_long(self, memory: Memory) -> None:
        first = memory.conversations.add("user", "count")
        for number in range(250):
            memory.conversations.add("tool", f"{number}", conversation=first.conversation)
        memory.conversations.add("user", "stop")
        want(memory)
        assert [len(turn) for turn in learned(memory)] == [251, 1]

    def test_what_is_wanted_grows_and_never_shrinks(self, memory: Memory) -> None:
        """A request for less than before changes nothing."""
        pair = memory.conversations.add_exchange("a", "b")
        place = pair.user.conversation, pair.user.scope

        def wanted(through: int) -> int:
            inside(memory).change(lambda unit: progress.want(unit, *place, through))
            [each] = waiting(memory)
            return each.wanted

        assert [wanted(through) for through in (1, 2, 1)] == [1, 2, 2]

    def test_the_cursor_never_goes_back(self, memory: Memory) -> None:
        """Not even for a learner that read less than another one before."""
        pair = memory.conversations.add_exchange("a", "b")
        memory.conversations.add("user", "c")
        want(memory)
        learner = held(memory, pair.user.conversation)
        first = next_turn(memory, learner)
        assert finish(memory, finish(memory, learner, None), None).learned == 3
        assert finish(memory, learner, first).learned == 2
        assert waiting(memory) == []

    def test_what_was_undone_is_not_learned_from(self, memory: Memory) -> None:
        """It does not cause anything to be learned twice."""
        chats = memory.conversations
        conversation = chats.add_exchange("a", "b").user.conversation
        chats.add_exchange("c", "d")
        chats.undo(conversation, 2)
        want(memory)
        assert learned(memory) == [["a", "b"]]
        chats.undo(conversation)
        chats.add_exchange("e", "f")
        want(memory)
        assert learned(memory) == [["e", "f"]]

    @pytest.mark.parametrize("way", ["undo", "erase"])
    def test_a_turn_that_goes_meanwhile_is_not_learned_from(self, memory: Memory, way: str) -> None:
        """The whole transaction is refused."""
        pair = memory.conversations.add_exchange("a", "b")
        want(memory)
        learner = held(memory, pair.user.conversation)
        turn = next_turn(memory, learner)
        if way == "undo":
            memory.conversations.undo(learner.conversation)
        else:
            memory.conversations.erase(pair.assistant.id)

        def stored(unit: Unit) -> None:
            remember(unit, draft("found in a and b"))
            progress.finish(unit, learner, turn)

        with unchanged(memory), pytest.raises(ConflictError, match="undone or learned"):
            inside(memory).change(stored)
        assert said(next_turn(memory, learner)) == ["a"]

    def test_a_deleted_conversation_does_not_wait(self, memory: Memory) -> None:
        """A restored one waits again. An erased one is gone with its progress."""
        one, other = (
            memory.conversations.add("user", text, channel=text).conversation for text in "ab"
        )
        want(memory)
        memory.conversations.delete(one)
        assert [each.conversation for each in waiting(memory)] == [other]
        assert claim(memory, one) is None
        memory.conversations.restore(one)
        learner = held(memory, one)
        turn = next_turn(memory, learner)
        memory.conversations.delete(one)
        with pytest.raises(ConflictError, match="deleted"):
            finish(memory, learner, turn)
        release(memory, learner)
        memory.conversations.restore(one)
        memory.conversations.erase(other)
        assert learned(memory) == [["a"]]

    def test_others_cannot_see_nor_take_it(self, memory: Memory) -> None:
        """Neither from a narrower nor from a wider scope; an administrator can."""
        ana = memory.scoped(user="ana")
        hers = ana.conversations.add("user", "a").conversation
        want(ana)
        for other in (memory, memory.scoped(user="bob"), ana.scoped(agent="coder")):
            want(other)
            assert waiting(other) == []
            assert claim(other, hers) is None
        daemon = memory.everything()
        assert [each.scope for each in waiting(daemon)] == [ana.scope]
        assert learned(daemon) == [["a"]]

    def test_an_administrator_asks_for_all(self, memory: Memory) -> None:
        """Or for one conversation by its id."""
        one = memory.scoped(user="ana").conversations.add("user", "a").conversation
        memory.scoped(user="bob").conversations.add("user", "b")
        daemon = memory.everything()
        want(daemon, one)
        assert [each.conversation for each in waiting(daemon)] == [one]
        want(daemon)
        assert sorted(learned(daemon)) == [["a"], ["b"]]


class LearningLeaseContract(Contract):
    def test_one_at_a_time(self, memory: Memory, clock: FakeClock) -> None:
        """Until the lease ends, no other process gets it."""
        place = memory.conversations.add("user", "a").conversation
        want(memory)
        first = held(memory, place, "one")
        assert claim(memory, place, "two") is None
        assert waiting(memory) == []
        [pending] = inside(memory).ask(progress.pending)
        assert (pending.holder, pending.leased_until) == ("one", first.leased_until)
        clock.advance(minutes=2)
        second = held(memory, place, "two")
        assert second.token != first.token

    def test_who_was_overtaken_can_store_nothing(self, memory: Memory, clock: FakeClock) -> None:
        """Its token is no longer valid."""
        place = memory.conversations.add("user", "a").conversation
        want(memory)
        late = held(memory, place, "one")
        turn = next_turn(memory, late)
        clock.advance(minutes=2)
        held(memory, place, "two")
        with pytest.raises(ConflictError, match="another process"):
            finish(memory, late, turn)
        with pytest.raises(ConflictError, match="another process"):
            fail(memory, late)
        with pytest.raises(ConflictError, match="another process"):
            renew(memory, late)
        release(memory, late)
        assert claim(memory, place, "three") is None

    def test_who_is_late_may_still_finish(self, memory: Memory, clock: FakeClock) -> None:
        """As long as no other process has begun."""
        place = memory.conversations.add("user", "a").conversation
        want(memory)
        late = held(memory, place)
        clock.advance(minutes=2)
        assert finish(memory, late, next_turn(memory, late)).learned == 1
        assert waiting(memory) == []

    def test_a_lease_can_be_renewed(self, memory: Memory, clock: FakeClock) -> None:
        """By its holder, as often as needed."""
        place = memory.conversations.add("user", "a").conversation
        want(memory)
        learner = held(memory, place)
        for _ in range(3):
            clock.advance(seconds=50)
            learner = renew(memory, learner)
            assert claim(memory, place, "two") is None
        assert said(next_turn(memory, learner)) == ["a"]

    def test_a_failure_is_counted_and_waits(self, memory: Memory, clock: FakeClock) -> None:
        """A failure that is not the fault of the turn is not counted."""
        place = memory.conversations.add("user", "a").conversation
        want(memory)
        assert fail(memory, held(memory, place)) == 1
        assert fail(memory, held(memory, place), minutes=5) == 2
        assert (waiting(memory), claim(memory, place)) == ([], None)
        [later] = inside(memory).ask(progress.pending)
        assert (later.tries, later.try_at) == (2, clock.now() + timedelta(minutes=5))
        clock.advance(minutes=6)
        assert fail(memory, held(memory, place), counted=False) == 2
        learner = held(memory, place)
        assert (learner.tries, learner.learned) == (2, 0)
        assert finish(memory, learner, next_turn(memory, learner)).tries == 0

    def test_one_that_waits_holds_up_no_other(self, memory: Memory) -> None:
        one, other = (
            memory.conversations.add("user", text, channel=text).conversation for text in "ab"
        )
        want(memory)
        fail(memory, held(memory, one), minutes=5)
        assert [each.conversation for each in waiting(memory)] == [other]

    def test_each_conversation_goes_to_one_of_many_threads(self, memory: Memory) -> None:
        """Every turn is learned once."""
        places = [
            memory.conversations.add("user", f"{number}", channel=f"{number}").conversation
            for number in range(12)
        ]
        want(memory)

        def work(worker: int) -> list[str]:
            found: list[str] = []
            for place in places:
                if learner := claim(memory, place, f"w{worker}"):
                    turn = next_turn(memory, learner)
                    found += said(turn)
                    release(memory, finish(memory, learner, turn))
            return found

        with ThreadPoolExecutor(THREADS) as pool:
            found = [text for part in pool.map(work, range(THREADS)) for text in part]
        assert sorted(found, key=int) == [f"{number}" for number in range(12)]


class LearningBranchesContract(Contract):
    def test_a_message_and_its_copies_are_learned_from_once(self, memory: Memory) -> None:
        """Also in a branch of a branch."""
        chats = memory.conversations
        pair = chats.add_exchange("a", "b")
        branch = chats.branch(pair.assistant.id)
        chats.add_exchange("c", "d", conversation=branch.id)
        chats.branch(chats.messages(branch.id)[1].id)
        want(memory)
        assert learned(memory) == [["a", "b"], ["c", "d"]]
        chats.branch(pair.assistant.id)
        want(memory)
        assert learned(memory) == []

    def test_whoever_comes_first_learns_from_it(self, memory: Memory) -> None:
        """So no branch waits for a conversation that nobody learns from."""
        chats = memory.conversations
        branch = chats.branch(chats.add_exchange("a", "b").assistant.id)
        want(memory, branch.id)
        assert learned(memory) == [["a", "b"]]
        want(memory)
        assert learned(memory) == []

    def test_who_comes_second_stores_nothing(self, memory: Memory) -> None:
        """Each conversation has its own lease, but the message is the same."""
        chats = memory.conversations
        pair = chats.add_exchange("a", "b")
        branch = chats.branch(pair.assistant.id)
        want(memory)
        one, other = held(memory, pair.user.conversation), held(memory, branch.id)
        turns = [next_turn(memory, learner) for learner in (one, other)]
        finish(memory, other, turns[1])
        with pytest.raises(ConflictError, match="learned from meanwhile"):
            finish(memory, one, turns[0])
        assert next_turn(memory, one) is None

    @pytest.mark.parametrize("way", ["undo", "delete"])
    def test_a_copy_is_learned_from_when_the_first_is_gone(self, memory: Memory, way: str) -> None:
        """In one branch only, and not again when the original is restored."""
        chats = memory.conversations
        pair = chats.add_exchange("a", "b")
        first = pair.user.conversation
        for _ in range(2):
            chats.branch(pair.assistant.id)
        want(memory)
        if way == "undo":
            chats.undo(first, 2)
        else:
            chats.delete(first)
        assert learned(memory) == [["a", "b"]]
        if way == "delete":
            chats.restore(first)
        want(memory)
        assert learned(memory) == []

    def test_undoing_what_was_learned_frees_no_copy(self, memory: Memory) -> None:
        """The message was learned from already."""
        chats = memory.conversations
        pair = chats.add_exchange("a", "b")
        want(memory)
        assert learned(memory) == [["a", "b"]]
        branch = chats.branch(pair.assistant.id)
        chats.undo(pair.user.conversation, 2)
        want(memory, branch.id)
        assert learned(memory) == []
