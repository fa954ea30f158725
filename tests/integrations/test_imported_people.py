"""Importers keep who, when and what: databases with the programs' own schemas, two people each."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.integrations.importers.import_records import ImportReport
from erstwhile.integrations.importers.registry import import_from
from tests.integrations.test_importers import DATA, database


def texts(memory: Memory, **filters: Any) -> set[str]:
    return {fact.text for fact in memory.facts.list(limit=50, **filters)}


def left_out(made: ImportReport) -> dict[str, int]:
    return {part.place: part.count for part in made.left_out}


@pytest.mark.parametrize("program", ["kernex", "engram", "rubino", "nexo"])
def test_the_dry_run_and_the_result_agree_and_nothing_comes_twice(
    memory: Memory, program: str, tmp_path: Path
) -> None:
    file = database(program, tmp_path)
    planned = import_from(memory, program, file, preview=True)
    assert not memory.identities.list()
    assert not memory.scoped(user="ana").facts.list(state="any")
    made = import_from(memory, program, file)
    assert replace(planned, conversations=()) == replace(made, conversations=())
    again = import_from(memory, program, file)
    assert (again.facts, again.messages, again.blocks, again.others) == (0, 0, 0, {})
    assert (again.known, again.left_out) == (made.present, made.left_out)


class TestKernex:
    """It ignored who spoke, so every user saw everything; it lost keys, and most tables."""

    @pytest.fixture
    def made(self, memory: Memory, tmp_path: Path) -> ImportReport:
        return import_from(memory, "kernex", database("kernex", tmp_path))

    @pytest.mark.usefixtures("made")
    def test_nobody_sees_what_another_person_said(self, memory: Memory) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob", project="shop")
        found = {
            who: {
                hit.record.searched
                for hit in who.conversations.search("bees bank owe will see", floor=0.0)
            }
            for who in (ana, bob, memory)
        }
        assert found == {
            ana: {"Remind me to feed the bees", "I will"},
            bob: {"I owe the bank a lot", "I see"},
            memory: set(),
        }
        assert not memory.conversations.list()
        assert not memory.facts.list(state="any")
        assert (texts(ana), texts(bob)) == ({"home town: Porto"}, {"diet: vegan", "pet: a parrot"})
        for scope, word in ((ana, "bank"), (bob, "bees"), (memory, "bees")):
            assert word not in scope.context("what about the bees and the bank?").text.lower()

    @pytest.mark.usefixtures("made")
    def test_facts_keep_keys_and_times(self, memory: Memory) -> None:
        [fact] = memory.scoped(user="ana").facts.list()
        assert (fact.key, fact.value) == ("home_town", "Porto")
        assert fact.valid_from == datetime(2026, 1, 6, 10, tzinfo=UTC)
        assert memory.scoped(user="ana").facts.value("home_town") == "Porto"

    @pytest.mark.usefixtures("made")
    def test_conversations_keep_summary_status_channel_and_project(self, memory: Memory) -> None:
        [talk] = memory.scoped(user="bob", project="shop").conversations.list()
        assert (talk.summary, talk.status) == ("Bob talked about his debts", "closed")
        assert talk.scope.project == "shop"
        assert talk.metadata["channel"] == "telegram"
        assert talk.metadata["started_at"] == "2026-02-02 08:00:00"
        summaries = memory.scoped(user="ana").conversations.summaries()
        assert [each.summary for each in summaries] == ["Ana planned the spring"]

    @pytest.mark.usefixtures("made")
    def test_aliases_sessions_usage_and_runs_come(self, memory: Memory) -> None:
        ana, shop = memory.scoped(user="ana"), memory.scoped(user="bob", project="shop")
        assert memory.identities.resolve("bob-on-signal") == "bob"
        assert ana.sessions.get(channel="telegram") == "sess-ana"
        assert shop.sessions.get(channel="telegram") == "sess-bob"
        [call] = ana.usage.list()
        assert (call.input, call.output, call.cache_read, call.cache_write) == (100, 20, 5, 6)
        assert (call.cost, call.session, call.at.year) == (Decimal("0.25"), "s1", 2026)
        phases = [(each.phase, each.status, each.output) for each in ana.checkpoints.list("run-1")]
        assert phases == [("plan", "completed", "the plan"), ("build", "failed", None)]

    @pytest.mark.usefixtures("made")
    def test_lessons_outcomes_observations_limitations_and_tasks_come(self, memory: Memory) -> None:
        ana, shop = memory.scoped(user="ana"), memory.scoped(user="bob", project="shop")
        [lesson] = ana.lessons.list()
        assert (lesson.rule, lesson.occurrences) == ("smoke them first", 3)
        assert lesson.learned_at == datetime(2026, 1, 9, 10, tzinfo=UTC)
        assert [each.rule for each in shop.lessons.list()] == ["count the till twice"]
        assert len(ana.outcomes.list()) == 2
        [note] = ana.observations.list()
        assert (note.what, note.where) == ("tared it (noted 2026-01-05 10:00:00)", "hive 2")
        assert [each.title for each in memory.limitations.list()] == ["Cannot read scans"]
        [task] = ana.tasks.list()
        assert (task.description, task.reply_to) == ("Feed the bees", "chat-7")
        assert (task.due_at.year, bool(task.recurrence)) == (2030, True)
        assert [each.description for each in shop.tasks.list()] == ["Pay the bank"]

    def test_what_does_not_come_is_told_with_its_number(self, made: ImportReport) -> None:
        assert left_out(made) == {
            "table facts": 1, "table observations": 1, "table scheduled_tasks": 1,
            "conversations": 1, "table audit_log": 2, "table task_runs": 1,
        }  # fmt: skip

    def test_a_value_that_is_here_stays(self, memory: Memory, tmp_path: Path) -> None:
        ana = memory.scoped(user="ana")
        ana.facts.set("home_town", "Lisbon")
        for preview in (True, False):
            made = import_from(memory, "kernex", database_once(tmp_path), preview=preview)
            assert left_out(made)["f1"] == 1
        assert ana.facts.value("home_town") == "Lisbon"


def database_once(folder: Path) -> Path:
    file = folder / "kernex.db"
    return file if file.exists() else database("kernex", folder)


class TestEngram:
    """It ignored owner, scope and visibility; it lost limits, edits, versions, tags and ends."""

    @pytest.fixture
    def made(self, memory: Memory, tmp_path: Path) -> ImportReport:
        return import_from(memory, "engram", database("engram", tmp_path))

    @pytest.mark.usefixtures("made")
    def test_a_private_memory_of_one_is_not_recalled_by_another(self, memory: Memory) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        shared = "The hives face south"
        assert texts(memory) == {shared}
        assert texts(ana) == {shared, "Ana prefers linen smoke", "Ana has a guest pass"}
        assert texts(bob) == {shared, "Bob owes the bank money", "Bob is seeing a doctor"}
        assert "Bob keeps stock in Braga" in texts(memory.scoped(user="bob", project="stock"))
        assert "Ana plans to sell hive four" in texts(memory.scoped(user="ana", project="acme"))
        assert not [hit for hit in ana.recall("Bob owes the bank money") if "Bob" in hit.fact.text]

    @pytest.mark.usefixtures("made")
    def test_versions_tags_relations_and_ends_come(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        smoke = ana.facts.find("Ana prefers linen smoke")
        assert {"bees", "preference"} <= set(smoke.tags)
        assert smoke.relations[0] == ("Ana", "prefers", "linen smoke")
        assert smoke.valid_from == datetime(2026, 3, 6, 10, tzinfo=UTC)
        before = ana.facts.get(smoke.supersedes[0])
        assert (before.text, before.superseded_by) == ("Ana prefers pine smoke", smoke.id)
        assert before.valid_to == smoke.valid_from
        assert "Ana prefers pine smoke" in texts(ana, as_of="2026-02-01")
        pass_ = ana.facts.find("Ana has a guest pass")
        assert pass_.expires_at == datetime(2099, 1, 1, tzinfo=UTC)
        sail = ana.facts.find("Ana used to sail", state="retired")
        assert sail.valid_to == datetime(2026, 4, 5, 10, tzinfo=UTC)
        assert memory.facts.find("The hives face south").metadata["access_count"] == 4

    @pytest.mark.usefixtures("made")
    def test_blocks_keep_their_limit_and_their_edits(self, memory: Memory) -> None:
        block = memory.blocks.get("persona")
        assert (block.limit_tokens, block.content) == (777, "A patient beekeeper.")
        assert memory.blocks.get("persona", version=1).content == "A keeper."
        reasons = [edit.reason or "" for edit in memory.blocks.history("persona")]
        assert any("kinder (edited there at 2026-01-02" in reason for reason in reasons)

    def test_what_does_not_come_is_told_with_its_number(self, made: ImportReport) -> None:
        assert left_out(made) == {
            "table memories": 1, "table memory_blocks": 1, "relations": 1, "table crossrefs": 2,
        }  # fmt: skip


class TestRubino:
    """`superseded_by`, typed edges and tool messages were lost; confidence 0.6 became 1.0."""

    @pytest.fixture
    def made(self, memory: Memory, tmp_path: Path) -> ImportReport:
        return import_from(memory.scoped(user="ana"), "rubino", database("rubino", tmp_path))

    def test_it_keeps_them(self, memory: Memory, made: ImportReport) -> None:
        ana = memory.scoped(user="ana")
        kamal = ana.facts.find("Ana deploys with Kamal")
        assert kamal.confidence == 0.6
        assert kamal.relations[0] == ("Ana", "deploys_with", "Kamal")
        old = ana.facts.get(kamal.supersedes[0])
        assert (old.text, old.superseded_by) == ("Ana deploys with Capistrano", kamal.id)
        assert old.valid_to == datetime(2026, 1, 5, 10, tzinfo=UTC)
        lived = ana.facts.find("Ana lived in Porto", state="retired")
        assert lived.valid_to == datetime(2026, 1, 1, tzinfo=UTC)
        talks = {talk.metadata["title"]: talk for talk in ana.conversations.list()}
        said = ana.conversations.messages(talks["Deploying"].id)
        assert [(each.role, each.content) for each in said] == [
            ("user", "Deploy it"), ("tool", "ok"), ("assistant", "Done"),
        ]  # fmt: skip
        assert said.items[1].metadata["tool_name"] == "shell"
        assert (talks["Old talk"].summary, talks["Old talk"].status) == (
            "They chose Kamal",
            "closed",
        )
        assert left_out(made) == {"messages": 1, "table tool_calls": 1}
        assert not memory.scoped(user="bob").facts.list(state="any")


def test_nexo_comes_agent_by_agent(memory: Memory, tmp_path: Path) -> None:
    """Memories, what was said, reminders and decisions; a choice of an unknown kind is left out."""
    made = import_from(memory, "nexo", database("nexo", tmp_path))
    kate, sam = memory.scoped(agent="kate"), memory.scoped(agent="sam")
    assert (texts(kate), texts(sam), texts(memory)) == (
        {"Ana wants short mails"}, {"Bob owes the bank money"}, set(),
    )  # fmt: skip
    [fact] = kate.facts.list()
    assert (fact.kind, fact.metadata["recalls"]) == ("preference", 2)
    assert {"mail", "short-mails"} <= set(fact.tags)
    assert fact.valid_from == datetime(2026, 1, 5, 10, tzinfo=UTC)
    assert not sam.conversations.search("beekeepers")
    assert [task.description for task in kate.tasks.list()] == ["Answer the beekeepers"]
    assert not sam.tasks.list()
    [decision] = memory.decisions.list()
    assert (decision.choice, decision.decided_by) == ("deny", "model")
    assert (decision.input, decision.turn) == ({"command": "rm -rf /srv"}, 2)
    told = {"table reminders": 1, "table memory_promotions": 1, "decisions": 1}
    assert left_out(made) == told


@pytest.mark.parametrize("file", ["langgraph.json", "langgraph.sqlite"])
def test_items_of_langgraph_go_to_the_user_in_their_namespace(memory: Memory, file: str) -> None:
    for scope in (memory, memory.scoped(user="ana")):
        with pytest.raises(erstwhile.ScopeError, match="3 namespaces"):
            import_from(scope, "langgraph", DATA / file)
    for preview in (True, False):
        made = import_from(
            memory, "langgraph", DATA / file, namespace="memories/{user}", preview=preview
        )
        assert (made.facts, left_out(made)) == (3, {"items": 1})
    assert texts(memory.scoped(user="bob")) == {"Bob commutes by tram"}
    assert len(texts(memory.scoped(user="ana"))) == 2
    assert not texts(memory)
    for wrong in ("memories/{person}", ""):
        with pytest.raises(erstwhile.InvalidInputError):
            import_from(memory, "langgraph", DATA / file, namespace=wrong)


def test_agents_and_relations_of_mem0_come(memory: Memory, tmp_path: Path) -> None:
    told = [
        {"id": "1", "memory": "Ana drinks tea", "user_id": "ana", "agent_id": "tutor"},
        {"id": "2", "memory": "Lessons are short", "agent_id": "tutor"},
    ]
    link = {"source": "ana", "relationship": "lives_in", "target": "porto"}
    (tmp_path / "a.json").write_text(json.dumps({"results": told[:1], "relations": [link]}))
    import_from(memory, "mem0", tmp_path / "a.json")
    ana = memory.scoped(user="ana")
    assert texts(ana) == {"Ana drinks tea", "ana lives in porto"}
    assert ana.facts.find("Ana drinks tea").metadata["agent_id"] == "tutor"
    assert ana.facts.find("ana lives in porto").relations[0] == ("ana", "lives_in", "porto")
    (tmp_path / "b.json").write_text(json.dumps({"results": told, "relations": [link, link]}))
    for preview in (True, False):
        made = import_from(memory, "mem0", tmp_path / "b.json", preview=preview)
        assert left_out(made) == {"relations": 2}
    assert texts(memory.scoped(agent="tutor")) == {"Lessons are short"}
    assert not memory.facts.list()


@pytest.mark.parametrize(
    ("program", "file", "title"),
    [("chatgpt", "chatgpt.json", "Bees"), ("claude", "claude-conversations.json", "Hives")],
)
def test_conversations_keep_titles_and_dates(
    memory: Memory, program: str, file: str, title: str
) -> None:
    ana = memory.scoped(user="ana")
    import_from(ana, program, DATA / file)
    talks = {talk.metadata.get("title"): talk for talk in ana.conversations.list()}
    assert talks[title].metadata["started_at"].startswith("2026-01-05T10:00:00")
    assert talks[title].metadata["updated_at"].startswith("2026-01-05T10:0")


def test_a_database_without_a_table_that_belongs_to_it_is_refused(
    memory: Memory, tmp_path: Path
) -> None:
    """Half of a schema must not lose half of the memories silently."""
    file = database("engram", tmp_path)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE memory_versions")
    with pytest.raises(erstwhile.InvalidInputError, match="memory_versions"):
        import_from(memory, "engram", file)


def test_the_same_text_twice_is_one_fact(memory: Memory, tmp_path: Path) -> None:
    """A second import adds no evidence, and what ended there ends nothing that holds here."""
    told = [
        {"id": "1", "memory": "Ana drinks tea"},
        {"id": "2", "memory": "Ana drinks tea"},
        {"id": "3", "memory": "Ana rows", "expiration_date": "2025-01-01"},
        {"id": "4", "memory": "Ana rows"},
    ]
    (tmp_path / "a.json").write_text(json.dumps(told))
    ana = memory.scoped(user="ana")
    for preview in (True, False):
        made = import_from(ana, "mem0", tmp_path / "a.json", preview=preview)
        assert (made.facts, made.known) == (3, 1)
    import_from(ana, "mem0", tmp_path / "a.json")
    assert {(fact.text, fact.evidence) for fact in ana.facts.list()} == {
        ("Ana drinks tea", 1), ("Ana rows", 1),
    }  # fmt: skip
