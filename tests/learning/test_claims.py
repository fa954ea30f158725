"""What a model claims to replace or to end, and what the sentence says about it."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.candidate import Act, Change
from erstwhile.types import Ending, Kind, Origin
from tests.learning.facts_and_candidates import change, changes, fact, say


def replacing(sentence: str, text: str, *old: Fact, quote: str = "", **details: Any) -> Candidate:
    """Return a statement that a model says replaces the old facts."""
    ids = tuple(each.id for each in old)
    return say(text, replaces=ids, sentence=sentence, quote=quote or sentence, **details)


def ending(sentence: str, old: Fact, quote: str = "") -> Candidate:
    quote = quote or sentence
    return say(old.text, replaces=(old.id,), ends=True, sentence=sentence, quote=quote)


def replaced(sentence: str, text: str, known: str, **details: Any) -> Change:
    old = fact(known)
    return change(replacing(sentence, text, old, **details), old)


# One more of what the user may have several of.

ONE_MORE = [
    ("We got a cat from the shelter, she's called Pepper.",
     "The user has a cat called Miso", "The user has a cat called Pepper"),
    ("I speak Polish now.", "The user speaks German", "The user speaks Polish"),
    ("Wir haben jetzt einen Hund, Rex.",
     "Der Nutzer hat einen Hund namens Bello", "Der Nutzer hat einen Hund namens Rex"),
    ("Tengo otro gato, Nico.", "The user has a cat called Trufa", "The user has a cat called Nico"),
    ("Maintenant, j'adore la poterie.",
     "L'utilisateur aime l'escalade", "L'utilisateur aime la poterie"),
    ("我会说西班牙语啦", "用户会说法语", "用户会说西班牙语"),
    ("もう一匹犬を迎えました。",
     "ユーザーはコロという犬を飼っている", "ユーザーはハナという犬を飼っている"),
    ("보리라는 강아지를 데려왔어요.",
     "사용자는 초코라는 강아지를 키운다", "사용자는 보리라는 강아지를 키운다"),
    ("I started working on project Beta.",
     "The user works on project Alpha", "The user works on project Beta"),
    ("I'm allergic to penicillin now.",
     "The user is allergic to nuts", "The user is allergic to penicillin"),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "known", "said"), ONE_MORE)
def test_one_more_stays_beside_the_first(sentence: str, known: str, said: str) -> None:
    assert replaced(sentence, said, known).act in (Act.ADD, Act.CONFLICT)


def test_a_value_beside_the_value_of_a_key_replaces_nothing() -> None:
    held = fact("The user works at Acme", key="employer")
    said = replacing("I also work at Globex.", "The user works at Globex", held, key="employer")
    made = change(said, held)
    assert (made.act, made.candidate.key) == (Act.ADD, None)


# What changed, in the words of the sentence.

CHANGED = [
    ("I drive a Tesla now.", "The user drives a Volvo", "The user drives a Tesla"),
    ("We swapped the Honda for a Tesla.", "The user has a Honda", "The user has a Tesla"),
    ("Ich fahre inzwischen einen Tesla.", "The user drives a Volvo", "The user drives a Tesla"),
    ("今はピクセルを使っています。", "The user uses an iPhone", "The user uses a Pixel"),
    ("Jag har slutat på Strandkrogen och jobbar nu i Lund.",
     "Användaren jobbar på Strandkrogen", "Användaren jobbar i Lund"),
    ("Tiene 9 años.", "La hija del usuario tiene 8 años", "La hija del usuario tiene 9 años"),
    ("Мы переехали в Тверь.", "The user lives in Kazan", "The user moved to Tver in May 2026"),
    ("I take my coffee black now.",
     "The user drinks coffee with milk", "The user takes coffee black"),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "known", "said"), CHANGED)
def test_a_change_that_the_sentence_tells_is_believed(sentence: str, known: str, said: str) -> None:
    """In any language, in other words, and without a key."""
    made = replaced(sentence, said, known)
    assert (made.act, made.ending) == (Act.SUPERSEDE, Ending.SUPERSEDED)


def test_another_time_in_a_subordinate_clause_blocks_nothing() -> None:
    said = "The user drives a Tesla, which they bought last week and want to repaint"
    assert replaced("I drive a Tesla now.", said, "The user drives a Volvo").act is Act.SUPERSEDE
    said = "The user used to drive a Tesla"
    assert replaced("I used to drive a Tesla.", said, "The user drives a Volvo").act is Act.ADD


# What retires nothing.

RETIRES_NOTHING = [
    ("If I moved to Tokyo, I would need a visa.", "I moved to Tokyo"),
    ("We're moving to Tokyo in September.", "We're moving to Tokyo"),
    ("I'm in Tokyo until Friday.", "I'm in Tokyo"),
    ("My brother moved to Tokyo last month.", "moved to Tokyo"),
    ("Mi prima se ha mudado a Tokio y ha dejado la carrera.", "se ha mudado a Tokio"),
    ("兄が東京に引っ越しました。", "東京に引っ越しました"),
    ("我没有搬到东京。", "搬到东京"),
    ("Wir sind nicht nach Tokio umgezogen.", "nach Tokio umgezogen"),
    ("Maybe I moved to Tokyo too soon.", "I moved to Tokyo"),
    ("Se vivessi a Tokyo, quanto spenderei?", "vivessi a Tokyo"),
    ("До пятницы я в командировке в Токио.", "я в командировке в Токио"),
]


@pytest.mark.parametrize(("sentence", "quote"), RETIRES_NOTHING)
def test_what_is_not_said_of_the_user_now_retires_nothing(sentence: str, quote: str) -> None:
    """A condition, a plan, a visit, somebody else's news, a denial, a guess."""
    held = fact("The user lives in Lisbon", key="home")
    said = replacing(sentence, "The user lives in Tokyo", held, quote=quote, key="home")
    made = change(said, held)
    assert made.act in (Act.ADD, Act.CONFLICT)
    assert made.candidate.key is None


