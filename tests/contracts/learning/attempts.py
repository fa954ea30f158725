"""Attempts: each is stored with its changes, and loses its words with what they quote."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.ports import Engine, Tokens
from erstwhile.learning import attempts
from erstwhile.learning import progress as learning_progress
from erstwhile.learning.attempts import Attempt, AttemptChange, AttemptOutcome
from erstwhile.learning.candidate import ChangeType
from erstwhile.learning.progress import PendingTurn
from erstwhile.memory import Memory
from tests.contracts.base import Contract, inside, paged, unchanged
from tests.contracts.facts.conflicts import clash


def pending(memory: Memory, user: str, assistant: str) -> PendingTurn:
    pair = memory.conversations.add_exchange(user, assistant, channel=user)
    return PendingTurn(
        conversation=pair.user.conversation,
        scope=memory.scope,
        messages=(pair.user, pair.assistant),
    )


def note(memory: Memory, turn: PendingTurn, outcome: str = "learned", **details: Any) -> Attempt:
    how = {"method": "patterns", **details}
    return inside(memory).change(
        lambda unit: attempts.add(unit, turn, AttemptOutcome(outcome), **how)
    )


def proposed(fact: str | None, text: str, quote: str) -> AttemptChange:
    act = ChangeType.REFUSE if fact is None else ChangeType.ADD
    return AttemptChange(act=act, fact=fact, because="why", text=text, quote=quote)


def words(attempt: Attempt) -> list[tuple[str, str]]:
    return [(change.text, change.quote) for change in attempt.changes]


class AttemptsContract(Contract):
    def test_an_attempt_is_kept_as_it_was_noted(self, memory: Memory) -> None:
        """With its cost to the nano-dollar, and the ids of all facts that it touched."""
        turn = pending(memory, "a", "b")
        noted = note(
            memory,
            turn,
            method="llm:tiny",
            reason="names a tool",
            tokens=Tokens(input=5, output=2, cache_read=3),
            cost=Decimal("0.0000000014"),
            changes=[
                AttemptChange(act=ChangeType.ADD, fact="1", because="new", text="t", quote="q"),
                AttemptChange(act=ChangeType.REFUSE, fact=None, rule="secret/aws"),
            ],
        )  # fmt: skip
        assert attempts.ATTEMPTS.get(inside(memory), noted.short_id) == noted
        assert (noted.conversation, noted.first, noted.last) == (turn.conversation, 1, 2)
        assert noted.messages == tuple(message.id for message in turn.messages)
        assert (noted.input, noted.output, noted.cost) == (8, 2, Decimal("0.000000001"))
        assert memory.audit.list(subject=noted.id)[0].action == "attempt.add"
        assert memory.audit.verify().ok

    def test_attempts_are_listed_newest_first(self, memory: Memory) -> None:
        """All of them, those of one conversation, or those with one outcome."""
        one, other = pending(memory, "a", "b"), pending(memory, "c", "d")
        made = [
            note(memory, turn, outcome)
            for outcome in ("failed", "given_up", "nothing")
            for turn in (one, other)
        ][::-1]
        listed = attempts.listed
        assert paged(lambda **page: listed(inside(memory), **page)) == made
        of_one = listed(inside(memory), conversation=one.conversation)
        assert [each.outcome for each in of_one] == ["nothing", "given_up", "failed"]
        assert len(listed(inside(memory), outcome="given_up")) == 2
        with pytest.raises(InvalidInputError, match="outcome"):
            listed(inside(memory), outcome="won")

    def test_another_user_sees_none_of_them(self, memory: Memory) -> None:
        """Not even by id."""
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        noted = note(ana, pending(ana, "a", "b"))
        assert len(attempts.listed(inside(bob))) == 0
        with pytest.raises(NotFoundError):
            attempts.ATTEMPTS.get(inside(bob), noted.id)
        assert list(attempts.listed(inside(memory.everything()))) == [noted]

    def test_the_turn_of_an_attempt_can_be_looked_at_again(self, memory: Memory) -> None:
        """Without messages that were undone since."""
        turn = pending(memory, "a", "b")
        noted = note(memory, turn, "given_up")

        def again() -> PendingTurn | None:
            return inside(memory).ask(lambda view: learning_progress.turn_again(view, noted))

        assert again() == turn
        memory.conversations.undo(turn.conversation)
        found = again()
        assert found is not None
        assert found.messages == turn.messages[:1]
        memory.conversations.undo(turn.conversation)
        assert again() is None

    def test_erasing_a_conversation_erases_its_attempts(self, memory: Memory) -> None:
        """The receipt counts them."""
        one, other = pending(memory, "a", "b"), pending(memory, "c", "d")
        gone, stays = note(memory, one, reason="of a"), note(memory, other)
        receipt = memory.conversations.erase(one.conversation)
        assert (receipt.records, receipt.messages) == (1, 2)
        assert list(attempts.listed(inside(memory))) == [stays]
        assert memory.audit.list(subject=gone.id)[0].action == "erase"
        assert memory.audit.verify().ok

    def test_words_are_masked_and_short(self, memory: Memory) -> None:
        """A model may return anything as a statement."""
        secret, odd = "sk-proj-" + "a1B2" * 12, "a\ud800b\0c"
        changes = [proposed(None, f"The key is {secret}", secret), proposed(None, odd, "x" * 9_000)]
        noted = note(memory, pending(memory, "a", "b"), changes=changes)
        assert attempts.ATTEMPTS.get(inside(memory), noted.id) == noted
        first, second = noted.changes
        assert secret not in first.text + first.quote
        assert first.text.startswith("The key is [masked")
        assert (second.text, len(second.quote)) == ("a?b?c", 300)

    def test_erasing_a_fact_clears_its_words_in_attempts(self, memory: Memory) -> None:
        """Neither where it was learned, nor where the same was refused. An id reveals nothing."""
        fact, other = memory.remember("The user is ill"), memory.remember("The user is tall")
        turns = [pending(memory, name, "b") for name in "acde"]
        learned = note(memory, turns[0], changes=[proposed(fact.id, "He is ill", "I am ill")])
        refused = note(memory, turns[1], changes=[proposed(None, fact.text, "ill")])
        stays = note(memory, turns[2], changes=[proposed(other.id, other.text, "I am tall")])
        unread = note(memory, turns[3])
        memory.facts.erase(fact.id)

        def again(noted: Attempt) -> Attempt:
            return attempts.ATTEMPTS.get(inside(memory), noted.id)

        [change] = again(learned).changes
        assert (change.fact, change.because) == (fact.id, "why")
        assert words(again(learned)) == words(again(refused)) == [("", "")]
        assert (again(stays), again(unread)) == (stays, unread)
        assert memory.audit.list(subject=learned.id)[0].action == "attempt.forget"
        assert memory.audit.verify().ok

    def test_erasing_a_message_clears_attempts_from_its_turn_on(self, memory: Memory) -> None:
        """A turn is read together with the messages before it."""
        pairs = [memory.conversations.add_exchange(text, "ok") for text in "abc"]
        turns = [
            PendingTurn(conversation=pair.user.conversation, scope=memory.scope,
                        messages=(pair.user, pair.assistant))
            for pair in pairs
        ]  # fmt: skip
        noted = [note(memory, turn, changes=[proposed(None, "text", "quote")]) for turn in turns]
        elsewhere = note(
            memory, pending(memory, "d", "e"), changes=[proposed(None, "text", "quote")]
        )
        memory.conversations.erase(pairs[1].user.id)
        found = [words(attempts.ATTEMPTS.get(inside(memory), each.id)) for each in noted]
        assert found == [[("text", "quote")], [("", "")], [("", "")]]
        assert attempts.ATTEMPTS.get(inside(memory), elsewhere.id) == elsewhere
        assert memory.audit.verify().ok

    @pytest.mark.parametrize(
        ("statement", "problem"),
        [
            ("UPDATE attempts SET outcome = 'nothing'", "attempt .* without"),
            ("UPDATE attempts SET changes = '[]', proposals = '[]'", "attempt .* without"),
            ("UPDATE attempts SET proposals = '[]'", "attempt .* without"),
            ("DELETE FROM attempts", "attempt .* disappeared"),
            ("UPDATE conflicts SET kept = older", "conflict .* without"),
            ("UPDATE conflicts SET settled_at = 1", "conflict .* without"),
            ("DELETE FROM conflicts", "conflict .* disappeared"),
        ],
    )
    def test_a_change_behind_the_trail_shows(
        self, memory: Memory, engine: Engine, statement: str, problem: str
    ) -> None:
        """`verify` reports every changed or removed row."""
        one, other = memory.remember("the tea is green"), memory.remember("the tea is black")
        change = AttemptChange(act=ChangeType.CONFLICT, fact=other.id, because="same subject")
        note(memory, pending(memory, "a", "b"), changes=[change])
        clash(memory, other, one)
        assert memory.audit.verify().ok
        assert engine.write(lambda session: session.run(statement, {})) >= 1
        problems = memory.audit.verify().problems
        assert any(re.search(problem, each) for each in problems), problems

    def test_a_turn_is_counted_only_with_its_unit(self, memory: Memory) -> None:
        """A transaction that fails stores no attempt."""
        turn = pending(memory, "a", "b")
        inside(memory).change(lambda unit: learning_progress.want_all(unit))

        def broken(unit: Any) -> None:
            attempts.add(unit, turn, AttemptOutcome.LEARNED, method="patterns")
            raise InvalidInputError("no")

        with unchanged(memory), pytest.raises(InvalidInputError):
            inside(memory).change(broken)
        assert len(attempts.listed(inside(memory))) == 0
