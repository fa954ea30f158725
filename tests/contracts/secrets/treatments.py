"""A memory can refuse texts with secrets, warn of them, or leave rules out."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.errors import InvalidInputError, RefusedError
from erstwhile.core.policies import parse_secrets
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Viewer
from erstwhile.decisions.decision import Decision
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, unchanged

STRIPE = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
CLOUD = "AKIAIOSFODNN7EXAMPLE"
Treating = Callable[[str], Memory]


class TreatmentOfSecrets(Contract):
    @pytest.fixture
    def treating(self, engine: Engine, clock: FakeClock) -> Treating:
        def opened(setting: str) -> Memory:
            memory = assemble(engine, clock, Viewer(), secrets=parse_secrets(setting))
            return memory.scoped(user="ana")

        return opened

    def test_a_text_with_a_secret_is_refused_with_its_rule(self, treating: Treating) -> None:
        ana = treating("refuse")
        ana.blocks.add("login", "my password is")
        turn = ana.conversations.add("user", "hello")
        changes: list[Callable[[], object]] = [
            lambda: ana.remember(f"deploy with {STRIPE}"),
            lambda: ana.remember_many(["fine", f"deploy with {STRIPE}"]),
            lambda: ana.remember("deploy", metadata={"api_key": "anything"}),
            lambda: ana.conversations.add("user", f"use {STRIPE}"),
            lambda: ana.conversations.close(turn.conversation, f"used {STRIPE}"),
            lambda: ana.observe_turn(f"use {STRIPE}", "done"),
            lambda: ana.blocks.append("login", "hunter2xyz9"),
            lambda: ana.tasks.add(f"rotate {STRIPE}"),
            lambda: ana.decisions.record(
                Decision(goal="g", tool="Bash", input={"command": STRIPE}, choice="deny")
            ),
        ]
        with unchanged(ana):
            for change in changes:
                with pytest.raises(RefusedError, match=r"secret \([a-z-]+\)") as raised:
                    change()
                assert STRIPE not in str(raised.value)
                assert "keep RULE" in raised.value.remedy

    def test_a_question_is_masked_and_the_next_change_is_not_refused(
        self, treating: Treating
    ) -> None:
        ana = treating("refuse")
        ana.remember("Ana deploys on Fridays")
        assert not ana.recall(f"who knows {STRIPE}?")
        assert STRIPE not in ana.context(f"what about {STRIPE}?").text
        with pytest.raises(InvalidInputError):  # before the change is judged
            ana.remember(f"deploy with {STRIPE}", confidence=7)
        assert ana.remember("Ana rows").text == "Ana rows"

    def test_what_is_masked_already_is_no_secret(self, treating: Treating) -> None:
        fact = treating("mask").remember(f"deploy with {STRIPE}")
        ana = treating("refuse")
        assert ana.facts.confirm(fact.id).text == fact.text
        assert ana.facts.replace(fact.id, f"{fact.text} and care").text.endswith("care")

    def test_a_warning_names_the_rule_and_not_the_secret(
        self, treating: Treating, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.WARNING, "erstwhile"):
            assert STRIPE not in treating("warn").remember(f"deploy with {STRIPE}").text
            treating("warn").remember("Ana rows")
        assert [record.getMessage() for record in caplog.records] == [
            "a secret was masked (stripe-key)"
        ]

    def test_a_rule_that_is_kept_finds_no_secret(self, treating: Treating) -> None:
        """The other rules still do, and so does a memory without the exception."""
        ana = treating("refuse, keep stripe-key")
        kept = ana.remember(f"deploy with {STRIPE}")
        assert kept.text == f"deploy with {STRIPE}"
        assert ana.recall(f"deploy with {STRIPE}")[0].fact == kept
        assert STRIPE not in repr(kept)
        with pytest.raises(RefusedError, match="aws-access-key"):
            ana.remember(f"deploy with {STRIPE} and {CLOUD}")
        assert STRIPE not in treating("mask").remember(f"again {STRIPE}").text