def test_what_one_does_together_with_others_is_ones_own() -> None:
    held = fact("The user lives in Lisbon", key="home")
    for sentence in ("My wife and I moved to Porto.", "We moved, because my brother lives there."):
        said = replacing(sentence, "The user lives in Porto", held, key="home")
        assert change(said, held).act is Act.SUPERSEDE


# Several facts claimed for one sentence.


def test_of_several_facts_the_sentence_changes_those_that_it_is_about() -> None:
    home = fact("El usuario vive en Valencia", key="home")
    partner = fact("El usuario vive con su pareja", kind=Kind.RELATION)
    office = fact("El usuario trabaja desde casa")
    said = replacing(
        "Nos mudamos a Bilbao.", "El usuario vive en Bilbao", home, partner, office, key="home"
    )
    assert change(said, partner, office, home).facts == (home,)


def test_without_a_key_the_fact_with_the_most_of_it_is_meant() -> None:
    name = fact("The user's dog is called Baxtre")
    breed = fact("The user's dog is a beagle")
    said = replacing("Typo, it's Baxter.", "The user's dog is called Baxter", breed, name)
    made = change(said, breed, name)
    assert (made.facts, made.ending) == ((name,), Ending.WRONG)


def test_the_value_of_another_key_is_another_matter() -> None:
    job = fact("The user is an analyst", key="occupation")
    said = replacing("I work at Contoso now.", "The user works at Contoso", job, key="employer")
    assert change(said, job).act is Act.ADD


# Endings.

ENDED = [
    ("I sold my car yesterday.", "The user has a Honda Civic"),
    ("Ya no tengo Netflix.", "El usuario tiene una suscripción a Netflix"),
    ("我戒烟了！", "用户每天抽一包烟"),
    ("Spor salonu üyeliğimi iptal ettim.", "Kullanıcı spor salonuna üye"),
    ("Je ne fais plus de théâtre.", "The user does amateur theatre on Tuesdays"),
]
NOT_ENDED = [
    ("I haven't quit the orchestra.", "The user plays in an orchestra"),
    ("Non, je n'ai pas vendu la Clio.", "The user drives a Clio"),
    ("Ich habe mit Schwedisch nicht aufgehört.", "The user learns Swedish"),
    ("引っ越していませんよ。", "ユーザーは名古屋で暮らしている"),
    ("The children are very sad.", "The user has two guinea pigs"),
    ("I'm going to sell the car next year.", "The user has a Honda Civic"),
    ("My neighbour sold his car.", "The user has a Honda Civic"),
    ("Om jag slutade äta kött, hur skulle jag få järn?", "The user eats meat"),
]


@pytest.mark.parametrize(("sentence", "known"), ENDED)
def test_an_ending_rests_on_its_own_words(sentence: str, known: str) -> None:
    """They need not name the fact."""
    held = fact(known)
    made = change(ending(sentence, held), held)
    assert (made.act, made.facts, made.ending) == (Act.END, (held,), Ending.SUPERSEDED)


