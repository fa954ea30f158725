"""Where facts are stored, and whose word they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.core.kinds import Origin
from erstwhile.core.ports import Engine
from erstwhile.core.scope import SHARED, Scope
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, texts, unchanged
from tests.contracts.learning.learning import Taught, learning_memory
from tests.learning.extraction_answers import NOTHING, adding, ending, fact, superseding
from tests.learning.verification_answers import FakeLlm

NUTS = fact("The user is allergic to nuts", "profile", about="user", quote="I'm allergic to nuts")
NODE = fact("The shop runs on Node 18", "environment", about="project", quote="runs on Node 18")
BOTH = "I'm allergic to nuts. The shop runs on Node 18."
NODE_22 = fact("The shop runs on Node 22", "environment", quote="Node 22 now")
NO_NUTS = fact("The user tolerates nuts again", quote="I tolerate nuts again")


class WhereFactsGoContract(Contract):
    @pytest.fixture
    def llm(self) -> FakeLlm:
        return FakeLlm()

    @pytest.fixture
    def store(self, engine: Engine, clock: FakeClock, llm: FakeLlm) -> Memory:
        return learning_memory(engine, clock, llm)

    @pytest.fixture
    def shop(self, store: Memory, llm: FakeLlm) -> Memory:
        """Return Ana's memory of the project shop, after she told of herself and of the shop."""
        shop = store.scoped(user="ana", project="shop")
        llm.script.append(adding(NUTS, NODE))
        shop.observe_turn(BOTH, "Noted.", wait=True)
        return shop

    def test_user_facts_are_known_in_every_project(self, store: Memory, shop: Memory) -> None:
        """What is about the project stays there, and nobody else knows either."""
        assert set(texts(shop.facts.list())) == {NUTS["text"], NODE["text"]}
        for view in (store.scoped(user="ana", project="blog"), store.scoped(user="ana")):
            assert texts(view.facts.list()) == [NUTS["text"]]
        for other in (store, store.scoped(user="bob", project="shop")):
            assert texts(other.facts.list()) == []
        assert shop.audit.verify().ok

    def test_another_project_can_change_it(self, store: Memory, shop: Memory, llm: FakeLlm) -> None:
        """In the user's scope, where it is stored."""
        blog = store.scoped(user="ana", project="blog")
        llm.script.append(superseding(NUTS["text"], NO_NUTS))
        blog.observe_turn("I tolerate nuts again.", "Good.", wait=True)
        [new] = blog.facts.list()
        assert (new.text, new.scope) == (NO_NUTS["text"], Scope(user="ana"))
        assert set(texts(shop.facts.list())) == {NO_NUTS["text"], NODE["text"]}

    def test_a_change_in_the_project_stays_in_the_project(self, shop: Memory, llm: FakeLlm) -> None:
        llm.script.append(superseding(NODE["text"], NODE_22))
        shop.observe_turn("We have Node 22 now.", "Good.", wait=True)
        [new] = [each for each in shop.facts.list() if "Node" in each.text]
        assert (new.text, new.scope) == (NODE_22["text"], shop.scope)

    def test_an_end_reaches_no_shared_fact(self, store: Memory, shop: Memory, llm: FakeLlm) -> None:
        """An ending of a shared fact waits for a person."""
        rule = store.remember("Nuts are sold at the counter", origin="learned")
        llm.script += [
            ending(NUTS["text"], quote="My nut allergy is gone"),
            ending(rule.text, quote="Nuts are gone from the counter"),
        ]
        shop.observe_turn("My nut allergy is gone.", "Good.", wait=True)
        shop.observe_turn("Nuts are gone from the counter.", "Good.", wait=True)
        assert set(texts(shop.facts.list())) == {NODE["text"], rule.text}
        assert texts(store.scoped(user="ana").facts.list(state="retired")) == [NUTS["text"]]

    @pytest.mark.usefixtures("shop")
    def test_a_repetition_is_found_in_either_scope(self, store: Memory, llm: FakeLlm) -> None:
        llm.script.append(adding(NUTS))
        store.scoped(user="ana", project="blog").observe_turn(BOTH, "Yes.", wait=True)
        [nuts] = store.scoped(user="ana").facts.list()
        assert nuts.evidence == 2

    def test_what_is_held_waits_where_it_would_be_stored(self, store: Memory, llm: FakeLlm) -> None:
        """And an approval makes it known in every project."""
        shop, ana = store.scoped(user="ana", project="shop"), store.scoped(user="ana")
        llm.script.append(adding({**NUTS, "quote": "it says I am allergic"}))
        shop.observe_turn("Read my file.", "Done.", wait=True)
        [held] = ana.quarantine.list()
        ana.quarantine.approve(held.id)
        assert texts(store.scoped(user="ana", project="blog").facts.list()) == [NUTS["text"]]

    @pytest.mark.parametrize(
        ("learn_to", "scope"),
        [
            (("user", "project"), Scope(user="ana", project="shop")),
            ("user", Scope(user="ana")),
            (["project"], Scope(project="shop")),
            ("shared", SHARED),
        ],
        ids=str,
    )
    def test_the_caller_may_choose(
        self, store: Memory, llm: FakeLlm, learn_to: Any, scope: Scope
    ) -> None:
        """For all facts of a turn, now or when it is learned from later."""
        shop = store.scoped(user="ana", project="shop")
        llm.script.append(adding(NUTS, NODE))
        shop.observe_turn(BOTH, "Noted.", learn_to=learn_to)
        shop.learn()
        found = store.everything().facts.list()
        assert {each.scope for each in found} == {scope}
        assert len(found) == 2

    @pytest.mark.parametrize("wrong", ["session", ("user", "session"), (), "everybody", "", [""]])
    def test_an_unknown_dimension_is_refused(self, store: Memory, wrong: Sequence[str]) -> None:
        """Before anything is stored."""
        shop = store.scoped(user="ana", project="shop")
        with unchanged(store), pytest.raises((InvalidInputError, ScopeError)) as raised:
            shop.observe_turn(BOTH, "Noted.", learn_to=wrong)
        assert raised.value.remedy


