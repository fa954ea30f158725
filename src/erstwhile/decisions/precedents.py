"""Precedents: past decisions that are similar to a request.

All decisions of the namespace are compared: exactly, by their keyed digests, and by their words, or
by their meaning. Advice also compares what the calls do. This module loads no model: the caller
passes the function that compares meanings.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from erstwhile.core.denial_policy import DenialPolicy
from erstwhile.core.hits import Hits
from erstwhile.core.ports import Row
from erstwhile.decisions.advice import PastJudgement, Ruling, judge
from erstwhile.decisions.decision import (
    Advice,
    Choice,
    Coverage,
    Decider,
    DecisionHit,
    FoundBy,
    Lasting,
    Namespace,
    Suggestion,
)
from erstwhile.decisions.draft import CheckedRequest
from erstwhile.decisions.rows import known, to_decision
from erstwhile.decisions.same_act import AskedCall
from erstwhile.decisions.tool_input import (
    OTHER_TOOL,
    compared_text,
    split_words,
    to_json,
    word_similarity,
)
from erstwhile.storage import columns
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.recall.service import SimilarityFunction

RECALL_FLOOR = 0.5
"""The lowest score of a precedent. A decision with a lower score is about something else."""
UNREAD = "a part of this cannot be compared with the denials of this tool"
_decoding = columns.decodes("decision with the number")
NOT_EMBEDDED = "it is not embedded yet: compared by words"


class PrecedentQuery(NamedTuple):
    """A checked request, and how to compare decisions with it."""

    request: CheckedRequest
    namespace: Namespace
    by_meaning: SimilarityFunction
    note: str = ""
    """The reason if meanings are not compared."""


class Precedent(NamedTuple):
    """A decision that is similar to the request, before it is read in full."""

    score: float
    is_judgement: bool
    """What was only observed comes last among equals, however often it was observed."""
    seen_at: int
    number: int
    found_by: FoundBy


def recall_precedents(
    view: View, query: PrecedentQuery, limit: int, floor: float
) -> Hits[DecisionHit]:
    """Return the most similar decisions, best first; with equal scores, the newer first."""
    place = {"goal": query.request.goal}
    rows = view.rows("decisions_to_compare", place, query.namespace)
    comparison = _Comparison(view, query, [row[0] for row in rows], floor)
    found = []
    for number, scope, tool, text, seen_at, digest, choice in rows:
        score, found_by = comparison.compare(number, scope, text, digest)
        score *= 1.0 if tool == query.request.input.tool else OTHER_TOOL
        if score >= floor:
            judged = choice != Choice.OBSERVE
            found.append(Precedent(score, judged, seen_at, number, found_by))
    best = sorted(found, reverse=True)[:limit]
    return Hits(tuple(_read(view, best, query.note)))


def advise_by_precedents(
    view: View, query: PrecedentQuery, limit: int, policy: DenialPolicy
) -> Advice:
    """Return the advice of past judgements on the same tool, with up to `limit` precedents."""
    goal, tool = query.request.goal, query.request.input.tool
    rows = view.rows("judgements_on_tool", {"goal": goal, "tool": tool}, query.namespace)
    comparison = _Comparison(view, query, [row[0] for row in rows], policy.floor)
    if query.namespace is Namespace.GOAL:  # the statement compared masked goals
        rows = [row for row in rows if comparison.has_goal(row[1], row[9])]
    judgements = [comparison.judgement(row) for row in rows]
    ruling = judge([each for each in judgements if each.score >= policy.floor], policy)
    denials = [
        row for row, each in zip(rows, judgements, strict=True) if each.denies and each.holds
    ]
    asking = ruling.suggestion is Suggestion.ASK
    unread = asking and any(comparison.may_be(row) for row in denials)
    if unread:
        ruling = ruling._replace(reason=UNREAD)
    precedents = tuple(_read(view, ruling.judgements[:limit], query.note))
    return Advice(
        suggestion=ruling.suggestion,
        reason=_with_message(ruling, precedents),
        precedents=precedents,
        unread=unread,
    )


def _with_message(ruling: Ruling, precedents: Sequence[DecisionHit]) -> str:
    message = next((hit.decision.message for hit in precedents if hit.decision.message), "")
    decided = ruling.suggestion != "ask"
    return f"{ruling.reason}: {message}" if message and decided else ruling.reason


class _Comparison:
    """The comparison of one request with many decisions."""

    def __init__(
        self, view: View, query: PrecedentQuery, numbers: Iterable[int], floor: float
    ) -> None:
        self._input = query.request.input
        self._floor = floor
        self._keys: Mapping[int, bytes] = dict(view.rows("digest_keys", {}))
        self._digests = {scope: query.request.digests(key) for scope, key in self._keys.items()}
        self._cosines = query.by_meaning(view, [-number for number in numbers])
        text = compared_text(self._input.tool, to_json(self._input.masked))
        self._words = frozenset(split_words(text))
        whole = json.loads(self._input.whole)
        self._fields = whole if isinstance(whole, dict) else {}
        forms = [whole] if whole == self._input.masked else [whole, self._input.masked]
        self._call = AskedCall(self._input.tool, *forms)

    def may_be(self, row: Row) -> bool:
        """Return whether the request may be a denied call: a part of it is unread or computed."""
        return self._call.unread or _decoding(lambda row: self._call.may_contain(row[5]))(row)

    def has_goal(self, scope: int, digest: bytes) -> bool:
        """Return whether a decision of a scope was made for exactly the goal of the request."""
        return digest == self._digests[scope].goal

    def compare(self, number: int, scope: int, text: str, digest: bytes) -> tuple[float, FoundBy]:
        """Return the similarity of a decision to the request, and how it was found."""
        if digest == self._digests[scope].input:
            return 1.0, FoundBy.SAME
        cosine = self._cosines.get(-number)
        if cosine is not None:
            return min(max(cosine, 0.0), 1.0), FoundBy.MEANING
        return word_similarity(self._words, split_words(text), self._floor), FoundBy.WORDS

    def judgement(self, row: Row) -> PastJudgement:
        """Return a row of the statement `judgements_on_tool`, compared with the request."""
        number, scope, _, digest, _, _, seen_at, choice, by, goal, lasts, good = row
        score, found_by = _decoding(lambda row: self._compare_act(*row[:6]))(row)
        return PastJudgement(
            score=score,
            seen_at=seen_at,
            number=number,
            found_by=found_by,
            choice=known(Choice, choice, Choice.DENY),
            decided_by=known(Decider, by, Decider.MODEL),
            subject=digest,
            same_goal=self.has_goal(scope, goal),
            lasts=known(Lasting, lasts, Lasting.ONCE),
            regretted=good == 0,
        )

    def _compare_act(
        self, number: int, scope: int, text: str, digest: bytes, covers: str, given: str
    ) -> tuple[float, FoundBy]:
        """Compare a judgement, also by what it is about and by its act."""
        if covers == Coverage.FIELDS and self._has_fields(scope, digest, json.loads(given)):
            return 1.0, FoundBy.SAME
        similarity, found_by = self.compare(number, scope, text, digest)
        if found_by is FoundBy.SAME:
            return similarity, found_by
        score = self._call.contains(given)
        return (score, FoundBy.ACT) if score else (min(similarity, 0.99), found_by)

    def _has_fields(self, scope: int, digest: bytes, named: Mapping[str, object]) -> bool:
        """Return whether the named fields of the request are equal to those of a decision."""
        if not self._fields.keys() >= named.keys():
            return False
        return self._input.digest(self._keys[scope], named) == digest


def _read(
    view: View, found: Sequence[Precedent] | Sequence[PastJudgement], note: str
) -> list[DecisionHit]:
    return [
        DecisionHit(
            decision=to_decision(view.rows("read_decision", {"number": each.number})[0]),
            score=each.score,
            found_by=each.found_by,
            note=(note or NOT_EMBEDDED) if each.found_by is FoundBy.WORDS else "",
        )
        for each in found
    ]
