"""Verification decides about proposals; a person can approve what it held."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.errors import ConflictError, LlmError
from erstwhile.core.kinds import Ending, State, Trust
from erstwhile.core.policies import Policy
from erstwhile.core.ports import Completion, Engine
from erstwhile.core.scope import Viewer
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.contracts.base import Contract, texts
from tests.contracts.learning.learning import Taught
from tests.learning.extraction_answers import adding, ending, fact, superseding
from tests.learning.verification_answers import FakeLlm, notes, verifying

VIM = fact("The user uses Vim", "preference", quote="any light theme for my Vim")
HONDA = "The user drives a Honda"
TESLA = fact("The user drives a Tesla", quote="the Tesla is great in the snow")
SAID_OF_TESLA = "Well, the Tesla is great in the snow."


class VerificationContract(Contract):
    @pytest.fixture
    def llm(self) -> ScriptedLlm:
        return ScriptedLlm()

    @pytest.fixture
    def ana(self, engine: Engine, clock: FakeClock, llm: ScriptedLlm) -> Memory:
        return assemble(engine, clock, Viewer(), llm=lambda: llm).scoped(user="ana")

    @pytest.fixture
    def unverified(self, engine: Engine, clock: FakeClock, llm: ScriptedLlm) -> Memory:
        store = assemble(engine, clock, Viewer(), llm=lambda: llm, policy=Policy(verify=False))
        return store.scoped(user="ana")

    def test_what_it_confirms_is_believed(self, ana: Memory, llm: ScriptedLlm) -> None:
        """The attempt and the ledger have the tokens of both calls."""
        llm.script += [
            Completion(text=json.dumps(adding(VIM)), input=100, output=20),
            lambda prompt: Completion(text=json.dumps(verifying()(prompt)), input=40, output=5),
        ]
        [attempt] = ana.observe_turn("Hi, any light theme for my Vim?", "Yes.", wait=True).attempts
        [vim] = ana.facts.list()
        assert (vim.text, dict(vim.metadata), len(ana.quarantine.list())) == (VIM["text"], {}, 0)
        assert (attempt.input, attempt.output) == (140, 25)
        spent = ana.learning.status().spent
        assert (spent.input, spent.output) == (140, 25)
        [ledger] = ana.usage.summary(session="erstwhile")
        assert (ledger.input, ledger.output) == (140, 25)
        assert notes(llm.prompts[-1]) == [
            {"n": 1, "statement": VIM["text"], "quote": "any light theme for my Vim"}
        ]

    @pytest.mark.parametrize(
        ("answer", "rule", "reason"),
        [
            ("joke", "verify/joke", "it was a joke"),
            ("somebody else", "verify/somebody-else", "it is about somebody else"),
            ("more than said", "verify/more-than-said", "it says more than the user did"),
        ],
    )
    def test_what_it_objects_to_is_held_with_its_reason(
        self, ana: Memory, llm: ScriptedLlm, answer: str, rule: str, reason: str
    ) -> None:
        won = fact("The user won the lottery", "event", quote="I won the lottery")
        llm.script += [adding(won), verifying(answer)]
        ana.observe_turn("I won the lottery. Anyway, back to the report.", "Fine.", wait=True)
        [held] = ana.quarantine.list()
        assert (held.fact.text, held.rule, held.reason) == (won["text"], rule, reason)
        assert texts(ana.facts.list()) == []

    @pytest.mark.parametrize(
        ("told", "live", "how"),
        [
            ("over", [], Ending.SUPERSEDED),
            ("never so", [], Ending.WRONG),
            ("goes on", [HONDA], None),
        ],
    )
    def test_it_decides_what_becomes_of_a_known_fact(
        self, ana: Memory, llm: ScriptedLlm, told: str, live: list[str], how: Ending | None
    ) -> None:
        known = ana.remember(HONDA, origin="learned")
        llm.script += [ending(HONDA, quote="My Honda found a new home"), verifying(fact=told)]
        ana.observe_turn("My Honda found a new home in Porto.", "Good.", wait=True)
        assert (texts(ana.facts.list()), ana.facts.get(known.id).ending) == (live, how)
        assert ana.audit.verify().ok

    def test_a_new_value_replaces_the_old_one(self, ana: Memory, llm: ScriptedLlm) -> None:
        old = ana.remember(HONDA, origin="learned")
        llm.script += [superseding(HONDA, TESLA), verifying(fact="over")]
        ana.observe_turn(SAID_OF_TESLA, "Good.", wait=True)
        [new] = ana.facts.list()
        assert (new.text, new.supersedes) == (TESLA["text"], (old.id,))

    def test_a_value_that_goes_on_is_not_replaced(self, ana: Memory, llm: ScriptedLlm) -> None:
        """Not even where there is one value at a time: the new one is stored without the key."""
        ana.remember("The user lives in Lisbon", key="home", value="Lisbon", origin="learned")
        porto = fact("The user lives in Porto", "profile", key="home", quote="I live in Porto")
        llm.script += [superseding("The user lives in Lisbon", porto), verifying(fact="goes on")]
        ana.observe_turn("I live in Porto these days.", "Fine.", wait=True)
        assert set(texts(ana.facts.list())) == {"The user lives in Lisbon", porto["text"]}
        assert ana.facts.value("home") == "Lisbon"

    @pytest.mark.parametrize("trouble", ["no JSON", "", {"answers": [7]}, {"answers": []}])
    def test_an_unusable_answer_is_asked_again(
        self, ana: Memory, llm: ScriptedLlm, trouble: object
    ) -> None:
        llm.script += [adding(VIM), trouble, verifying()]  # type: ignore[list-item]
        ana.observe_turn("Hi, any light theme for my Vim?", "Yes.", wait=True)
        assert texts(ana.facts.list()) == [VIM["text"]]

    def test_two_unusable_answers_hold_everything(self, ana: Memory, llm: ScriptedLlm) -> None:
        """Nothing ends, and the turn counts as read."""
        ana.remember(HONDA, origin="learned")
        llm.script += [superseding(HONDA, TESLA), "no JSON", "no JSON"]
        [attempt] = ana.observe_turn(SAID_OF_TESLA, "Good.", wait=True).attempts
        assert (attempt.outcome, texts(ana.facts.list())) == ("held", [HONDA])
        [held] = ana.quarantine.list()
        assert (held.fact.text, held.rule) == (TESLA["text"], "verify/unanswered")
        assert ana.learning.pending() == []

    def test_a_model_that_fails_meanwhile_is_asked_for_all_of_it_again(
        self, ana: Memory, llm: ScriptedLlm, clock: FakeClock
    ) -> None:
        llm.script += [adding(VIM), LlmError("it is down"), adding(VIM), verifying()]
        [attempt] = ana.observe_turn("Hi, any light theme for my Vim?", "Yes.", wait=True).attempts
        assert (attempt.outcome, ana.facts.count()) == ("failed", 0)
        clock.advance(minutes=5)
        assert [each.outcome for each in ana.learn()] == ["learned"]

    def test_unverified_facts_are_marked(self, unverified: Memory, llm: ScriptedLlm) -> None:
        llm.script.append(adding(VIM))
        unverified.observe_turn("Hi, any light theme for my Vim?", "Yes.", wait=True)
        [vim] = unverified.facts.list()
        assert dict(vim.metadata) == {"unverified": True}

    def test_unverified_answers_retire_nothing(self, unverified: Memory, llm: ScriptedLlm) -> None:
        """A replacement becomes a conflict, and an ending waits for a person."""
        unverified.remember(HONDA, origin="learned")
        llm.script += [superseding(HONDA, TESLA), ending(HONDA, quote="I sold the Honda")]
        unverified.observe_turn(SAID_OF_TESLA, "Good.", wait=True)
        unverified.observe_turn("I sold the Honda.", "Good.", wait=True)
        assert set(texts(unverified.facts.list())) == {HONDA, TESLA["text"]}
        assert len(unverified.conflicts.list()) == 1
        [held] = unverified.quarantine.list()
        assert (held.ends, held.reason) == (True, "not verified")


OSLO = "The user lives in Oslo"
BERGEN = fact("The user lives in Bergen", "profile", key="home", value="Bergen",
              quote="If I lived in Bergen")  # fmt: skip
SAID = "If I lived in Bergen, would it rain more?"


class HeldProposalsContract(Taught, Contract):
    @pytest.fixture
    def llm(self) -> FakeLlm:
        """Return a model whose verification answers nothing."""
        llm = FakeLlm()
        llm.verifies = lambda _prompt: {"answers": []}
        return llm

    def test_an_approved_proposal_is_the_value_of_its_key(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script.append(adding(BERGEN))
        ana.observe_turn(SAID, "It would.", wait=True)
        [held] = ana.quarantine.list()
        assert (held.key, held.replaces, held.ends) == ("home", (), False)
        assert ana.facts.value("home") is None
        approved = ana.quarantine.approve(held.id, reason="she told me")
        assert (approved.key, approved.value, approved.trust) == ("home", "Bergen", Trust.TRUSTED)
        assert dict(approved.metadata) == {}
        assert ana.facts.value("home") == "Bergen"
        assert texts(ana.facts.list()) == [BERGEN["text"]]
        assert len(ana.quarantine.list()) == 0
        assert ana.audit.verify().ok

    @pytest.mark.parametrize("verb", ["approve", "confirm"])
    @pytest.mark.parametrize("key", ["home", None])
    def test_an_approved_proposal_replaces_what_it_said(
        self, ana: Memory, llm: FakeLlm, clock: FakeClock, key: str | None, verb: str
    ) -> None:
        old = ana.remember(OSLO, key=key, origin="learned")
        clock.advance(days=1)
        llm.script.append(superseding(OSLO, {**BERGEN, "key": key or "", "value": ""}))
        ana.observe_turn(SAID, "It would.", wait=True)
        [held] = ana.quarantine.list()
        assert held.replaces == (old.id,)
        assert texts(ana.facts.list()) == [OSLO]
        clock.advance(days=1)
        decide = ana.quarantine.approve if verb == "approve" else ana.facts.confirm
        new = decide(held.id)
        assert texts(ana.facts.list()) == [BERGEN["text"]]
        assert (new.key, ana.facts.get(old.id).superseded_by) == (key, new.id)
        assert ana.facts.undo(old.id).state_at(clock.now()) is State.LIVE

    def test_an_approval_begins_now(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        """A person decides now, so what was true since is not forgotten."""
        llm.script.append(adding(BERGEN))
        ana.observe_turn(SAID, "It would.", wait=True)
        clock.advance(days=1)
        ana.facts.set("home", "Oslo")
        clock.advance(days=1)
        ana.quarantine.approve(ana.quarantine.list()[0].id)
        assert ana.facts.value("home") == "Bergen"
        [oslo] = [each for each in ana.facts.list(state="retired") if each.text == "Oslo"]
        assert oslo.valid_to is not None
        assert oslo.valid_to - oslo.valid_from >= timedelta(days=1)

    def test_an_ending_can_be_approved(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        old = ana.remember(OSLO, key="home", origin="learned")
        llm.script.append(ending(OSLO, quote="If I ever leave Oslo"))
        seen = ana.observe_turn("If I ever leave Oslo, I'd miss it.", "Sure.", wait=True)
        assert [attempt.outcome for attempt in seen.attempts] == ["held"]
        [held] = ana.quarantine.list()
        assert (held.ends, held.replaces) == (True, (old.id,))
        assert ana.facts.value("home") == OSLO
        clock.advance(days=1)
        ended = ana.quarantine.approve(held.id)
        assert (ended.id, ended.ending) == (old.id, Ending.SUPERSEDED)
        assert (ana.facts.value("home"), texts(ana.facts.list())) == (None, [])
        assert len(ana.quarantine.list()) == 0
        assert ana.audit.verify().ok

    def test_a_rejected_end_leaves_the_fact_as_it_is(self, ana: Memory, llm: FakeLlm) -> None:
        """It may be stated again, and the same end is not proposed twice."""
        ana.remember(OSLO, origin="learned")
        doubtful = ending(OSLO, quote="If I ever leave Oslo")
        llm.script += [doubtful, doubtful, adding(fact(OSLO, quote="I live in Oslo"))]
        for _ in range(2):
            ana.observe_turn("If I ever leave Oslo, I'd miss it.", "Sure.", wait=True)
            for held in ana.quarantine.list():
                ana.quarantine.reject(held.id)
        assert len(ana.facts.list(state="retired")) == 1
        llm.verifies = verifying()
        seen = ana.observe_turn("I live in Oslo.", "I know.", wait=True)
        assert [attempt.outcome for attempt in seen.attempts] == ["learned"]
        assert ana.facts.list()[0].evidence == 2

    def test_what_ended_meanwhile_cannot_be_ended_again(self, ana: Memory, llm: FakeLlm) -> None:
        old = ana.remember(OSLO, origin="learned")
        llm.script.append(ending(OSLO, quote="If I ever leave Oslo"))
        ana.observe_turn("If I ever leave Oslo, I'd miss it.", "Sure.", wait=True)
        ana.facts.retire(old.id, "wrong")
        with pytest.raises(ConflictError, match="already ended"):
            ana.quarantine.approve(ana.quarantine.list()[0].id)
