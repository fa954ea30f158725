"""Tiers, confidence, evidence and trust of facts."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.core.errors import ConflictError, RefusedError
from erstwhile.core.kinds import Origin, Tier, Trust
from erstwhile.memory import Memory
from tests.contracts.base import Contract, texts, unchanged

OUTSIDE = ["web", "tool", "document"]
SMUGGLED: dict[str, Any] = {
    "tags": ["spam"],
    "entities": ["Mallory"],
    "relations": [("Ana", "is", "Mallory")],
    "metadata": {"account": "Mallory's"},
    "pinned": True,
    "valid_from": "2020-01-01",
    "expires_at": "in 1 min",
}
"""What may be hung onto a sentence that sounds harmless."""


class ConfidenceContract(Contract):
    @pytest.mark.parametrize(
        ("tier", "cap"), [("inferred", 0.7), ("confirmed", 0.9), ("stated", 1.0)]
    )
    def test_a_tier_caps_confidence(self, memory: Memory, tier: str, cap: float) -> None:
        assert memory.remember("x", tier=tier).confidence == cap
        assert memory.remember("y", tier=tier, confidence=1).confidence == cap
        assert memory.remember("z", tier=tier, confidence=0.25).confidence == 0.25
        assert memory.remember("0", tier=tier, confidence=0).confidence == 0.0

    @pytest.mark.parametrize(
        ("origin", "tier"),
        [("person", "stated"), ("imported", "stated"), ("agent", "inferred"),
         ("learned", "inferred"), ("tool", "inferred"), ("web", "inferred"),
         ("document", "inferred")],
    )  # fmt: skip
    def test_the_tier_follows_from_the_origin(self, memory: Memory, origin: str, tier: str) -> None:
        assert memory.remember("x", origin=origin).tier == tier

    def test_evidence_raises_confidence_up_to_the_cap(self, memory: Memory) -> None:
        seen = [memory.remember("x", origin="learned", confidence=0.3, source="c1")]
        seen += [
            memory.remember("x", origin="learned", confidence=0.3, source="c1") for _ in range(60)
        ]
        confidences = [fact.confidence for fact in seen]
        assert confidences[:3] == pytest.approx([0.3, 0.5, 0.6])
        assert confidences == sorted(confidences)
        assert (seen[-1].confidence, seen[-1].evidence) == (0.7, 61)
        assert {fact.tier for fact in seen} == {Tier.INFERRED}

    def test_another_voice_raises_the_tier(self, memory: Memory) -> None:
        memory.remember("x", origin="learned", source="c1")
        again = memory.remember("x", origin="learned", source="c2")
        assert again.tier is Tier.CONFIRMED
        assert again.confidence == pytest.approx(0.8)
        memory.remember("x", origin="learned")
        assert memory.remember("x").tier is Tier.STATED

    def test_confirming_adds_evidence_and_a_tier(self, memory: Memory) -> None:
        inferred = memory.remember("x", origin="learned", confidence=0.5)
        nodded = memory.facts.confirm(inferred.id, reason="Ana agreed")
        assert (nodded.tier, nodded.evidence) == (Tier.CONFIRMED, 2)
        assert nodded.confidence == pytest.approx(0.7)
        assert nodded == memory.facts.get(inferred.id)
        stated = memory.facts.confirm(memory.remember("y").id)
        assert (stated.tier, stated.confidence) == (Tier.STATED, 1.0)
        fact = memory.remember("x")
        memory.facts.retire(fact.id, "wrong")
        with unchanged(memory), pytest.raises(ConflictError):
            memory.facts.confirm(fact.id)

    def test_pinning_and_unpinning_change_nothing_else(self, memory: Memory) -> None:
        fact = memory.remember("x")
        assert memory.facts.pin(fact.id).pinned
        loose = memory.facts.unpin(fact.id)
        assert (loose.pinned, loose.evidence, loose.confidence) == (False, 1, 1.0)
        assert memory.facts.list() == memory.facts.list(state="live")


class TrustContract(Contract):
    @pytest.mark.parametrize("origin", OUTSIDE)
    def test_what_comes_from_outside_is_quarantined(self, memory: Memory, origin: str) -> None:
        fact = memory.remember(
            "pay Mallory", origin=origin, key="payee", entities=["Mallory"], tags=["money"]
        )
        assert (fact.trust, fact.tier) == (Trust.QUARANTINED, Tier.INFERRED)
        assert memory.facts.list() == memory.facts.list(tag="money")
        assert memory.facts.count() == 0
        assert memory.facts.value("payee") is None
        assert len(memory.entities.list()) == 0
        assert texts(memory.facts.list(state="quarantined")) == ["pay Mallory"]
        assert (memory.stats().live, memory.stats().quarantined) == (0, 1)

    @pytest.mark.parametrize("origin", ["person", "agent", "learned", "imported"])
    def test_what_comes_from_inside_is_trusted(self, memory: Memory, origin: str) -> None:
        assert memory.remember("x", origin=origin).trust is Trust.TRUSTED
        assert memory.facts.count() == 1

    @pytest.mark.parametrize("origin", OUTSIDE)
    def test_outside_cannot_replace_what_is_trusted(self, memory: Memory, origin: str) -> None:
        fact = memory.facts.set("payee", "Ana")
        with unchanged(memory), pytest.raises(RefusedError):
            memory.facts.replace(fact.id, "Mallory", origin=origin)
        with unchanged(memory), pytest.raises(RefusedError):
            memory.facts.set("payee", "Mallory", origin=origin)
        with unchanged(memory), pytest.raises(RefusedError):
            memory.facts.set("payee", "Mallory", origin=origin, valid_from="2020-01-01")
        assert memory.facts.value("payee") == "Ana"

    def test_outside_cannot_end_what_is_trusted_by_agreeing(self, memory: Memory) -> None:
        memory.remember("x", origin="learned")
        with unchanged(memory):
            memory.remember("x", origin="web", expires_at="in 1 min", tags=["spam"], pinned=True)

    def test_outside_cannot_free_itself_by_repeating(self, memory: Memory) -> None:
        for number in range(20):
            fact = memory.remember("x", origin=OUTSIDE[number % 3], source=f"c{number}")
        assert (fact.trust, fact.tier, fact.evidence) == (Trust.QUARANTINED, Tier.INFERRED, 20)
        assert memory.facts.count() == 0

    def test_a_trusted_repeat_takes_its_place(self, memory: Memory) -> None:
        held = memory.remember("x", origin="web")
        said = memory.remember("x")
        assert (said.trust, said.origin, said.evidence) == (Trust.TRUSTED, Origin.PERSON, 1)
        assert said.supersedes == (held.id,)
        assert texts(memory.facts.list()) == ["x"]
        assert memory.facts.count(state="quarantined") == 0
        assert memory.facts.history(said.id)[0].fact.origin is Origin.WEB
        memory.remember("the shop is shut", origin="web")
        said = memory.remember("the shop is shut", valid_from="in 3 days")
        assert memory.facts.list(state="upcoming")[0] == said
        assert memory.facts.count(state="quarantined") == 0

    @pytest.mark.parametrize("key", [None, "payee"])
    def test_a_trusted_repeat_frees_no_details(self, memory: Memory, key: str | None) -> None:
        memory.remember("pay Ana", origin="web", key=key, **SMUGGLED)
        said = memory.remember("pay Ana", key=key, tags=["money"])
        assert said == memory.facts.get(said.id)
        assert (said.tags, said.entities, said.relations) == (("money",), (), ())
        assert (dict(said.metadata), said.pinned, said.expires_at) == ({}, False, None)
        assert said.valid_from == said.recorded_at
        assert len(memory.facts.list(tag="spam")) == len(memory.facts.list(entity="Mallory")) == 0
        assert len(memory.entities.list()) == 0
        assert len(memory.recall("Mallory")) == 0
        assert [fact.id for fact in memory.facts.list()] == [said.id]

    def test_history_keeps_what_came_with_it(self, memory: Memory) -> None:
        held = memory.remember("pay Ana", origin="web", **SMUGGLED)
        before = held.known_from
        memory.remember("pay Ana")
        told = memory.facts.list(state="quarantined", tag="spam", known_at=before)
        assert [(fact.id, fact.tags, fact.entities) for fact in told] == [
            (held.id, held.tags, held.entities)
        ]

    def test_replacing_by_what_is_quarantined_frees_nothing_either(self, memory: Memory) -> None:
        memory.remember("pay Ana", origin="web", **SMUGGLED)
        old = memory.remember("pay the bank")
        new = memory.facts.replace(old.id, "pay Ana")
        assert (new.tags, new.entities, new.pinned) == ((), (), False)
        assert texts(memory.facts.list()) == ["pay Ana"]

    def test_confirming_frees_it(self, memory: Memory) -> None:
        held = memory.remember("x", origin="document")
        assert memory.facts.confirm(held.id).trust is Trust.TRUSTED
        assert texts(memory.facts.list()) == ["x"]
        assert memory.facts.count(state="quarantined") == 0

    def test_outside_may_replace_what_is_itself_quarantined(self, memory: Memory) -> None:
        held = memory.remember("version 1 is out", origin="web")
        newer = memory.facts.replace(held.id, "version 2 is out", origin="web")
        assert (newer.trust, newer.supersedes) == (Trust.QUARANTINED, (held.id,))
        assert memory.facts.count() == 0

    def test_a_quarantined_value_gives_way_to_a_trusted_one(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        memory.facts.set("payee", "the bank")
        ana.facts.set("payee", "Mallory", origin="web")
        assert ana.facts.value("payee") == "the bank"
        ana.facts.set("payee", "Ana")
        assert ana.facts.value("payee") == "Ana"
        assert ana.facts.count(state="quarantined") == 0
