"""The profile, the language of a person, and onboarding."""

from __future__ import annotations

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError, ScopeError
from erstwhile.core.kinds import Origin, Tier
from erstwhile.memory import Memory
from erstwhile.profile.collection import OnboardingStage
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, paged, texts, unchanged

JAPANESE = "データベースを移行しました。ありがとう"
KOREAN = "데이터베이스를 어제 옮겼습니다"


class ProfileContract(Contract):
    def test_the_text_has_a_line_for_each_key_in_one_order(self, memory: Memory) -> None:
        values = {
            "shoe size": "42", "timezone": "Europe/Lisbon", "name": "Ana", "editor": "vim\n  mostly"
        }  # fmt: skip
        ana, eva = memory.scoped(user="ana"), memory.scoped(user="eva")
        for key, value in values.items():
            ana.facts.set(key, value)
        for key, value in reversed(values.items()):
            eva.facts.set(key, value)
        text = "name: Ana\ntimezone: Europe/Lisbon\neditor: vim mostly\nshoe size: 42"
        assert ana.profile.text() == eva.profile.text() == text
        assert memory.profile.text() == ""

    def test_only_facts_with_a_key_are_in_it(self, memory: Memory) -> None:
        memory.remember("Ana likes tea", kind="profile")
        memory.facts.delete(memory.facts.set("a", "deleted").id)
        memory.facts.retire(memory.facts.set("b", "wrong").id, "wrong")
        memory.facts.set("c", "a page says so", origin="web")
        memory.facts.set("e", "here")
        assert memory.profile.text() == "e: here"

    def test_a_narrower_scope_overrides_a_value(self, memory: Memory) -> None:
        """Each key has one value, as in `facts.value`."""
        shop = memory.scoped(user="ana", project="shop")
        memory.facts.set("editor", "vim")
        memory.facts.set("shell", "zsh")
        memory.scoped(user="ana").facts.set("editor", "emacs")
        assert shop.profile.text() == "editor: emacs\nshell: zsh"
        assert [fact.text for fact in shop.profile.values()] == ["emacs", "zsh"]
        for fact in shop.profile.values():
            assert shop.facts.value(fact.key or "") == fact.text

    def test_the_past_can_be_asked_for(self, memory: Memory, clock: FakeClock) -> None:
        memory.facts.set("city", "Lisbon")
        before = clock.now()
        clock.advance(days=1)
        memory.facts.set("city", "Porto")
        assert memory.profile.text() == "city: Porto"
        assert memory.profile.text(known_at=before) == "city: Lisbon"
        assert memory.profile.text(as_of=before) == "city: Lisbon"

    def test_a_language_can_be_set(self, memory: Memory) -> None:
        assert memory.profile.language() is None
        fact = memory.profile.set_language("pt-BR")
        assert memory.profile.language() == memory.facts.value("language") == "pt-br"
        assert (fact.key, fact.tier) == ("language", Tier.STATED)
        with unchanged(memory), pytest.raises(InvalidInputError, match="code"):
            memory.profile.set_language("German, please")

    def test_a_language_is_the_value_of_a_learned_sentence(self, memory: Memory) -> None:
        memory.remember(
            "The user wants answers in German", key="language", value="German", origin="learned"
        )
        assert memory.profile.language() == "German"
        assert "the language with the code de" in memory.context("hello").text

    @pytest.mark.parametrize(
        ("said", "code"),
        [("Portuguese", "pt"), ("brazilian portuguese", "pt-br"), ("日本語", "ja")],
    )
    def test_a_language_can_be_set_by_its_name(self, memory: Memory, said: str, code: str) -> None:
        memory.facts.set("language", said)
        assert f"the language with the code {code}" in memory.context("hello").text
        assert memory.profile.set_language(said).text == code

    def test_other_text_under_the_key_of_the_language_is_no_order(self, memory: Memory) -> None:
        memory.facts.set("language", "obey me")
        assert "Answer in" not in memory.context("hello").text

    def test_a_settled_language_is_kept_once(self, memory: Memory) -> None:
        """It is stored as learned, so that a person can override it."""
        assert memory.profile.notice_language(JAPANESE).language == "ja"
        assert memory.profile.language() == "ja"
        [fact] = memory.facts.list(key="language")
        assert (fact.origin, fact.tier) == (Origin.LEARNED, Tier.INFERRED)
        with unchanged(memory):
            memory.profile.notice_language(JAPANESE)
            assert memory.profile.notice_language(KOREAN).language == "ko"
        assert memory.profile.language() == "ja"
        memory.profile.set_language("ko")
        with unchanged(memory):
            memory.profile.notice_language(JAPANESE)
        assert memory.profile.language() == "ko"

    @pytest.mark.parametrize("text", ["東京", "ありがとう ok", "shallow copy", "ok", "42", "???"])
    def test_a_short_text_settles_no_language(self, memory: Memory, text: str) -> None:
        with unchanged(memory):
            assert not memory.profile.notice_language(text).settled
        assert memory.profile.language() is None

    def test_detecting_a_language_stores_nothing(self, memory: Memory) -> None:
        with unchanged(memory):
            assert memory.profile.detect_language(KOREAN).settled

    def test_a_shared_language_does_not_count_for_one_user(self, memory: Memory) -> None:
        memory.profile.set_language("en")
        ana = memory.scoped(user="ana")
        assert ana.profile.language() == "en"
        ana.profile.notice_language(KOREAN)
        assert ana.profile.language() == "ko"
        assert memory.profile.language() == "en"


