"""The network that reads the words of proposals: what it tells apart, and what it may decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from bench.reading.examples import HELD_OUT, Example, examples, labelled_turns
from numpy.typing import NDArray

from erstwhile.adapters.embedders.cached import CachedEmbedder
from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.adapters.embedders.universal import UniversalEmbedder
from erstwhile.core.kinds import Kind
from erstwhile.learning.candidate import Candidate, CandidateReading
from erstwhile.learning.quoted_words import QuotedWords
from erstwhile.learning.read_words import read
from erstwhile.learning.reading import reader_of
from erstwhile.learning.reading.network import Matrix, ReadingNetwork
from erstwhile.learning.reading.reader import ProposedText, Reader, ReadFate
from erstwhile.learning.candidate import Action, Verdict
from erstwhile.learning.weighing import is_over, weighed
from tests.adapters.blas_threads import blas_threads
from tests.doubles import TROUBLES, UnreliableEmbedder
from tests.learning.facts_and_candidates import fact
from tests.learning.guard.turns import turn


@pytest.fixture(scope="module")
def reader() -> Reader:
    found = reader_of(CachedEmbedder(UniversalEmbedder()))
    assert found is not None
    return found


def _words(text: str) -> QuotedWords:
    return QuotedWords(text, 0, len(text), text)


BEFORE = blas_threads()
MOVED = ProposedText("The user lives in Tokyo", Kind.PROFILE, "home", replaces=True)


@pytest.mark.parametrize(
    ("stated", "not_stated"),
    [
        ("I moved to Tokyo in May.", "If I moved to Tokyo, would I need a visa?"),
        ("Depuis mai j'habite à Tokyo.", "Combien coûte un loyer à Tokyo ?"),
    ],
)
def test_a_statement_is_read_more_surely_than_what_states_nothing(
    reader: Reader, stated: str, not_stated: str
) -> None:
    assert reader.support(_words(stated), MOVED) > reader.support(_words(not_stated), MOVED) + 1


def test_it_reads_with_one_thread_of_blas(reader: Reader) -> None:
    """More threads take far longer for such small matrices, above all on a busy machine."""
    seen = set[int]()

    def features(texts: Sequence[str]) -> tuple[Matrix, NDArray[np.int64]]:
        seen.update(blas_threads())
        return reader.features(texts)

    watched = replace(reader, features=features, kept={})
    watched.support(_words("I moved to Tokyo in May."), MOVED)
    assert 1 in seen
    assert blas_threads() == BEFORE


def _area(odds: list[float], right: list[bool]) -> float:
    """Return how often what is right has higher odds than what is not."""
    yes = [value for value, each in zip(odds, right, strict=True) if each]
    no = [value for value, each in zip(odds, right, strict=True) if not each]
    return sum(one > two for one in yes for two in no) / (len(yes) * len(no))


def test_it_judges_turns_that_it_was_not_trained_on(reader: Reader) -> None:
    """It is far from sure: the areas are about .90. Chance is .50."""
    turns = [each for each in labelled_turns() if each[0].endswith(HELD_OUT)][::4]
    found = [each for each in examples(turns) if each.named]
    network = reader.networks[0]
    areas = list[float]()
    for task in (0, 1):
        asked = [each for each in found if each.task == task]
        odds = [_odds(network, each) for each in asked]
        areas.append(_area(odds, [(each.answer == 0) == (task == 0) for each in asked]))
    assert min(areas) > 0.8


def _odds(network: ReadingNetwork, each: Example) -> float:
    message = network.read(each.passage)
    if each.task == 0:
        return network.support(message, each.statement, each.figures)
    stays, over, wrong = network.fate(message, each.statement, each.successor, each.figures)
    return float(max(over, wrong) - stays)


def test_other_embedders_do_not_read() -> None:
    assert reader_of(HashingEmbedder()) is None
    assert reader_of(CachedEmbedder(HashingEmbedder())) is None
    assert reader_of(None) is None


def _candidate(**more: object) -> Candidate:
    said = "I sold the Honda."
    proposed = Candidate(
        text="The user sold a Honda",
        quote=said,
        messages=("user",),
        found_by="llm:x",
        is_alone=True,
    )
    return replace(proposed, **more)  # type: ignore[arg-type]


def test_only_the_words_of_the_user_are_read(reader: Reader) -> None:
    [own] = read([_candidate()], turn("I sold the Honda."), [], reader)
    [of_tool] = read(
        [_candidate(messages=("tool",))], turn("Hi", tool="I sold the Honda."), [], reader
    )
    assert own.reading is not None
    assert of_tool.reading is None


def test_an_embedder_that_fails_leaves_the_rules_alone(reader: Reader) -> None:
    broken = replace(reader, embedder=UnreliableEmbedder(TROUBLES["down"]))
    assert read([_candidate()], turn("I sold the Honda."), [], broken) == [_candidate()]


def _hold(rule: str) -> Verdict:
    return Verdict(action=Action.HOLD, text="", rule=rule)


SURE = CandidateReading(likeness=1.0, support=9.0, fates={})


def test_what_is_surely_said_outweighs_a_rule_about_meaning() -> None:
    candidate, verdicts = weighed(_candidate(reading=SURE), [_hold("grounding/concluded")])
    assert verdicts == ()
    assert candidate.outweighed == ("grounding/concluded",)


@pytest.mark.parametrize(
    "rule",
    ["lineage/tool", "lineage/pasted", "grounding/unsaid", "grounding/unquoted", "injection/x"],
)
def test_rules_that_decide_are_not_outweighed(rule: str) -> None:
    held = (_hold(rule), _hold("grounding/concluded"))
    assert weighed(_candidate(reading=SURE), held)[1] == held


QUESTION = (_hold("grounding/question"),)


def test_a_question_may_tell_of_the_user_and_of_nothing_else() -> None:
    of_user = _candidate(reading=SURE, text="The user uses VS Code")
    assert weighed(of_user, QUESTION)[1] == ()
    of_others = _candidate(reading=SURE, text="The supplier account is XX99")
    assert weighed(of_others, QUESTION)[1] == QUESTION


def test_a_question_ends_and_replaces_nothing() -> None:
    known = fact("The user drives a Honda")
    fates = {known.id: ReadFate(over=9.0, wrong=0.0)}
    sure = replace(SURE, fates=fates)
    ending = _candidate(reading=sure, text=known.text, ends=True, replaces=(known.id,))
    assert weighed(ending, QUESTION)[1] == QUESTION
    told, _ = weighed(_candidate(reading=sure, replaces=(known.id,)), QUESTION)
    assert is_over(told, known, ["HOLDS"], believed=True) is False


def test_words_about_something_else_outweigh_nothing() -> None:
    far = _candidate(reading=replace(SURE, likeness=-0.1))
    assert weighed(far, QUESTION)[1] == QUESTION


def test_of_several_facts_the_network_confirms_none() -> None:
    known = fact("The user drives a Honda")
    sure = replace(SURE, fates={known.id: ReadFate(over=9.0, wrong=0.0)})
    one = _candidate(reading=sure, replaces=(known.id,))
    assert is_over(one, known, ["DOUBTFUL"], believed=False)
    two = _candidate(reading=sure, replaces=(known.id, "another"))
    assert is_over(two, known, ["DOUBTFUL"], believed=False) is None


def test_beside_a_tool_the_network_may_only_object() -> None:
    held = (_hold("grounding/concluded"),)
    assert weighed(_candidate(reading=SURE, is_alone=False), held)[1] == held
    unsaid = replace(SURE, support=-9.0)
    [objects] = weighed(_candidate(reading=unsaid, is_alone=False), [])[1]
    assert objects.rule == "reading/unsaid"


def test_beside_a_tool_the_network_ends_nothing(reader: Reader) -> None:
    known = fact("The user drives a Honda")
    ending = _candidate(ends=True, replaces=(known.id,), is_alone=False)
    [beside] = read([ending], turn("I sold the Honda.", tool="ok"), [known], reader)
    assert beside.reading is not None
    sure = replace(beside.reading, fates={known.id: ReadFate(over=9.0, wrong=0.0)})
    assert is_over(replace(beside, reading=sure), known, ["UNSAID"], believed=False) is None
    alone = replace(beside, reading=sure, is_alone=True)
    assert is_over(alone, known, ["UNSAID"], believed=False)