_ASKED = "Do you live in Porto?"
_PORTO = adding(fact("The user lives in Porto", "profile", quote="Yes"))
_PAGE = "Porto: 21 degrees. The user lives in Porto."


def _rules(memory: Memory) -> list[tuple[str, Origin]]:
    return [(held.rule, held.fact.origin) for held in memory.quarantine.list()]


class LineageContract(Taught, Contract):
    def test_a_user_who_agrees_states_what_was_asked(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script += [NOTHING, _PORTO]
        asked = ana.observe_turn("I need a plumber.", _ASKED, wait=True)
        ana.observe_turn("Yes", "Good.", conversation=asked.conversation, wait=True)
        assert texts(ana.facts.list()) == ["The user lives in Porto"]

    def test_a_user_who_agrees_after_a_tool_spoke_does_not(self, ana: Memory, llm: FakeLlm) -> None:
        """However many turns ago it was, since the assistant may have read it there."""
        llm.script += [NOTHING] * 5 + [_PORTO]
        place = ana.observe_turn("I need a map.", "Here.", tools=[_PAGE], wait=True).conversation
        for _ in range(3):
            ana.observe_turn("Write a poem.", "Rain.", conversation=place, wait=True)
        ana.observe_turn("I need a plumber.", _ASKED, conversation=place, wait=True)
        ana.observe_turn("Yes", "Good.", conversation=place, wait=True)
        assert ana.facts.count() == 0
        assert _rules(ana) == [("provenance/tool", Origin.TOOL)]

    def test_a_branch_knows_that_a_tool_spoke_before_it(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script += [NOTHING] * 2 + [_PORTO]
        first = ana.observe_turn("I need a map.", "Here.", tools=[_PAGE], wait=True)
        branch = ana.conversations.branch(first.assistant.id).id
        ana.observe_turn("I need a plumber.", _ASKED, conversation=branch, wait=True)
        ana.observe_turn("Yes", "Good.", conversation=branch, wait=True)
        assert ana.facts.count() == 0
        assert _rules(ana) == [("provenance/tool", Origin.TOOL)]

    def test_what_only_the_assistant_says_is_held(self, ana: Memory, llm: FakeLlm) -> None:
        """It may have read it in the prompt, in another conversation, or nowhere."""
        llm.script.append(adding(fact("The user lives in Porto", quote="You live in Porto")))
        ana.observe_turn("Tell me what you know.", "You live in Porto.", wait=True)
        assert ana.facts.count() == 0
        assert _rules(ana) == [("provenance/assistant", Origin.AGENT)]

    def test_another_conversation_is_not_touched(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script += [NOTHING, NOTHING, _PORTO]
        ana.observe_turn("I need a map.", "Here.", tools=[_PAGE], channel="maps", wait=True)
        asked = ana.observe_turn("I need a plumber.", _ASKED, channel="home", wait=True)
        ana.observe_turn("Yes", "Good.", conversation=asked.conversation, wait=True)
        assert texts(ana.facts.list()) == ["The user lives in Porto"]
