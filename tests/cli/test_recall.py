"""`erstwhile recall` and `erstwhile reembed`."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.cli.views.recall import bar
from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal

FACTS = {
    "postgres": ("The shop runs on Postgres 17", "--kind", "environment", "--entity", "Postgres"),
    "mysql": ("The shop ran on MySQL 8", "--kind", "environment", "--tag", "old"),
    "deploys": ("Deploys happen on Friday afternoon", "--key", "deploys"),
    "hostile": ("Postgres \x1b[31mred\x07 [bold]text[/]",),
}


@pytest.fixture(autouse=True)
def _small_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search by words only, unless a test names an embedder."""
    monkeypatch.setenv("ERSTWHILE_EMBEDDER", "hashing")


@pytest.fixture
def stored(cli: Cli) -> dict[str, Any]:
    return {name: cli("remember", *words).data for name, words in FACTS.items()}


def _texts(cli: Cli, *words: str) -> list[str]:
    return [hit["record"]["text"] for hit in cli("recall", *words).data["hits"]]


@pytest.mark.usefixtures("stored")
def test_json_has_the_whole_answer(cli: Cli) -> None:
    found = cli("recall", "which Postgres runs the shop?", "--limit", "1").data
    assert [hit["record"]["text"] for hit in found["hits"]] == [FACTS["postgres"][0]]
    why = found["hits"][0]["why"]
    assert set(why["terms"]) == {"postgr", "run", "shop"}
    assert why["cosine"] > 0
    assert found["hits"][0]["relevance"] > 0
    assert found["trace"]["names"] == ["Postgres"]
    assert found["trace"]["notices"] == []
    assert found["considered"] == []


@pytest.mark.usefixtures("stored")
def test_facts_of_earlier_calls_are_embedded_first(cli: Cli) -> None:
    """`remember` may end before its fact is embedded. `recall` embeds it first."""
    hits = cli("recall", "Friday").data["hits"]
    assert hits[0]["why"]["cosine"] is not None


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--kind", "environment", "--tag", "old"), "mysql"),
        (("--entity", "postgres"), "postgres"),
        (("--contains", "MySQL"), "mysql"),
        (("--key", "deploys", "--floor", "0"), "deploys"),
    ],
)
def test_filters_narrow(words: tuple[str, ...], text: str, cli: Cli) -> None:
    assert _texts(cli, "what did the shop run on Friday?", *words) == [FACTS[text][0]]


def test_times_and_flags_choose_the_facts(cli: Cli, stored: dict[str, Any]) -> None:
    assert _texts(cli, "shop", "--until", "2 days ago") == []
    assert _texts(cli, "shop", "--known-at", "2 days ago") == []
    assert len(_texts(cli, "shop", "--since", "2 days ago", "--as-of", "now")) == 2
    cli("facts", "retire", stored["mysql"]["id"], "--ending", "superseded")
    assert FACTS["mysql"][0] not in _texts(cli, "MySQL")
    assert FACTS["mysql"][0] in _texts(cli, "MySQL", "--include-retired")
    assert len(_texts(cli, "Friday")) == 1
    filled = cli("recall", "Friday", "--recent", "--limit", "3").data["hits"]
    assert [hit["why"]["channel"] for hit in filled] == ["match", "recent", "recent"]


@pytest.mark.usefixtures("stored")
def test_other_records_are_found_on_request(cli: Cli) -> None:
    said = "The shop will run on Postgres 18. " + "Nothing else was said. " * 30
    message = cli("conversations", "add", "user", said).data
    lesson = cli("lessons", "add", "deploy", "Postgres needs a backup").data
    assert {hit["kind"] for hit in cli("recall", "Postgres").data["hits"]} == {"facts"}
    for among in (("--among", "messages,lessons"), ("--among", "messages", "--among", "lessons")):
        hits = cli("recall", "Postgres", *among).data["hits"]
        found = {hit["kind"]: hit for hit in hits}
        assert found["messages"]["record"]["id"] == message["id"]
        assert found["lessons"]["record"]["id"] == lesson["id"]
        passage = found["messages"]["passage"]
        assert said[passage["start"] : passage["end"]] == passage["text"]
        assert len(passage["text"]) < len(said)
    kinds = {hit["kind"] for hit in cli("recall", "Postgres", "--among", "all").data["hits"]}
    assert kinds == {"facts", "messages", "lessons"}
    refused = cli("recall", "Postgres", "--among", "dreams")
    assert (refused.code, refused.error["error"]) == (2, "invalid_input")


