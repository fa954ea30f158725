"""Learning from turns: statements become facts once, with their source, in their own scope."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError, ScopeError
from erstwhile.core.kinds import Origin, Tier
from erstwhile.core.policies import DailyLimit
from erstwhile.core.ports import Clock, Engine, Llm, Prompt
from erstwhile.core.scope import SHARED, Viewer
from erstwhile.learning import progress as learning_progress
from erstwhile.learning.attempts import AttemptOutcome
from erstwhile.memory import Memory
from erstwhile.services import no_llm
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, inside, texts, unchanged
from tests.contracts.learning.progress import held
from tests.learning.extraction_answers import NOTHING, Answer, adding, ending, fact, superseding
from tests.learning.verification_answers import FakeLlm

LISBON = fact("The user lives in Lisbon", "profile", key="home", entities=["Lisbon"],
              quote="I live in Lisbon")  # fmt: skip
PORTO = fact("The user lives in Porto", "profile", key="home", entities=["Porto"],
             quote="I live in Porto")  # fmt: skip


def learning_memory(
    engine: Engine, clock: Clock, llm: Llm | None, limit: DailyLimit | None = None
) -> Memory:
    """Return a memory that learns with a scripted model, or with patterns."""
    make_llm = no_llm if llm is None else lambda: llm
    return assemble(engine, clock, Viewer(), llm=make_llm, daily_limit=limit or DailyLimit())


def outcomes(memory: Memory) -> list[str]:
    """Return the outcomes of the attempts, the oldest first."""
    return [attempt.outcome.value for attempt in reversed(memory.learning.attempts(limit=100))]


class Taught:
    """Ana's memory with a model that answers as the test says."""

    @pytest.fixture
    def llm(self) -> FakeLlm:
        return FakeLlm()

    @pytest.fixture
    def ana(self, engine: Engine, clock: FakeClock, llm: FakeLlm) -> Memory:
        return learning_memory(engine, clock, llm).scoped(user="ana")