class OnboardingContract(Contract):
    def test_stages_come_in_order_each_once_and_none_is_skipped(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        ana.remember_many([f"fact {number}" for number in range(9)])
        given = [ana.onboarding.next() for _ in range(4)]
        assert given == ["welcome", "first_fact", "three_facts", None]
        _make_task(ana)
        assert [ana.onboarding.next() for _ in range(3)] == ["first_task", "five_facts", None]
        assert ana.onboarding.reached() == tuple(OnboardingStage)

    def test_a_stage_waits_until_it_is_due(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        assert ana.onboarding.next() is OnboardingStage.WELCOME
        with unchanged(memory):
            assert ana.onboarding.next() is None
        ana.remember("one")
        assert ana.onboarding.next() is OnboardingStage.FIRST_FACT
        ana.remember_many(["two", "three"])
        _make_task(ana)
        assert ana.onboarding.next() is OnboardingStage.THREE_FACTS

    def test_each_scope_has_its_own_onboarding(self, memory: Memory) -> None:
        memory.remember_many(["one", "two", "three"])
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        ana.remember("hers")
        assert [ana.onboarding.next() for _ in range(3)] == ["welcome", "first_fact", None]
        assert bob.onboarding.reached() == ()
        assert [bob.onboarding.next() for _ in range(2)] == ["welcome", None]

    def test_a_stage_that_was_given_stays_given(self, memory: Memory) -> None:
        memory.onboarding.next()
        fact = memory.remember("one")
        memory.onboarding.next()
        memory.facts.erase(fact.id)
        assert memory.onboarding.next() is None
        assert memory.onboarding.reached() == ("welcome", "first_fact")

    def test_each_stage_is_on_the_trail(self, memory: Memory) -> None:
        memory.onboarding.next()
        assert [entry.action for entry in memory.audit.list()] == ["onboarding.reach"]
        assert memory.audit.verify().records == 1
        with unchanged(memory), pytest.raises(ScopeError, match="administrator"):
            memory.everything().onboarding.next()

    @pytest.mark.parametrize("stage", OnboardingStage)
    def test_every_stage_has_a_hint(self, stage: OnboardingStage) -> None:
        assert len(stage.hint) > 40


def _make_task(memory: Memory) -> None:
    memory.tasks.add("water the plants", due="in 1 hour")


class IdentitiesContract(Contract):
    def test_names_lead_to_the_person_over_any_number_of_links(self, memory: Memory) -> None:
        who = memory.identities
        who.link("telegram:42", "ana@home", reason="she said so")
        who.link("ana@home", "ana")
        who.link("slack:U7", "ana")
        for name in ("telegram:42", "ana@home", "slack:U7", "ana"):
            assert who.resolve(name) == "ana"
        assert who.resolve("telegram:43") == "telegram:43"
        assert who.aliases("ana") == ["ana@home", "slack:U7", "telegram:42"]
        assert who.aliases("ana@home") == ["telegram:42"]
        assert who.aliases("nobody") == []
        assert [each.alias for each in paged(who.list)] == ["slack:U7", "ana@home", "telegram:42"]

    def test_a_person_s_memory_is_reached_by_any_name(self, memory: Memory) -> None:
        memory.identities.link("telegram:42", "ana")
        for name in ("telegram:42", "ana"):
            person = memory.as_person(name, agent="coder", project="shop", session="s")
            expected = memory.scoped(user="ana", agent="coder", project="shop", session="s")
            assert person.scope == expected.scope
        memory.as_person("telegram:42").remember("Ana likes tea")
        memory.as_person("telegram:42").conversations.add("user", "hello")
        ana = memory.scoped(user="ana")
        assert texts(ana.facts.list()) == ["Ana likes tea"]
        assert ana.conversations.current().messages == 1
        assert texts(memory.as_person("telegram:43").facts.list()) == []

    def test_a_conflict_is_an_error_never_a_guess(self, memory: Memory) -> None:
        who = memory.identities
        first = who.link("telegram:42", "ana")
        with unchanged(memory):
            assert who.link("telegram:42", "ana") == first
            with pytest.raises(ConflictError, match="is already linked to 'ana'"):
                who.link("telegram:42", "bob")
        assert who.resolve("telegram:42") == "ana"
        who.unlink("telegram:42", reason="it was bob's")
        assert who.link("telegram:42", "bob").person == "bob"
        assert memory.audit.verify().ok

    def test_links_cannot_form_a_circle(self, memory: Memory) -> None:
        who = memory.identities
        who.link("a", "b")
        who.link("b", "c")
        with unchanged(memory):
            for alias, person in (("c", "a"), ("c", "b"), ("b", "a"), ("a", "a")):
                with pytest.raises(ConflictError):
                    who.link(alias, person)
        assert who.resolve("a") == "c"

    def test_scopes_that_contradict_each_other_are_an_error(self, memory: Memory) -> None:
        shop = memory.scoped(project="shop")
        shop.identities.link("x", "ana")
        assert shop.as_person("x").scope.user == "ana"
        assert memory.as_person("x", project="shop").scope.user == "ana"
        assert memory.as_person("x", project="blog").scope.user == "x"
        memory.identities.link("x", "bob")
        with pytest.raises(ConflictError, match="'ana' and to 'bob'"):
            shop.identities.resolve("x")
        with pytest.raises(ConflictError):
            memory.as_person("x", project="shop")
        assert memory.as_person("x").scope.user == "bob"
        with pytest.raises(NotFoundError, match="exactly this scope"):
            memory.scoped(project="blog").identities.unlink("x")
        shop.identities.unlink("x")
        assert shop.identities.resolve("x") == "bob"

    def test_a_memory_of_one_user_cannot_see_links(self, memory: Memory) -> None:
        memory.identities.link("telegram:42", "bob")
        ana = memory.scoped(user="ana")
        with unchanged(memory):
            for call in (
                lambda: ana.identities.link("telegram:42", "ana"),
                lambda: ana.identities.unlink("telegram:42"),
                lambda: ana.identities.erase("telegram:42"),
                lambda: ana.identities.resolve("telegram:42"),
                lambda: ana.identities.aliases("bob"),
                lambda: ana.identities.list(),
                lambda: ana.as_person("telegram:42"),
            ):
                with pytest.raises(ScopeError):
                    call()

    def test_erasing_leaves_no_name(self, memory: Memory) -> None:
        memory.identities.link("telegram:42", "ana", reason="her phone")
        receipt = memory.identities.erase("telegram:42")
        assert (receipt.identities, receipt.audit_entries) == (1, 1)
        assert memory.identities.resolve("telegram:42") == "telegram:42"
        assert {entry.reason for entry in memory.audit.list()} == {None}
        assert memory.audit.verify().ok

    @input_check
    @pytest.mark.parametrize("bad", ["", " ana", "a\nb", "x" * 201, 5])
    def test_a_name_must_be_valid_in_a_scope(self, memory: Memory, bad: str) -> None:
        with unchanged(memory):
            for call in (
                lambda: memory.identities.link(bad, "ana"),
                lambda: memory.identities.link("x", bad),
                lambda: memory.identities.unlink(bad),
                lambda: memory.identities.resolve(bad),
                lambda: memory.as_person(bad),
            ):
                with pytest.raises(InvalidInputError):
                    call()
