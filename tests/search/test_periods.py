"""The period that a query names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.core.time import EPOCH
from erstwhile.search import periods
from erstwhile.search.periods import named_event, named_period

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("Where was she in May 2025?", "2025-05-01", "2025-06-01"),
        ("where was she in may", "2025-05-01", "2025-06-01"),
        ("what happened in February", "2026-02-01", "2026-03-01"),
        ("in Dec 2024", "2024-12-01", "2025-01-01"),
        ("on 7 May 2023", "2023-05-07", "2023-05-08"),
        ("on May 7th, 2023", "2023-05-07", "2023-05-08"),
        ("2024-02", "2024-02-01", "2024-03-01"),
        ("on 2024-02-29 we met", "2024-02-29", "2024-03-01"),
        ("back in 2019", "2019-01-01", "2020-01-01"),
        ("2024年5月他在哪里", "2024-05-01", "2024-06-01"),
        ("2024年12月3日", "2024-12-03", "2024-12-04"),
        ("2023年", "2023-01-01", "2024-01-01"),
        ("yesterday", "2026-03-14", "2026-03-15"),
        ("Where did she use to live? She used to…", EPOCH.isoformat(), NOW.isoformat()),
        ("previously", EPOCH.isoformat(), NOW.isoformat()),
        ("以前住在哪里", EPOCH.isoformat(), NOW.isoformat()),
        ("かつて", EPOCH.isoformat(), NOW.isoformat()),
    ],
)
def test_a_period_is_read(question: str, start: str, end: str) -> None:
    assert named_period(question, NOW) == (day(start), day(end))


@pytest.mark.parametrize(
    "question", ["last week", "last month", "last year", "上周", "上个月", "去年"]
)
def test_a_relative_period_ends_today_at_the_latest(question: str) -> None:
    period = named_period(f"what did we do {question}?", NOW)
    assert period is not None
    assert period[0] < period[1] <= NOW


@pytest.mark.parametrize(
    "question",
    ["What does Ana prefer?", "may I ask", "march on", "version 2024.1 of it", "9999", "2025-13-45",
     "on 31 February 2025", "currently", "", "the secretary of state", "decide"],
)  # fmt: skip
def test_no_period_is_read_into_a_question(question: str) -> None:
    assert named_period(question, NOW) is None


@given(
    st.text()
    | st.from_regex(r"in (may|dec) \d{4}|\d{1,2} feb \d{4}|20\d\d-\d\d-\d\d|\d{4}年\d\d月")
)
def test_any_question_is_read(question: str) -> None:
    period = named_period(question, NOW)
    assert (
        period is None
        or period[0] < period[1] <= period[0] + timedelta(days=366)
        or period[1] == NOW
    )


YESTERDAY = "2026-03-14", "2026-03-15"
LAST_WEEK = "2026-03-02", "2026-03-15"
TWO_MONTHS_AGO = "2026-01-01", "2026-02-01"
MAY_2025 = "2025-05-01", "2025-06-01"
SEVENTH = "2023-05-07", "2023-05-08"
PAST_THREE_MONTHS = "2025-12-12", "2026-03-15T12:00"
LAST_SUMMER = "2025-06-01", "2025-09-01"
LAST_WEDNESDAY = "2026-03-11", "2026-03-12"


@pytest.mark.parametrize(
    ("question", "period"),
    [
        ("What did I do yesterday?", YESTERDAY),
        ("Was habe ich gestern gemacht?", YESTERDAY),
        ("¿Qué hice ayer?", YESTERDAY),
        ("Qu'est-ce que j'ai fait hier ?", YESTERDAY),
        ("我昨天做了什么？", YESTERDAY),
        ("昨日は何をしましたか", YESTERDAY),
        ("Wen habe ich letzte Woche getroffen?", LAST_WEEK),
        ("¿A quién vi la semana pasada?", LAST_WEEK),
        ("Qui ai-je vu la semaine dernière ?", LAST_WEEK),
        ("上周我见了谁", LAST_WEEK),
        ("先週誰に会いましたか", LAST_WEEK),
        ("Who called on the Wednesday two months ago?", TWO_MONTHS_AGO),
        ("Wer hat vor zwei Monaten angerufen?", TWO_MONTHS_AGO),
        ("¿Quién llamó hace dos meses?", TWO_MONTHS_AGO),
        ("Qui a appelé il y a deux mois ?", TWO_MONTHS_AGO),
        ("两个月前谁打电话了", TWO_MONTHS_AGO),
        ("2ヶ月前に誰が電話しましたか", TWO_MONTHS_AGO),
        ("Wo war ich im Mai?", MAY_2025),
        ("¿Dónde estuve en mayo de 2025?", MAY_2025),
        ("Où étais-je en mai 2025 ?", MAY_2025),
        ("2025年5月にどこにいましたか", MAY_2025),
        ("Was geschah am 7. Mai 2023?", SEVENTH),
        ("¿Qué pasó el 7 de mayo de 2023?", SEVENTH),
        ("Que s'est-il passé le 7 mai 2023 ?", SEVENTH),
        ("What have I read in the last three months?", PAST_THREE_MONTHS),
        ("Was habe ich in den letzten drei Monaten gelesen?", PAST_THREE_MONTHS),
        ("¿Qué he leído en los últimos 3 meses?", PAST_THREE_MONTHS),
        ("Qu'ai-je lu ces trois derniers mois ?", PAST_THREE_MONTHS),
        ("过去三个月我读了什么", PAST_THREE_MONTHS),
        ("過去3ヶ月に何を読みましたか", PAST_THREE_MONTHS),
        ("How often did I swim in the past month?", ("2026-02-12", "2026-03-15T12:00")),
        ("Where did we go last summer?", LAST_SUMMER),
        ("Wohin fuhren wir letzten Sommer?", LAST_SUMMER),
        ("¿Adónde fuimos el verano pasado?", LAST_SUMMER),
        ("Où sommes-nous allés l'été dernier ?", LAST_SUMMER),
        ("去年夏天我们去了哪里", LAST_SUMMER),
        ("去年の夏どこへ行きましたか", LAST_SUMMER),
        ("Where did we go last winter?", ("2025-12-01", "2026-03-01")),
        ("Whom did I meet last Wednesday?", LAST_WEDNESDAY),
        ("Wen traf ich letzten Mittwoch?", LAST_WEDNESDAY),
        ("¿A quién vi el miércoles pasado?", LAST_WEDNESDAY),
        ("Qui ai-je vu mercredi dernier ?", LAST_WEDNESDAY),
    ],
)
def test_a_period_is_read_in_six_languages(question: str, period: tuple[str, str]) -> None:
    assert named_period(question, NOW) == (day(period[0]), day(period[1]))


@pytest.mark.parametrize(
    ("question", "period"),
    [
        ("Que fiz ontem?", YESTERDAY),
        ("Cosa ho fatto ieri?", YESTERDAY),
        ("Quem encontrei na semana passada?", LAST_WEEK),
        ("Chi ho visto la settimana scorsa?", LAST_WEEK),
        ("Quem ligou há dois meses?", TWO_MONTHS_AGO),
        ("Chi ha chiamato due mesi fa?", TWO_MONTHS_AGO),
        ("Onde estive em maio de 2025?", MAY_2025),
        ("Dov'ero a maggio del 2025?", MAY_2025),
        ("O que aconteceu em 7 de maio de 2023?", SEVENTH),
        ("Cosa è successo il 7 maggio 2023?", SEVENTH),
        ("O que li nos últimos três meses?", PAST_THREE_MONTHS),
        ("Cosa ho letto negli ultimi tre mesi?", PAST_THREE_MONTHS),
        ("Para onde fomos no verão passado?", LAST_SUMMER),
        ("Dove siamo andati l'estate scorsa?", LAST_SUMMER),
        ("Quem vi na quarta-feira passada?", LAST_WEDNESDAY),
        ("Chi ho visto mercoledì scorso?", LAST_WEDNESDAY),
    ],
)
def test_a_period_is_read_in_portuguese_and_italian(question: str, period: tuple[str, str]) -> None:
    assert named_period(question, NOW) == (day(period[0]), day(period[1]))


@pytest.mark.parametrize(
    "question",
    ["What did we cook last weekend?", "Was kochten wir letztes Wochenende?", "上周末做了什么？",
     "¿Qué cocinamos el fin de semana pasado?", "Qu'avons-nous mangé le week-end dernier ?"],
)  # fmt: skip
def test_a_weekend_belongs_to_last_week(question: str) -> None:
    assert named_period(question, NOW) == (day(LAST_WEEK[0]), day(LAST_WEEK[1]))


@pytest.mark.parametrize(
    "question",
    ["How often did I swim this month?", "Wie oft war ich diesen Monat schwimmen?",
     "¿Cuánto nadé este mes?", "Combien ai-je nagé ce mois-ci ?", "这个月我游了几次？", "今月は？"],
)  # fmt: skip
def test_this_month_is_the_whole_month(question: str) -> None:
    assert named_period(question, NOW) == (day("2026-03-01"), day("2026-04-01"))


@pytest.mark.parametrize(
    "question",
    ["Who called a few days ago?", "Who called in the last few days?",
     "Wer rief vor ein paar Tagen an?", "¿Quién llamó hace unos días?",
     "Qui a appelé il y a quelques jours ?", "几天前谁打电话了？",
     "数日前に誰が電話しましたか"],
)  # fmt: skip
def test_a_vague_number_means_all_days_since(question: str) -> None:
    assert named_period(question, NOW) == (day("2026-03-10"), NOW)


@pytest.mark.parametrize(
    ("question", "period"),
    [
        ("Where was she, May 2025?", MAY_2025),
        ("How far did I run, summer 2024?", ("2024-01-01", "2025-01-01")),
        ("Wie weit lief ich im Sommer 2024?", ("2024-01-01", "2025-01-01")),
        ("Who called a couple of months ago?", TWO_MONTHS_AGO),
        ("Dov'ero prima del 3 marzo 2025?", (EPOCH.isoformat(), "2025-03-03")),
    ],
)
def test_everyday_words_name_a_period(question: str, period: tuple[str, str]) -> None:
    assert named_period(question, NOW) == (day(period[0]), day(period[1]))


@pytest.mark.parametrize(
    "question",
    ["Wer ist hier der Chef?", "What is her last name?", "一天吃几次药", "Done for years?",
     "9999 years ago", "A few of us", "Fa un anno di corso", "A segunda vez",
     "Morgen ist ein Tag", "springen", "A last resort"],
)  # fmt: skip
def test_other_words_are_no_period(question: str) -> None:
    assert named_period(question, NOW) is None


@pytest.mark.parametrize(
    ("query", "words", "is_end"),
    [
        ("Where did I work before I moved?", "i moved", True),
        ("What happened since the wedding, by the way?", "the wedding", False),
        ("Wo habe ich gearbeitet, bevor ich umgezogen bin?", "ich umgezogen bin", True),
        ("Was geschah seit der Hochzeit?", "hochzeit", False),
        ("¿Dónde vivía antes de mudarse?", "mudarse", True),
        ("Où vivait-il avant de déménager ?", "déménager ", True),
        ("搬家之前我在哪里工作？", "搬家", True),
        ("結婚してから何をしましたか？", "結婚し", False),
        ("Onde eu morava antes da mudança?", "mudança", True),
        ("Cosa ho fatto dopo il matrimonio?", "matrimonio", False),
    ],
)
def test_an_event_bounds_a_period(query: str, words: str, is_end: bool) -> None:
    assert named_event(query) == (words, is_end)


@pytest.mark.parametrize(
    "query", ["Where do I live?", "before", "before   ", 'since  "', "x" * 400 + " before I moved"]
)
def test_most_texts_name_no_event(query: str) -> None:
    assert named_event(query) is None


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        ("Where did Ana work before May 2023?", "1970-01-01", "2023-05-01"),
        ("What happened since May 2025?", "2025-05-01", "2026-03-01"),
        ("the week before August 3, 2023", "2023-07-27", "2023-08-03"),
        ("two weeks before August 11, 2023", "2023-07-28", "2023-08-11"),
        ("the Sunday before October 25, 2022", "2022-10-18", "2022-10-25"),
        ("Was geschah seit März 2024?", "2024-03-01", "2026-03-01"),
        ("¿Qué hice antes de mayo de 2023?", "1970-01-01", "2023-05-01"),
        ("Où étais-je avant le 3 mars 2024 ?", "1970-01-01", "2024-03-03"),
        ("2023年5月之前我在哪里？", "1970-01-01", "2023-05-01"),
        ("2024年以降は？", "2024-01-01", "2026-03-01"),
    ],
)
def test_a_date_bounds_a_period(query: str, start: str, end: str) -> None:
    period = named_period(query, datetime(2026, 3, 1, tzinfo=UTC))
    assert period is not None
    assert [f"{moment:%Y-%m-%d}" for moment in period] == [start, end]
    assert named_event(query) is None


@pytest.mark.parametrize(
    ("query", "start"),
    [("last year", "2025-01-01"), ("letzten Monat", "2026-02-01"), ("上周", "2026-03-02")],
)
def test_a_relative_period_has_the_whole_unit_before(query: str, start: str) -> None:
    """And all days since, because people mean one or the other."""
    assert named_period(f"{query}?", NOW) == (day(start), day("2026-03-15"))


@pytest.mark.parametrize(
    ("query", "first", "end"),
    [
        ("what did we do between March and May 2025?", "2025-03-01", "2025-06-01"),
        ("what did I read from March 2024 to May?", "2024-03-01", "2024-06-01"),
        ("between November and February", "2025-11-01", "2026-03-01"),
        ("where was I from 3 to 7 March?", "2026-03-03", "2026-03-08"),
        ("from the 3rd to the 7th of March", "2026-03-03", "2026-03-08"),
        ("from 2023 to 2025, where did I work?", "2023-01-01", "2026-01-01"),
        ("between 2025-03-01 and 2025-04-10", "2025-03-01", "2025-04-11"),
        ("Was war zwischen März und Mai 2025?", "2025-03-01", "2025-06-01"),
        ("vom 3. bis 7. März", "2026-03-03", "2026-03-08"),
        ("¿qué hice entre marzo y mayo de 2025?", "2025-03-01", "2025-06-01"),
        ("du 3 au 7 mars", "2026-03-03", "2026-03-08"),
        ("entre março e maio de 2025", "2025-03-01", "2025-06-01"),
        ("tra marzo e maggio 2025", "2025-03-01", "2025-06-01"),
        ("我从2025年3月到5月做了什么", "2025-03-01", "2025-06-01"),
        ("2025年3月から5月まで何をした", "2025-03-01", "2025-06-01"),
    ],
)
def test_two_dates_bound_a_period(query: str, first: str, end: str) -> None:
    assert named_period(query, NOW) == (day(first), day(end))


@pytest.mark.parametrize("query", ["from Berlin to Rome", "how do I get from 3 to 7 points?"])
def test_two_other_things_bound_no_period(query: str) -> None:
    assert named_period(query, NOW) is None


def test_a_question_without_words_of_time_needs_no_patterns() -> None:
    """Compiling them takes most of the time of a short process."""
    periods._languages.cache_clear()
    assert named_period("which database do we use?", NOW) is None
    assert not any("_patterns" in vars(each) for each in periods._languages())
    assert named_period("what did we do last week?", NOW) is not None
    assert any("_patterns" in vars(each) for each in periods._languages())
