"""The effect of a candidate on known facts, case by case."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from erstwhile import Scope
from erstwhile.learning.candidate import Act
from erstwhile.types import Kind, Origin
from tests.learning.facts_and_candidates import SOON, THEN, change, changes, fact, say

CASES = [
    # A repeat, verbatim or in other words.
    ("The user lives in Lisbon.", "the user  lives in LISBON.", Act.REPEAT),
    ("Tests run with pytest in CI.", "In CI, tests run with pytest.", Act.REPEAT),
    ("The request timeout is 30 seconds.", "The request timeout is 30s.", Act.REPEAT),
    ("The user doesn't eat meat.", "The user does not eat meat.", Act.REPEAT),
    ("The user works at Siemens.", "The user is employed by Siemens.", Act.REPEAT),
    ("用户住在成都。", "用户仍然住在成都", Act.REPEAT),
    ("用户有两个孩子。", "用户有2个孩子。", Act.REPEAT),
    # Another value of what has one at a time.
    ("The user lives in Lisbon.", "The user moved to Porto.", Act.SUPERSEDE),
    ("The user works at Nokia.", "The user works at Ericsson.", Act.SUPERSEDE),
    ("The test API runs on port 5433.", "The test API runs on port 5440.", Act.SUPERSEDE),
    ("The API's current version is 1.2.", "The API's current version is 1.20.", Act.SUPERSEDE),
    ("The user prefers tea over coffee.", "The user prefers coffee over tea.", Act.SUPERSEDE),
    ("The user prefers tea.", "The user prefers coffee over tea.", Act.SUPERSEDE),
    ("The user is on branch feature/a.", "The user is on branch feature/b.", Act.SUPERSEDE),
    ("用户住在上海。", "用户搬到了杭州。", Act.SUPERSEDE),
    ("发布截止日期是三月十四日。", "发布截止日期是四月二日。", Act.SUPERSEDE),
    # The opposite of a preference, and what is no longer so.
    ("The user loves karaoke.", "The user hates karaoke.", Act.SUPERSEDE),
    ("The user likes tea.", "The user doesn't like tea.", Act.SUPERSEDE),
    ("The user can drive.", "The user can no longer drive.", Act.SUPERSEDE),
    ("用户喜欢吃香菜。", "用户不喜欢吃香菜。", Act.SUPERSEDE),
    ("用户吃肉。", "用户不再吃肉。", Act.SUPERSEDE),
    # A contradiction that nothing settles.
    ("The user can drive.", "The user can't drive.", Act.CONFLICT),
    ("The worker retries 3 times.", "The worker retries 5 times.", Act.CONFLICT),
    ("nginx listens on port 80.", "nginx listens on port 443.", Act.CONFLICT),
    ("Alice reports to Bob.", "Bob reports to Alice.", Act.CONFLICT),
    ("The user lives in Portugal.", "The user lives in Lisbon.", Act.CONFLICT),
    ("The user's brother lives in Oslo.", "The user's brother lives in Bergen.", Act.CONFLICT),
    ("该服务支持IPv6。", "该服务不支持IPv6。", Act.CONFLICT),
    # Narrower or broader.
    ("The user eats meat.", "The user doesn't eat red meat.", Act.ADD),
    ("The user likes coffee.", "The user dislikes coffee after 6 pm.", Act.ADD),
    ("The user has a dog called Rex.", "The user has a dog.", Act.ADD),
    ("用户住在浙江。", "用户住在浙江杭州。", Act.ADD),
    # Another subject.
    ("Ana lives in Lisbon.", "Anna lives in Porto.", Act.ADD),
    ("Adams lives in Leeds.", "Adam lives in Leeds.", Act.ADD),
    ("Server 1 is online.", "Server 2 is now online.", Act.ADD),
    ("小王住在上海。", "小汪住在上海。", Act.ADD),
    # Another time, or not simply so.
    ("The user lives in Lisbon.", "The user lived in Rome until 2015.", Act.ADD),
    ("The user lives in Lisbon.", "The user might move to Porto.", Act.ADD),
    ("The user works at Nokia.", "The user also works at Aalto.", Act.ADD),
    ("The user lives in Lisbon in winter.", "The user lives in Porto in summer.", Act.ADD),
    ("用户住在上海。", "用户以前住在北京。", Act.ADD),
    # Nothing to do with each other.
    ("The user prefers tea.", "The user prefers short answers.", Act.ADD),
    ("The linter is ruff.", "The linter is broken.", Act.ADD),
    ("用户在华为工作。", "用户在上海工作。", Act.ADD),
    ("The user lives in Lisbon.", "The user moved to Obsidian.", Act.ADD),
    ("The user lives in Lisbon.", "The user moved from Notion to Obsidian.", Act.ADD),
    ("The user works at Nokia.", "The user works at least 8 hours a day.", Act.CONFLICT),
    ("The user works for Siemens.", "The user works for Petra.", Act.CONFLICT),
    ("One of Ana's favourite films is Heat.", "One of Ana's favourite films is Alien.", Act.ADD),
    ("The file has 120 lines.", "The file has 300 lines.", Act.CONFLICT),
]  # fmt: skip


@pytest.mark.parametrize(("known", "said", "act"), CASES, ids=lambda value: str(value)[:40])
def test_what_one_statement_does_to_another(known: str, said: str, act: Act) -> None:
    """The fact changes if the act says so. The opposite of a fact is no evidence for it."""
    held = fact(known)
    made = change(said, held)
    assert (made.act, made.facts) == (act, () if act is Act.ADD else (held,))
    assert made.because


OTHER_LANGUAGES = [
    ("Der Nutzer wohnt in Berlin.", "Der Nutzer wohnt in Hamburg."),
    ("Der Nutzer isst Fleisch.", "Der Nutzer isst kein Fleisch."),
    ("L'utilisateur aime le café.", "L'utilisateur n'aime pas le café."),
    ("El usuario vive en Madrid.", "El usuario vive en Sevilla."),
    ("ユーザーは東京に住んでいる。", "ユーザーは大阪に住んでいる。"),
    ("Пользователь живёт в Москве.", "Пользователь не живёт в Москве."),
    ("사용자는 서울에 산다.", "사용자는 부산에 산다."),
]


@pytest.mark.parametrize(("known", "said"), OTHER_LANGUAGES)
def test_in_other_languages_nothing_is_merged_or_retired(known: str, said: str) -> None:
    """Verbatim repeats are found in all languages."""
    held = fact(known)
    assert change(said, held).act in (Act.ADD, Act.CONFLICT)
    assert change(known.upper(), held).act is Act.REPEAT


def test_a_changed_word_in_a_long_fact_is_a_change() -> None:
    """Texts with mostly equal words are not duplicates."""
    text = (
        "The weekly design review of the payments team is on {} at 10 in room Berlin, and Jo leads."
    )
    made = change(text.format("Friday"), held := fact(text.format("Tuesday")))
    assert (made.act, made.facts) == (Act.SUPERSEDE, (held,))


def test_chinese_repeats_are_found() -> None:
    """Also without any word in Latin letters."""
    assert change("用户爱喝咖啡。", fact("用户喜欢喝咖啡。")).act is Act.REPEAT


def test_similar_facts_about_two_things_both_stand() -> None:
    """A on port 8080, B on port 8081."""
    assert change("B runs on port 8081.", fact("A runs on port 8080.")).act is Act.ADD


def test_only_facts_of_the_very_scope_are_touched() -> None:
    """Neither a fact of another user nor a shared fact is repeated or retired."""
    scopes = [Scope(user="ben"), Scope(), Scope(user="ana", project="x")]
    known = [fact("The user lives in Lisbon.", scope=scope, key="home") for scope in scopes]
    for text in ("The user lives in Lisbon.", "The user lives in Porto."):
        made = change(say(text, key="home", replaces=(known[0].id,)), *known)
        assert (made.act, made.facts) == (Act.ADD, ())
        assert made.candidate.key == "home"


def test_a_state_said_again_is_renewed() -> None:
    """The repeat carries the new expiry."""
    held = fact("The user is on holiday.", kind=Kind.STATE, expires_at=SOON)
    said = say("The user is on holiday.", kind=Kind.STATE, expires_at=SOON + timedelta(days=7))
    made = change(said, held)
    assert (made.act, made.candidate.expires_at) == (Act.REPEAT, said.expires_at)


def test_a_passing_state_retires_no_lasting_fact() -> None:
    said = say("The user lives in Porto.", kind=Kind.STATE, expires_at=SOON)
    assert change(said, fact("The user lives in Lisbon.")).act is Act.CONFLICT


# Keys, values and ids that the candidate names.


def test_a_key_has_one_value() -> None:
    held = fact("The user is vegan.", key="diet")
    made = change(say("The user eats everything.", key="Diet"), held)
    assert (made.act, made.facts) == (Act.SUPERSEDE, (held,))


def test_a_key_is_given_up_where_its_value_must_stay() -> None:
    """With its key, the new fact would replace the value."""
    made = change(
        say("The user eats everything.", key="diet"), fact("Vegan.", key="diet", pinned=True)
    )
    assert (made.act, made.candidate.key) == (Act.CONFLICT, None)


def test_a_value_that_says_less_does_not_replace_one_that_says_more() -> None:
    held = fact("The user lives in Lisbon with her sister.", key="home")
    assert change(say("The user lives in Lisbon.", key="home"), held).act is Act.CONFLICT


@pytest.mark.parametrize(
    ("known", "said", "old", "act"),
    [
        ("The project uses npm.", "The project uses pnpm.", "npm", Act.SUPERSEDE),
        ("团队用 npm。", "团队改用 pnpm。", "npm", Act.SUPERSEDE),
        ("The project uses npm.", "The project uses pnpm in the frontend.", "npm", Act.CONFLICT),
        ("npm is slow here.", "The project uses pnpm.", "npm", Act.ADD),
        ("The docs site uses npm.", "The project uses pnpm.", "npm", Act.ADD),
    ],
)
def test_a_value_that_is_named_as_old(known: str, said: str, old: str, act: Act) -> None:
    """It is replaced if the rest of the statement is the same."""
    assert change(say(said, instead_of=(old,)), fact(known)).act is act


def test_an_old_value_ends_even_if_the_new_one_is_known() -> None:
    new, old = fact("The project uses pnpm."), fact("The project uses npm.")
    made = change(say("The project uses pnpm.", instead_of=("npm",)), new, old)
    assert (made.act, made.facts) == (Act.SUPERSEDE, (old,))


def test_an_id_that_a_model_names_is_believed_when_it_fits() -> None:
    """Of two statements that cannot both be true, it says which one is. Also by its short form."""
    held = fact("The worker retries 3 times.")
    for id in (held.id, held.short_id):
        made = change(say("The worker retries 5 times.", replaces=(id,)), held)
        assert (made.act, made.facts) == (Act.SUPERSEDE, (held,))


def test_an_id_of_the_same_subject_only_is_doubted() -> None:
    held = fact("The user is vegetarian.")
    made = change(say("The user plays chess.", replaces=(held.id,)), held)
    assert (made.act, made.facts) == (Act.CONFLICT, (held,))


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("The server has 8 cores.", "The user lives in Porto."),
        ("The user lives in Lisbon.", "The user will move to Porto in May."),
        ("The user has a dog called Rex.", "The user has a dog."),
    ],
)
def test_an_id_that_does_not_fit_is_ignored(known: str, said: str) -> None:
    """Another subject, another time, or less content; the reason says which."""
    made = change(say(said, replaces=((held := fact(known)).id,)), held)
    assert (made.act, made.facts) == (Act.ADD, ())
    assert ";" in made.because


def test_ids_that_are_unknown_retired_or_deleted_retire_nothing() -> None:
    """An invented id, the beginning of an id, or the id of a fact that ended."""
    held = fact("The user lives in Lisbon.")
    gone = [replace(held, retired_at=THEN, valid_to=THEN), replace(held, deleted_at=THEN)]
    for id, known in [("0000", held), (held.id[:6], held), *((held.id, each) for each in gone)]:
        made = change(say("The user drives a Vespa.", replaces=(id,)), known)
        assert (made.act, made.facts) == (Act.ADD, ())
        assert id in made.because


# Endings.


@pytest.mark.parametrize("text", ["The user has a dog.", "The user has a dog called Rex."])
def test_an_ending_names_one_fact(text: str) -> None:
    """With all of its content, or with a part of it."""
    held, other = fact("The user has a dog called Rex."), fact("The user has a cat.")
    made = change(say(text, ends=True), held, other)
    assert (made.act, made.facts) == (Act.END, (held,))


@pytest.mark.parametrize(
    "known", [[], ["The user has a cat."], ["The user has a dog called Rex."] * 2]
)
def test_an_ending_of_none_or_several_is_refused(known: list[str]) -> None:
    made = change(say("The user has a dog.", ends=True), *map(fact, known))
    assert (made.act, made.facts) == (Act.REFUSE, ())


def test_what_is_narrower_does_not_end_what_is_broader() -> None:
    made = change(
        say("The user drinks coffee in the evening.", ends=True), fact("The user drinks coffee.")
    )
    assert made.act is Act.REFUSE


# Several candidates of one turn.


def test_what_is_said_twice_in_a_turn_counts_once() -> None:
    """The second candidate sees the first before it is stored."""
    made = changes([say("The user likes tea."), say("The user really likes tea!")])
    assert [each.act for each in made] == [Act.ADD, Act.REFUSE]


def test_who_corrects_themselves_meant_the_last() -> None:
    """The first candidate is dropped, and the last one replaces the old fact."""
    held = fact("The user lives in Lisbon.")
    made = changes([say("The user lives in Porto."), say("The user lives in Braga.")], held)
    assert [each.act for each in made] == [Act.REFUSE, Act.SUPERSEDE]
    assert made[1].facts == (held,)


def test_the_assistant_corrects_nobody() -> None:
    made = changes(
        [say("The user lives in Porto."), say("The user lives in Braga.", origin=Origin.AGENT)]
    )
    assert [each.act for each in made] == [Act.ADD, Act.ADD]


def test_the_user_counts_more_than_the_assistant_that_said_it_first() -> None:
    made = changes([say("The user likes tea.", origin=Origin.AGENT), say("The user likes tea.")])
    assert [each.act for each in made] == [Act.REFUSE, Act.ADD]


def test_one_fact_is_retired_once() -> None:
    """Of two candidates that name the same old value, the second retires nothing."""
    said = [
        say("The project uses pnpm.", instead_of=("npm",)),
        say("The project uses npm.", ends=True),
    ]
    made = changes(said, fact("The project uses npm."))
    assert [each.act for each in made] == [Act.SUPERSEDE, Act.REFUSE]


def test_what_is_taken_back_in_the_same_turn_is_not_stored() -> None:
    made = changes([say("The user has a dog."), say("The user has a dog.", ends=True)])
    assert [each.act for each in made] == [Act.REFUSE, Act.REFUSE]
