"""The rules of consolidation: what is the same statement, and what a merged text would lose."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.core.ports import Completion, Prompt
from erstwhile.learning.consolidation.collection import ConsolidationAct
from erstwhile.learning.consolidation.statements import adds, beginnings, lost, said
from erstwhile.memory import Memory

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SUBJECTS = ("The user", "Ana", "Ana's son", "Bob")
SAYINGS = (
    "has a dog", "has a dog called Rex", "has 2 dogs", "has two dogs", "can't swim",
    "can not swim", "lives in Porto", "lives in the Porto", "lived in Porto", "does not smoke",
    "runs 5 km. It began in May", "runs 5 km", "met the CEO on 2026-03-01", "met a CEO",
)  # fmt: skip
statements = st.builds(
    "{} {}{}".format, st.sampled_from(SUBJECTS), st.sampled_from(SAYINGS), st.sampled_from(".! ")
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user has a dog", "the user has the dog."),
        ("Ana can’t swim!", "Ana cannot swim"),
        ("I'm 30", "I am 30."),
        ("Ana said “no”", 'Ana said "no"'),
        ("她喜欢茶。", "她喜欢茶"),
    ],
)
def test_the_same_words_are_the_same_statement(one: str, other: str) -> None:
    assert said(one) == said(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana takes vitamin A", "Ana takes vitamin"),
        ("Ana has a few friends", "Ana has few friends"),
        ("blood group O-", "blood group O+"),
        ("Ana writes C#", "Ana writes C"),
        ("Ana pays 1.5", "Ana pays 15"),
        ("Ana likes tea?", "Ana likes tea"),
        ("Ana has a dog", "Ana has dogs"),
        ("它是3个", "它是5个"),
        ("a == b", "a === b"),
        ("Ana met Bob", "Bob met Ana"),
        ("temperature -5", "temperature 5"),
    ],
)
def test_other_words_are_another_statement(one: str, other: str) -> None:
    assert said(one) != said(other)


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ("Ana has a dog called Rex.", "Ana has a dog"),
        ("Ana has a dog. It is brown.", "Ana has a dog"),
        ("Ana runs; it began in May", "Ana runs"),
    ],
)
def test_a_longer_statement_contains_its_beginning(text: str, beginning: str) -> None:
    assert said(beginning) in beginnings(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ana has a dog phobia", "Ana has a dog. Not any more.", "Ana has a dog; but it died",
        "Ana has a dog if she moves", "Bob lies. Ana has a dog", "Ana has a dog called off",
    ],
)  # fmt: skip
def test_what_takes_it_back_does_not_contain_it(text: str) -> None:
    assert said("Ana has a dog") not in beginnings(text)


ORIGINALS = ("Ana flew from Porto to Faro on 2026-03-01", "Ana flew to Faro with 2 bags")
WHOLE = "Ana flew from Porto to Faro on 2026-03-01 with 2 bags"


def test_a_merged_text_that_keeps_everything_loses_nothing() -> None:
    assert lost(ORIGINALS, WHOLE) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2026-03-01", "2026-03-02"), (" on 2026-03-01", ""), ("2 bags", "3 bags"),
        ("2 bags", "bags"), ("Ana", "The user"), ("flew", "did not fly"),
        ("flew", "might have flown"),
        ("from Porto to Faro", "from Faro to Porto"), ("with 2", "with only 2"),
        ("Faro", "Faro and Lisbon"),
    ],
)  # fmt: skip
def test_a_merged_text_with_less_or_more_is_found(old: str, new: str) -> None:
    assert lost(ORIGINALS, WHOLE.replace(old, new))


def test_figures_and_names_may_not_change_places() -> None:
    originals = ("Ana owes Bob 5 euros", "Ana owes Bob 5 euros since May")
    assert lost(originals, "Bob owes Ana 5 euros since May")
    assert adds(originals, "Ana owes Bob money") == ["money"]


def test_vague_words_for_several_facts_are_found() -> None:
    assert lost(("Ana plays chess", "Ana plays go"), "Ana plays games")
    assert lost(("Ana might move", "Ana moves"), "Ana moves")


@settings(max_examples=40, deadline=None)
@given(given_texts=st.lists(statements, min_size=1, max_size=10))
def test_nothing_is_lost_by_a_run_and_undo_restores_it(given_texts: list[str]) -> None:
    with erstwhile.open(":memory:", embedder="none") as store:
        _check_run(store.scoped(user="ana"), given_texts)


def _check_run(memory: Memory, given_texts: list[str], *, most: int = 10_000) -> None:
    """Check that what is live before a run is found after it, and that undo restores it all."""
    items = [{"text": text, "origin": "learned"} for text in given_texts]
    for start in range(0, len(items), 500):
        memory.remember_many(items[start : start + 500])
    before = dict(_live(memory))
    report = memory.consolidate()
    after = dict(_live(memory))
    merged = [each for each in report.changes if each.act is ConsolidationAct.MERGED]
    assert len(before) - len(after) == sum(len(each.others) for each in merged)
    for id, text in [(id, text) for id, text in before.items() if id not in after][:most]:
        survivor = memory.facts.get(id).superseded_by
        assert survivor in after
        assert id in {step.fact.id for step in memory.facts.history(survivor)}
        assert survivor in [hit.fact.id for hit in memory.recall(text, limit=10, floor=0)]
        assert set(re.findall(r"\d+|[A-Z]\w+", text)) <= set(
            re.findall(r"\d+|[A-Z]\w+", after[survivor])
        ) | {"A", "The"}
    again = memory.consolidate()
    assert (again.id, again.changes) == (None, ())
    if report.id is not None:
        memory.consolidations.undo(report.id)
    assert dict(_live(memory)) == before
    assert memory.audit.verify().ok


def _live(memory: Memory) -> Iterator[tuple[str, str]]:
    cursor = None
    while True:
        page = memory.facts.list(limit=1_000, cursor=cursor)
        yield from ((fact.id, fact.text) for fact in page)
        if (cursor := page.next) is None:
            return


def test_undo_restores_the_same_export(tmp_path: Path) -> None:
    """The export for people has the live facts; that for imports also has the whole history."""
    with erstwhile.open(tmp_path / "a.db", embedder="none") as store:
        ana = store.scoped(user="ana")
        ana.remember("Ana can't swim")
        texts = ["Ana has a dog", "Ana has the dog called Rex", "Ana can not swim", "Bob is 5"]
        ana.remember_many([{"text": text, "origin": "learned", "tags": ["x"]} for text in texts])
    written = []
    for step in ("before", "after", "undone"):
        with erstwhile.open(tmp_path / "a.db", embedder="none") as store:
            ana = store.scoped(user="ana")
            if step == "after":
                report = ana.consolidate()
            elif step == "undone":
                ana.consolidations.undo(report.id or "")
        target = tmp_path / f"{step}.md"
        erstwhile.export(tmp_path / "a.db", target, format="markdown")
        written.append(target.read_bytes())
    assert written[0] == written[2] != written[1]


class BadLlm:
    """A model that merges everything, and loses or bends something in most merges."""

    model = "bad"

    def complete(self, prompt: Prompt, _cancelled: Any = None) -> Completion:
        shown = [json.loads(line) for line in prompt.user.splitlines() if line.startswith("{")]
        texts = [each["text"] for each in shown]
        joined = "; ".join(texts)
        bent = random.Random(joined).choice([
            re.sub(r"\d+", "some", joined), re.sub(r"\b[A-Z]\w+", "somebody", joined), texts[0],
            re.sub(r"\d", lambda found: str((int(found[0]) + 1) % 10), joined),
            re.sub(r"n't|\bnot\b|\bnever\b", "", joined), "The user has several plans", joined,
        ])  # fmt: skip
        ids = [each["id"] for each in shown]
        wish = {"ids": ids, "text": f"Be brief about {texts[0]}"}
        answer = {"merge": [{"ids": ids, "text": bent}], "over": [], "instruction": wish}
        return Completion(text=json.dumps(answer))


def _locomo() -> Iterator[str]:
    for each in json.loads((DATA / "locomo/locomo10.json").read_text("utf-8")):
        sessions = (
            turns for name, turns in each["conversation"].items() if isinstance(turns, list)
        )
        yield from (turn["text"] for turns in sessions for turn in turns)


def _beam() -> Iterator[str]:
    for each in json.loads((DATA / "beam/beam-100k-1to8.json").read_text("utf-8")):
        yield from (said["content"] for said in each["messages"] if said["role"] == "user")


@pytest.mark.skipif(not DATA.is_dir(), reason="the evaluation data is not here")
@pytest.mark.parametrize("source", [_locomo, _beam])
def test_a_model_that_merges_badly_loses_nothing(source: Any) -> None:
    """On real texts, nothing that it proposes lacks a number or a name of the originals."""
    found = [part.strip() for text in source() for part in re.split(r"(?<=[.!?])\s+|\n+", text)]
    texts = [each for each in found if 4 <= len(each.split()) <= 35][:600]
    with erstwhile.open(":memory:", embedder="none", llm=BadLlm()) as store:
        ana = store.scoped(user="ana")
        _check_run(ana, texts, most=50)
        proposals = [each for each in ana.facts.list(state="retired", limit=1_000)
                     if each.metadata.get("held", {}).get("rule") == "consolidation"]  # fmt: skip
        assert proposals
        for each in proposals:
            ids = each.metadata["held"]["proposed"]["replaces"]
            originals = " ".join(ana.facts.get(id).text for id in ids)
            wanted = re.findall(r"\d+|\b[A-Z]\w*", originals)
            assert not {word.casefold() for word in wanted} - {
                word.casefold() for word in re.findall(r"\d+|\w+", each.text)
            }