@pytest.mark.usefixtures("stored")
def test_people_see_which_record_was_found(cli: Cli) -> None:
    one = cli("conversations", "add", "user", "Kettles are sold on Monday").data["conversation"]
    cli("conversations", "close", one, "--summary", "They spoke about kettles")
    shown = at_terminal("recall", "kettles", "--among", "all").words
    assert "user: Kettles are sold on Monday" in shown
    assert "summary: They spoke about kettles" in shown


@pytest.mark.usefixtures("stored")
def test_explain_lists_the_compared_facts(cli: Cli) -> None:
    found = cli("recall", "Friday", "--explain").data
    assert len(found["considered"]) == found["trace"]["candidates"]
    assert found["considered"][0]["status"] == "returned"


def test_nothing_found_is_no_failure(cli: Cli) -> None:
    assert _texts(cli, "anything") == []
    cli("remember", "The shop sells shoes")
    assert _texts(cli, "quantum chromodynamics") == []


def test_why_a_fact_is_not_found(cli: Cli, stored: dict[str, Any]) -> None:
    id = stored["deploys"]["id"]
    assert cli("recall", "Friday", "--why-not", id).data["reason"] == "returned"
    filtered = cli("recall", "Friday", "--why-not", id, "--tag", "old").data
    assert (filtered["reason"], filtered["hit"]) == ("filtered", None)
    assert cli("recall", "Postgres", "--why-not", id).data["reason"] in ("below_floor", "no_match")
    missing = cli("recall", "Friday", "--why-not", "00000000")
    assert (missing.code, missing.error["error"]) == (3, "not_found")
    both = cli("recall", "Friday", "--why-not", id, "--limit", "3")
    assert (both.code, "--limit" in both.error["message"]) == (2, True)


@pytest.mark.usefixtures("stored")
def test_people_see_why(cli: Cli) -> None:
    shown = at_terminal("recall", "which Postgres?", columns=80)
    assert shown.code == 0
    assert "█" in shown.words
    assert " · words: Postgres" in shown.words
    assert "Embedding" not in shown.words
    assert "\\x1b[31mred\\x07 [bold]text[/]" in shown.words
    assert cli("recall", "which Postgres?").data["hits"][0]["record"]["short_id"] in shown.words
    explained = at_terminal("recall", "Friday?", "--explain").words
    for told in ("words", "friday", "compared, not returned", "below floor"):
        assert told in explained


def test_people_get_hints_when_nothing_is_found() -> None:
    shown = at_terminal("recall", "anything")
    assert shown.code == 0
    assert "Nothing here matches" in shown.words


@pytest.mark.usefixtures("stored")
def test_another_embedder_is_noticed_and_replaces_the_first(cli: Cli) -> None:
    cli("recall", "Friday")
    other = ("--embedder", "universal")
    [notice] = cli(*other, "recall", "Friday").data["trace"]["notices"]
    assert "reembed" in notice
    assert "! the vectors here" in at_terminal(*other, "recall", "Friday").words
    count = len(FACTS)
    assert cli(*other, "reembed").data == {"embedder": "universal", "embedded": count}
    assert cli(*other, "reembed").data == {"embedder": "universal", "embedded": 0}
    found = cli(*other, "recall", "星期几部署？").data
    assert found["trace"]["notices"] == []
    assert found["hits"][0]["record"]["text"] == FACTS["deploys"][0]


@pytest.mark.usefixtures("stored")
def test_reembedding_says_which_embedder_is_in_use() -> None:
    assert "hashing is in use now; texts embedded: 4" in at_terminal("reembed").words


def test_reembed_needs_an_embedder(cli: Cli) -> None:
    ended = cli("--embedder", "none", "reembed")
    assert (ended.code, ended.error["error"]) == (2, "invalid_input")
    notice, empty = cli("--embedder", "none", "recall", "anything").data["trace"]["notices"]
    assert "no embedder" in notice
    assert "nothing to search is stored" in empty


@pytest.mark.parametrize(
    ("share", "shown"),
    [(-1.0, ""), (0.0, ""), (0.1, "▌"), (0.5, "██▌"), (1.0, "█████"), (9, "█████")],
)
def test_a_bar_shows_a_share(share: float, shown: str) -> None:
    assert bar(share) == shown