@pytest.mark.parametrize(("sentence", "known"), NOT_ENDED)
def test_what_no_words_end_goes_on(sentence: str, known: str) -> None:
    held = fact(known)
    assert change(ending(sentence, held), held).act is Act.REFUSE


def test_one_sentence_ends_what_it_names_and_nothing_else() -> None:
    castle, home = fact("The user bought a castle"), fact("The user lives in Galway", key="home")
    joke = "I was joking about the castle, happy April Fools!"
    said = [ending(joke, home, quote="I was joking"), ending(joke, castle)]
    made = changes(said, castle, home)
    assert [each.act for each in made] == [Act.REFUSE, Act.END]
    assert made[1].ending is Ending.WRONG


def test_of_facts_that_a_sentence_does_not_name_the_first_ends() -> None:
    car, bike = fact("The user drives a Honda Civic"), fact("The user cycles a lot")
    said = [ending("I sold everything yesterday.", each) for each in (car, bike)]
    assert [each.act for each in changes(said, bike, car)] == [Act.END, Act.REFUSE]


def test_two_facts_that_a_sentence_names_both_end() -> None:
    car, bike = fact("The user has a Honda"), fact("The user has a Vespa")
    said = [ending("I sold the Honda and the Vespa.", each) for each in (car, bike)]
    assert [each.act for each in changes(said, bike, car)] == [Act.END, Act.END]


# Corrections.

CORRECTIONS = ["Typo, it's Postgres.", "Das war falsch, es ist Postgres.", "打错了，是Postgres。"]


@pytest.mark.parametrize("sentence", CORRECTIONS)
def test_what_is_corrected_was_never_true(sentence: str) -> None:
    made = replaced(sentence, "The shop uses Postgres", "The shop uses MySQL")
    assert (made.act, made.ending) == (Act.SUPERSEDE, Ending.WRONG)


def test_a_respelled_name_was_never_right() -> None:
    sentence = "My name is Nguyen, not Nuygen."
    made = replaced(sentence, "The user's name is Nguyen", "The user's name is Nuygen")
    assert made.ending is Ending.WRONG


def test_a_change_to_a_similar_name_is_no_respelling() -> None:
    sentence = "We switched from npm to pnpm."
    made = replaced(sentence, "The team uses pnpm", "The team uses npm")
    assert (made.act, made.ending) == (Act.SUPERSEDE, Ending.SUPERSEDED)


def test_a_page_ends_and_corrects_nothing_that_a_person_said() -> None:
    held = fact("The user lives in Lisbon", key="home")
    for origin in (Origin.TOOL, Origin.WEB, Origin.DOCUMENT):
        words = "Correction: I no longer live in Lisbon."
        over = say(
            held.text, replaces=(held.id,), ends=True, sentence=words, quote=words, origin=origin
        )
        assert change(over, held).act is Act.REFUSE
        moved = replacing(words, "The user lives in Rome", held, origin=origin, key="home")
        assert change(moved, held).act is Act.ADD


def test_what_is_left_out_for_a_while_does_not_end() -> None:
    trains = fact("The user trains with weights three times a week")
    assert change(ending("So no squats this week.", trains), trains).act is Act.REFUSE
    assert change(ending("I quit training with weights this week.", trains), trains).act is Act.END


def test_a_value_that_the_quotation_denies_replaces_nothing() -> None:
    diet = fact("The user is vegetarian", key="diet")
    denied = replacing("Steak isn't an option.", "The user eats steak", diet, key="diet")
    assert change(denied, diet).act is Act.CONFLICT
    stated = replacing("Steak is an option again.", "The user eats steak", diet, key="diet")
    assert change(stated, diet).act is Act.SUPERSEDE


def test_in_the_is_no_denial_in_portuguese() -> None:
    home = fact("O utilizador mora em Coimbra", key="home")
    moved = "Mudámo-nos para Braga no fim de semana"
    made = change(replacing(moved, "O utilizador mora em Braga", home, key="home"), home)
    assert made.act is Act.SUPERSEDE


def test_a_correction_may_name_whose_it_is() -> None:
    gluten = fact("The user avoids gluten")
    made = change(ending("I got that mixed up, gluten is my brother's thing.", gluten), gluten)
    assert (made.act, made.ending) == (Act.END, Ending.WRONG)