class LearningContract(Taught, Contract):
    def test_what_is_said_becomes_a_fact_with_its_source(self, ana: Memory, llm: FakeLlm) -> None:
        """It is inferred, in the scope of the conversation, and its actor is learning."""
        llm.script.append(adding(LISBON))
        seen = ana.observe_turn("I live in Lisbon.", "A fine city.", wait=True)
        [learned] = ana.facts.list()
        assert (learned.text, learned.key, learned.entities) == (
            "The user lives in Lisbon", "home", ("Lisbon",),
        )  # fmt: skip
        assert (learned.tier, learned.origin, learned.scope) == (
            Tier.INFERRED, Origin.LEARNED, ana.scope,
        )  # fmt: skip
        assert learned.confidence <= Tier.INFERRED.cap
        assert learned.source is not None
        assert learned.source.messages == (seen.user.id,)
        assert learned.valid_from == seen.user.said_at
        [attempt] = seen.attempts
        assert (attempt.outcome, attempt.method) == (AttemptOutcome.LEARNED, "llm:scripted")
        assert [change.fact for change in attempt.changes] == [learned.id]
        assert ana.audit.list(subject=learned.id)[0].actor == "learning"
        assert ana.audit.verify().ok

    def test_a_turn_is_learned_from_once(self, ana: Memory, llm: FakeLlm) -> None:
        """Even if it is observed again, or learning is asked for again."""
        llm.script.append(adding(LISBON))
        first = ana.observe_turn("I live in Lisbon.", "Fine.", key="turn-1", wait=True)
        again = ana.observe_turn("I live in Lisbon.", "Fine.", key="turn-1", wait=True)
        assert again == first
        assert ana.learn() == []
        assert ana.facts.list()[0].evidence == 1

    def test_messages_and_request_are_stored_together(self, ana: Memory, llm: FakeLlm) -> None:
        """In one transaction."""
        with unchanged(ana), pytest.raises(InvalidInputError):
            ana.observe_turn("I live in Lisbon.", "Fine.", tools=["ok", "\0"], wait=True)
        llm.script.append(NOTHING)
        seen = ana.observe_turn("I live in Lisbon.", "Fine.", tools=["map: Lisbon"], wait=True)
        stored = ana.conversations.messages(seen.conversation)
        assert [message.role for message in stored] == ["user", "tool", "assistant"]
        assert ana.learning.pending() == []

    def test_added_messages_are_learned_on_request(self, ana: Memory, llm: FakeLlm) -> None:
        """In the order of storing, not in the order of timestamps."""
        first = ana.conversations.add("user", "I live in Lisbon.", said_at="2026-02-01")
        ana.conversations.add("user", "I live in Porto now.", said_at="2026-01-01")
        assert ana.learning.pending() == []
        llm.script += [adding(LISBON), NOTHING]
        told: list[tuple[int, int]] = []
        made = ana.learn(first.conversation[:18], progress=lambda *done: told.append(done))
        assert [attempt.first for attempt in made] == [1, 2]
        assert "Lisbon" in llm.prompts[0].user
        assert "Porto" in llm.prompts[1].user
        assert told == [(0, 2), (1, 2), (2, 2)]

    def test_a_change_supersedes_a_fact(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        """The old value was true until the new one began."""
        llm.script += [adding(LISBON), superseding("The user lives in Lisbon", PORTO)]
        ana.observe_turn("I live in Lisbon.", "Fine.", wait=True)
        clock.advance(days=20)
        ana.observe_turn("I live in Porto now.", "Fine.", wait=True)
        assert ana.facts.value("home") == "The user lives in Porto"
        [old] = ana.facts.list(state="retired")
        [new] = ana.facts.list()
        assert (old.superseded_by, new.supersedes) == (new.id, (old.id,))
        assert old.valid_to == new.valid_from

    def test_an_ended_fact_is_retired(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script += [
            adding(fact("The user has a cat called Miso")),
            ending("The user has a cat called Miso"),
        ]
        ana.observe_turn("I have a cat called Miso.", "Sweet.", wait=True)
        ana.observe_turn("I no longer have a cat called Miso.", "Oh.", wait=True)
        assert not ana.facts.list()
        assert texts(ana.facts.list(state="retired")) == ["The user has a cat called Miso"]

    def test_an_answer_is_read_with_its_question(self, ana: Memory, llm: FakeLlm) -> None:
        """The model sees the exchange before, and the facts that it is about."""
        ana.remember("The user lives in Porto", key="home", kind="profile")
        asked = ana.observe_turn("Hello!", "Where do you live now?", wait=True)
        llm.script.append(superseding("The user lives in Porto", {**LISBON, "quote": "Lisbon"}))
        ana.observe_turn("Lisbon", "Fine.", conversation=asked.conversation, wait=True)
        assert "Where do you live now?" in llm.prompts[-1].user
        assert texts(ana.facts.list()) == ["The user lives in Lisbon"]

    def test_a_yes_is_read_only_if_something_was_asked(self, ana: Memory, llm: FakeLlm) -> None:
        """Then it accepts what the assistant said."""
        place = ana.observe_turn("Hello!", "Hello.", wait=True).conversation
        [idle] = ana.observe_turn(
            "Yes.", "Do you prefer tea?", conversation=place, wait=True
        ).attempts
        assert (idle.outcome, llm.prompts) == (AttemptOutcome.NOT_SALIENT, [])
        llm.script.append(adding(fact("The user prefers tea", "preference", quote="Yes")))
        ana.observe_turn("Yes.", "Fine.", conversation=place, wait=True)
        [tea] = ana.facts.list()
        assert (tea.text, tea.origin) == ("The user prefers tea", Origin.LEARNED)

    def test_nothing_that_a_model_proposes_disappears(self, ana: Memory, llm: FakeLlm) -> None:
        """It is held with a reason, or recorded with one."""
        invented = fact("The user works at Initech", quote="I joined Initech")
        llm.script.append({**adding(invented, {"kind": "fact"}), "end": [{"id": "x"}]})
        [attempt] = ana.observe_turn("I am a developer.", "Nice.", wait=True).attempts
        assert [change.act for change in attempt.changes] == ["hold", "refuse", "refuse"]
        [held] = ana.quarantine.list()
        assert (held.fact.text, held.reason) == (invented["text"], "the turn does not say it")
        assert ana.quarantine.approve(held.fact.id).trust == "trusted"

    def test_the_prompt_has_relevant_facts_of_any_age(self, ana: Memory, llm: FakeLlm) -> None:
        """Relevant facts, not the newest ones."""
        ana.remember("The user's violin was made in Cremona")
        ana.remember_many(f"Invoice {number} was paid" for number in range(100))
        llm.script.append(NOTHING)
        ana.observe_turn("My violin needs new strings.", "I see.", wait=True)
        assert "Cremona" in llm.prompts[0].user
        assert llm.prompts[0].user.count("Invoice") < 60

    @pytest.mark.parametrize(
        "said",
        ["ok\nmy name is Mel, by the way", "我叫小明", "Use pnpm", "用 pnpm", "Remember: Mel"],
    )
    def test_no_short_turn_is_passed_over(self, ana: Memory, llm: FakeLlm, said: str) -> None:
        """Several lines, other scripts, an order of two words, a reply of one."""
        llm.script.append(NOTHING)
        [attempt] = ana.observe_turn(said, "Ok.", wait=True).attempts
        assert (attempt.outcome, len(llm.prompts)) == (AttemptOutcome.NOTHING, 1)

    def test_recalled_and_injected_texts_are_skipped(self, ana: Memory, llm: FakeLlm) -> None:
        """Recalled memory is no evidence for itself."""
        ana.conversations.add("system", "The user lives in Rome.")
        ana.conversations.add("user", "The user lives in Oslo.", metadata={"injected": True})
        marked = "<erstwhile-memory>The user lives in Bonn.</erstwhile-memory> Thanks!"
        ana.conversations.add("user", marked)
        made = ana.learn()
        assert {attempt.outcome for attempt in made} == {AttemptOutcome.NOT_SALIENT}
        assert not llm.prompts
        assert not ana.facts.list()

    def test_the_same_message_is_evidence_once(self, ana: Memory, llm: FakeLlm) -> None:
        """Even if the model repeats it; another message counts again."""
        llm.script += [adding(LISBON, LISBON), adding(LISBON)]
        ana.observe_turn("I live in Lisbon.", "Fine.", wait=True)
        assert ana.facts.list()[0].evidence == 1
        ana.observe_turn("As I said, I live in Lisbon.", "Yes.", wait=True)
        assert ana.facts.list()[0].evidence == 2

    def test_nobody_learns_into_the_scope_of_another(
        self, ana: Memory, llm: FakeLlm, engine: Engine, clock: FakeClock
    ) -> None:
        """The same words of two users are two facts."""
        bob = learning_memory(engine, clock, llm).scoped(user="bob")
        llm.script += [adding(LISBON), adding(PORTO)]
        seen = ana.observe_turn("I live in Lisbon.", "Fine.", wait=True)
        bob.observe_turn("I live in Porto.", "Fine.", wait=True)
        assert ana.facts.value("home") == "The user lives in Lisbon"
        assert bob.facts.value("home") == "The user lives in Porto"
        assert "Lisbon" not in llm.prompts[1].user
        with pytest.raises(NotFoundError):
            bob.learn(seen.conversation)
        with pytest.raises(ScopeError):
            ana.scoped(project="shop").learn(seen.conversation)

    def test_an_admin_learns_for_all(self, engine: Engine, clock: FakeClock, llm: FakeLlm) -> None:
        """Each conversation is learned in its own scope."""
        store = learning_memory(engine, clock, llm)
        for name in ("ana", "bob"):
            store.scoped(user=name).conversations.add("user", f"My name is {name.title()}.")
        llm.script += [
            adding(fact(f"The user's name is {name}", "profile", key="name"))
            for name in ("Ana", "Bob")
        ]
        assert len(store.everything().learn()) == 2
        assert store.scoped(user="bob").facts.value("name") == "The user's name is Bob"

    def test_undone_and_copied_messages_are_skipped(self, ana: Memory, llm: FakeLlm) -> None:
        """A copy counts as its original."""
        first = ana.conversations.add("user", "I live in Lisbon.")
        ana.conversations.add("user", "I live in Atlantis.")
        ana.conversations.undo(first.conversation)
        branch = ana.conversations.branch(first.id)
        ana.conversations.add("user", "I have a cat called Miso.", conversation=branch.id)
        llm.script += [adding(LISBON), adding(fact("The user has a cat called Miso"))]
        made = ana.learn()
        assert made[0].messages == (first.id,)
        assert len(made) == len(llm.prompts) == 2
        assert not any("Atlantis" in prompt.user for prompt in llm.prompts)

    def test_what_changes_while_the_model_thinks_is_seen(self, ana: Memory, llm: FakeLlm) -> None:
        """The model is asked outside of transactions; the decision uses the facts after that."""
        old = ana.remember("The user lives in Rome", key="home", kind="profile")

        def think(prompt: Prompt) -> Answer:
            ana.facts.replace(old.id, "The user lives in Lisbon")
            return superseding("The user lives in Rome", LISBON)(prompt)

        llm.script.append(think)
        ana.observe_turn("I live in Lisbon.", "Fine.", wait=True)
        [live] = ana.facts.list()
        assert (live.text, live.evidence) == ("The user lives in Lisbon", 2)
        assert live.supersedes == (old.id,)

    def test_a_turn_undone_during_a_call_is_skipped(self, ana: Memory, llm: FakeLlm) -> None:
        """Only the cost of the model is stored, and the next turn is learned."""
        first = ana.conversations.add("user", "I live in Lisbon.")

        def think(_prompt: Prompt) -> Answer:
            ana.conversations.undo(first.conversation)
            return adding(LISBON)

        llm.script.append(think)
        assert ana.learn() == []
        assert not ana.facts.list()
        assert ana.learning.status().spent.calls == 1
        assert (ana.learn(), ana.learning.pending()) == ([], [])

    def test_only_what_was_given_up_is_tried_again_by_hand(self, ana: Memory, llm: FakeLlm) -> None:
        """It can then be learned, once."""
        llm.script += ["no", "no", "no", adding(fact("The user restores old radios"))]
        made = ana.observe_turn("I restore old radios.", "Nice.", wait=True).attempts
        assert [attempt.outcome for attempt in made] == ["failed", "failed", "given_up"]
        with pytest.raises(ConflictError):
            ana.learning.retry(made[0].id)
        again = ana.learning.retry(made[-1].short_id)
        assert again.outcome is AttemptOutcome.LEARNED
        assert texts(ana.facts.list()) == ["The user restores old radios"]

    def test_a_crashing_turn_is_given_up(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        """Otherwise it would kill one process after the other. The next turn is learned."""
        place = ana.conversations.add("user", "I live in Lisbon.").conversation
        inside(ana).change(learning_progress.want_all)
        for number in range(3):
            assert held(ana, place).tries == number
            clock.advance(minutes=2)
        ana.conversations.add("user", "I live in Porto.", conversation=place)
        llm.script.append(adding(PORTO))
        given_up, learned = ana.learn()
        assert (given_up.outcome, learned.outcome) == ("given_up", "learned")
        assert given_up.reason == "given up after 3 tries; the worker crashed on every attempt"
        assert texts(ana.facts.list()) == ["The user lives in Porto"]

    @pytest.mark.parametrize("answer", [None, "", "  \n"], ids=repr)
    @pytest.mark.parametrize("tools", [(), ("map: Lisbon",), ("", "map: Lisbon")], ids=len)
    def test_a_turn_may_have_no_answer(
        self, ana: Memory, llm: FakeLlm, answer: str | None, tools: tuple[str, ...]
    ) -> None:
        """A model may only call tools; what the user said is learned as from any turn."""
        llm.script.append(adding(LISBON))
        seen = ana.observe_turn("I live in Lisbon.", answer, tools=tools, key="1", wait=True)
        assert [attempt.outcome for attempt in seen.attempts] == ["learned"]
        assert texts(ana.facts.list()) == ["The user lives in Lisbon"]
        again = ana.observe_turn("I live in Lisbon.", answer, tools=tools, key="1", wait=True)
        assert (again.user, again.assistant) == (seen.user, seen.assistant)
        assert seen.assistant.content == ""
        ana.observe_turn("And I work in Porto.", answer, wait=False)
        assert len(ana.conversations.messages(seen.conversation)) == 4 + len(tools)

    def test_user_none_is_refused(self, engine: Engine, clock: FakeClock, llm: FakeLlm) -> None:
        """Otherwise every user's prompt would name the one whose name was missing."""
        store = learning_memory(engine, clock, llm)
        nobody = store.scoped(user=None)
        ways: list[Callable[[], object]] = []
        for view in (nobody, nobody.scoped(project="shop"), store.scoped(user=None, agent="coder")):
            ways += [
                partial(view.observe_turn, "My name is Carol.", "Hi.", wait=True),
                partial(view.observe_turn, "My name is Carol.", "Hi."),
                view.learn,
                partial(view.learning.retry, "0198c0de"),
            ]
        with unchanged(store):
            for learn in ways:
                with pytest.raises(ScopeError, match="user=None") as raised:
                    learn()
                assert "leave `user` out" in raised.value.remedy
        assert nobody.remember("The office closes at six").scope == SHARED

    def test_a_user_named_later_learns(
        self, engine: Engine, clock: FakeClock, llm: FakeLlm
    ) -> None:
        """So does a memory that is for everybody on purpose, because it names no user at all."""
        store = learning_memory(engine, clock, llm)
        for view in (
            store.scoped(user=None).scoped(user="ana"),
            store.scoped(user="bob").scoped(user=None),
            store,
            store.scoped(project="shop"),
            store.scoped(agent=None, session=None),
        ):
            llm.script.append(adding(LISBON))
            view.observe_turn("I live in Lisbon.", "Fine.", channel="c", wait=True)
            assert view.facts.list()[0].scope == view.scope

    def test_a_turn_without_any_text_is_not_read(self, ana: Memory) -> None:
        seen = ana.observe_turn("", None, wait=True)
        assert [attempt.outcome for attempt in seen.attempts] == ["not_salient"]

    def test_the_status_tells_what_is_asked_and_what_waits(self, ana: Memory) -> None:
        status = ana.learning.status()
        assert (status.model, status.waiting, status.put_off) == ("scripted", 0, 0)
        assert (status.limit, status.reached, status.failing) == ("none", "", None)

    def test_several_messages_are_added_together_or_not_at_all(self, ana: Memory) -> None:
        """A message with a known key is not stored again."""
        both = [
            {"role": "user", "content": "I live in Lisbon.", "key": "1"},
            {"role": "assistant", "content": "Fine.", "key": "1"},
        ]
        with unchanged(ana), pytest.raises(InvalidInputError):
            ana.conversations.add_many([*both, {"role": "user", "text": "?"}])
        stored = ana.conversations.add_many(both, channel="chat")
        assert ana.conversations.add_many(both, channel="chat") == stored
        assert ana.conversations.add_many([]) == []
