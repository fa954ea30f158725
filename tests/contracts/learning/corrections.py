"""Corrections with a language model, and turns of old conversations: their own time counts."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from erstwhile.core.kinds import Ending
from erstwhile.core.ports import Engine
from erstwhile.learning.attempts import Attempt
from erstwhile.learning.candidate import ChangeType
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, texts
from tests.contracts.learning.learning import Taught, learning_memory
from tests.learning.extraction_answers import adding, ending, fact, superseding
from tests.learning.verification_answers import FakeLlm, notes, verifying

TYPO = fact("The user's dog is called Baxtre", quote="My dog is called Baxtre")
_ABOUT_LEEDS = {
    "": "said",
    "The user lives in Leeds": "over",
    "The user works from home": "goes on",
}
FIXED = fact("The user's dog is called Baxter", quote="typo, it's Baxter")


class LearningCorrectionsContract(Taught, Contract):
    def test_a_corrected_fact_was_wrong(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        """It ends as wrong, points at its successor, and can be brought back."""
        llm.script += [adding(TYPO), superseding(TYPO["text"], FIXED)]
        ana.observe_turn("My dog is called Baxtre.", "Nice.", wait=True)
        clock.advance(days=2)
        llm.verifies = verifying(fact="never so")
        ana.observe_turn("typo, it's Baxter.", "I see.", wait=True)
        [old], [new] = ana.facts.list(state="retired"), ana.facts.list()
        assert (old.ending, old.valid_to, old.superseded_by) == (
            Ending.WRONG,
            old.valid_from,
            new.id,
        )
        assert ana.facts.undo(old.id).text == TYPO["text"]

    def test_a_joke_that_is_taken_back_was_never_true(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script += [
            adding(fact("The user bought a castle", quote="I bought a castle")),
            ending("The user bought a castle", quote="I was joking about the castle"),
        ]
        ana.observe_turn("I bought a castle.", "Wow.", wait=True)
        llm.verifies = verifying(fact="never so")
        ana.observe_turn("I was joking about the castle.", "Ha.", wait=True)
        assert [each.ending for each in ana.facts.list(state="retired")] == [Ending.WRONG]
        assert not ana.facts.list()

    def test_a_second_cat_stays_beside_the_first(self, ana: Memory, llm: FakeLlm) -> None:
        """Though a model claims that it replaces the first: verification says that it goes on."""
        first = "The user has a cat called Miso"
        second = fact("The user has a cat called Pepper", quote="We got a cat, Pepper")
        llm.script += [adding(fact(first, quote="My cat Miso")), superseding(first, second)]
        llm.verifies = verifying(fact="goes on")
        ana.observe_turn("My cat Miso is asleep.", "Nice.", wait=True)
        ana.observe_turn("We got a cat, Pepper.", "Nice.", wait=True)
        assert set(texts(ana.facts.list())) == {first, second["text"]}
        assert len(ana.conflicts.list()) == 0

    def test_an_unrelated_id_is_not_retired(self, ana: Memory, llm: FakeLlm) -> None:
        home = ana.remember("The user lives in Leeds", key="home", origin="learned")
        work = ana.remember("The user works from home", origin="learned")
        moved = fact("The user lives in Bristol", key="home", quote="we moved to Bristol")
        llm.script.append(superseding(work.text, moved, home.text))
        llm.verifies = lambda prompt: {
            "answers": [
                {"n": each["n"], "answer": _ABOUT_LEEDS[each.get("fact", "")]}
                for each in notes(prompt)
            ]
        }
        ana.observe_turn("By the way, we moved to Bristol.", "Nice.", wait=True)
        assert set(texts(ana.facts.list())) == {work.text, moved["text"]}

    def test_a_home_follows_an_ended_one(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        """Although the new one began before the end of the old one was told."""
        porto = fact("The user lives in Porto", "profile", quote="I live in Porto", key="home")
        last_month = clock.now().replace(day=1) - timedelta(days=1)
        began = last_month.replace(day=1).date().isoformat()
        rome = fact("The user lives in Rome", "profile", quote="I moved to Rome last month",
                    key="home", value="Rome", valid_from=began)  # fmt: skip
        llm.script += [
            adding(porto),
            ending(porto["text"], quote="I no longer live in Porto"),
            adding(rome),
        ]
        ana.observe_turn("I live in Porto.", "OK.", wait=True)
        clock.advance(days=1)
        ana.observe_turn("I no longer live in Porto.", "OK.", wait=True)
        clock.advance(days=1)
        ana.observe_turn("I moved to Rome last month.", "OK.", wait=True)
        assert ana.facts.value("home") == "Rome"

    def test_an_attempt_tells_that_everything_was_held(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script.append(adding(fact("The user has a boat", quote="if I had a boat")))
        llm.verifies = verifying("supposition")
        seen = ana.observe_turn("I wonder if I had a boat.", "Hm.", tools=None, wait=True)
        assert [attempt.outcome for attempt in seen.attempts] == ["held"]

    def test_an_injected_turn_is_not_read(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script.append(adding(fact("The user has a boat", quote="I have a boat")))
        note = {"injected": True}
        ana.observe_turn("I have a boat.", "OK.", tools=["ok"], metadata=note, wait=True)
        assert texts(ana.facts.list()) == []
        assert len(llm.script) == 1  # the model was not asked

    def test_one_proposal_needs_no_list_around_it(self, ana: Memory, llm: FakeLlm) -> None:
        boat = fact("The user has a boat", quote="I have a boat")
        llm.script.append({"add": boat})
        ana.observe_turn("I have a boat.", "OK.", wait=True)
        assert texts(ana.facts.list()) == ["The user has a boat"]


class LearningOldTalkContract(Contract):
    @pytest.fixture
    def ana(self, engine: Engine, clock: FakeClock) -> Memory:
        return learning_memory(engine, clock, None).scoped(user="ana")

    @pytest.fixture
    def long_ago(self, clock: FakeClock) -> datetime:
        return clock.now() - timedelta(days=700)

    @pytest.mark.parametrize(
        "said",
        ["I live in Oslo.", "I moved to Oslo.", "We switched from pnpm to npm."],
    )
    def test_what_was_said_before_retires_nothing(
        self, ana: Memory, long_ago: datetime, said: str
    ) -> None:
        """In either order of learning."""
        ana.observe_turn("I live in Rome. I like coffee. We use pnpm.", "Fine.", wait=True)
        before = texts(ana.facts.list())
        [attempt] = _learned(ana, said, long_ago)
        assert texts(ana.facts.list()) == before
        assert [change.act for change in attempt.changes] == [ChangeType.REFUSE]

    def test_what_was_remembered_since_stays(self, ana: Memory, long_ago: datetime) -> None:
        ana.remember("The user lives in Rome", key="home", kind="profile")
        _learned(ana, "I live in Oslo.", long_ago)
        assert texts(ana.facts.list()) == ["The user lives in Rome"]

    def test_late_learning_uses_message_times(self, ana: Memory, clock: FakeClock) -> None:
        """Pending turns are learned in their order, even much later."""
        place = ana.observe_turn("I live in Rome. We use npm.", "Fine.").conversation
        for said in ("I moved to Oslo. We switched from npm to pnpm.", "We use npm."):
            clock.advance(minutes=1)
            ana.observe_turn(said, "Fine.", conversation=place)
        clock.advance(days=1)
        ana.learn()
        assert set(texts(ana.facts.list())) == {
            "The user lives in Oslo", "The team uses pnpm", "The team uses npm",
        }  # fmt: skip

    def test_conversations_may_come_in_any_order(self, ana: Memory, long_ago: datetime) -> None:
        later = long_ago + timedelta(days=100)
        _learned(ana, "I live in Oslo.", later)
        _learned(ana, "I live in Rome.", long_ago)
        _learned(ana, "I moved to Kyiv.", later + timedelta(days=100))
        assert texts(ana.facts.list()) == ["The user lives in Kyiv"]
        assert texts(ana.facts.list(state="retired")) == ["The user lives in Oslo"]

    def test_what_has_ended_since_does_not_come_back(self, ana: Memory, long_ago: datetime) -> None:
        ana.observe_turn("We use npm.", "Fine.", wait=True)
        ana.observe_turn("We switched from npm to pnpm.", "Fine.", wait=True)
        [attempt] = _learned(ana, "We use npm.", long_ago)
        assert [change.act for change in attempt.changes] == [ChangeType.REFUSE]
        assert texts(ana.facts.list()) == ["The team uses pnpm"]

    def test_a_wrong_fact_does_not_come_back(self, ana: Memory, long_ago: datetime) -> None:
        wrong = ana.remember("The team uses npm", kind="project")
        ana.facts.retire(wrong.id, ending="wrong")
        _learned(ana, "We use npm.", long_ago)
        assert not ana.facts.list()
        ana.observe_turn("We use npm.", "Fine.", wait=True)
        assert texts(ana.facts.list()) == ["The team uses npm"]


def _learned(memory: Memory, said: str, at: datetime) -> list[Attempt]:
    """Learn from a text in a conversation of its own."""
    memory.conversations.add("user", said, said_at=at, channel=f"of {at:%Y-%m-%d}")
    return memory.learn()
