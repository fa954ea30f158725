"""Advice on a request: the rules, and the comparison with past decisions.

1. The last word of a person on exactly this input decides: a denial denies, a permission allows.
2. A denial of the same act (program, act and target agree) denies.
3. In every other case the advice is to ask a person. Likeness never allows.

Only people and rules judge. What a model, an agent or earlier advice decided, and what was only
observed, changes nothing, however often it was recorded.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from erstwhile.core.errors import CorruptError
from erstwhile.core.policies import DenialPolicy
from erstwhile.core.ports import Row
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
    known,
    readable,
    to_json,
    warn_damaged,
)
from erstwhile.decisions.draft import (
    OTHER_TOOL,
    CheckedRequest,
    compared_text,
    split_words,
    word_similarity,
)
from erstwhile.decisions.match_call import AskedCall, same_tools
from erstwhile.storage import columns
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.recall.service import SimilarityFunction


class PastJudgement(NamedTuple):
    """What a person or a rule decided, and how similar its input is to the request."""

    score: float
    seen_at: int
    number: int
    found_by: FoundBy
    choice: Choice
    decided_by: Decider
    subject: bytes
    """Equal for judgements on exactly the same input."""
    same_goal: bool
    """Whether it was made for exactly the goal of the request."""
    lasts: Lasting
    regretted: bool
    """Whether the outcome was bad."""

    @property
    def time(self) -> tuple[int, int]:
        return self.seen_at, self.number

    @property
    def is_same_act(self) -> bool:
        return self.found_by in (FoundBy.SAME, FoundBy.ACT)

    @property
    def denies(self) -> bool:
        return self.choice == Choice.DENY

    @property
    def by_person(self) -> bool:
        return self.decided_by == Decider.PERSON

    @property
    def holds(self) -> bool:
        """Whether it is still valid for the goal of the request."""
        return self.lasts == Lasting.ALWAYS or (self.lasts == Lasting.GOAL and self.same_goal)

    @property
    def allows(self) -> bool:
        """Whether it is a permission that is still valid and had no bad outcome."""
        return self.choice == Choice.ALLOW and self.holds and not self.regretted


class Ruling(NamedTuple):
    """A suggestion, its reason, and the judgements that it rests on, most similar first."""

    suggestion: Suggestion
    reason: str
    judgements: Sequence[PastJudgement]


def judge(found: Sequence[PastJudgement], policy: DenialPolicy) -> Ruling:
    """Return the ruling of all judgements on the same tool that are similar to a request."""
    similar = sorted(found, reverse=True)
    exact = (each for each in found if each.found_by is FoundBy.SAME and each.by_person)
    word = max(exact, key=lambda each: each.time, default=None)
    since = word.time if word else (0, 0)
    later = [each for each in similar if each.is_same_act and each.time > since]
    if word is not None and word.denies and word.holds:
        return Ruling(Suggestion.DENY, "a person denied exactly this", [word])
    if denials := _denials(later, policy):
        who = "a person" if denials[0].by_person else "a rule"
        times = "" if len(denials) == 1 else f" {len(denials)} times"
        return Ruling(Suggestion.DENY, f"{who} denied the same act{times}", denials)
    if word is not None and word.allows and not any(each.denies for each in later):
        return Ruling(Suggestion.ALLOW, "a person allowed exactly this", [word])
    reason = f"similar past decisions are not enough to decide ({_summary(similar)})"
    none_found = "no past decision is similar"
    return Ruling(Suggestion.ASK, reason if similar else none_found, similar)


def _summary(found: Sequence[PastJudgement]) -> str:
    """Return who decided what, such as "2 deny by a model, 1 allow by a person"."""
    counts = Counter((each.choice, each.decided_by) for each in found)
    return ", ".join(
        f"{counts[choice, who]} {choice} by {_DECIDERS[who]}"
        for who in Decider
        for choice in Choice
        if counts[choice, who]
    )


def _denials(found: Sequence[PastJudgement], policy: DenialPolicy) -> list[PastJudgement]:
    """Return the denials of the same act if there are enough; people outvote rules.

    A person's last word on an input ends earlier judgements on it.
    """
    by_time = sorted(found, key=lambda each: each.time)
    last = {each.subject: each.choice for each in by_time if each.by_person}
    valid = [
        each for each in found if each.holds and each.choice == last.get(each.subject, each.choice)
    ]
    voters = [each for each in valid if each.by_person] or valid
    denials = [each for each in voters if each.denies]
    enough = len(denials) >= max(policy.denials, policy.share * len(voters))
    return denials if enough else []


RECALL_FLOOR = 0.5
"""The lowest score of a precedent. A decision with a lower score is about something else."""
DAMAGED = "decisions about this tool are damaged, and may deny it"
_DECIDERS = {
    Decider.PERSON: "a person",
    Decider.RULE: "a rule",
    Decider.MODEL: "a model",
    Decider.AGENT: "an agent",
    Decider.ADVICE: "earlier advice",
}
DAMAGED_WORD = "the decision that allows this cannot be read"
UNREAD = "a part of this cannot be compared with the denials of this tool"
_decoding = columns.decodes("decision", id_at=-1)
NOT_EMBEDDED = "it is not embedded yet: compared by words"


class Precedent(NamedTuple):
    """A decision that is similar to the request, before it is read in full."""

    score: float
    is_judgement: bool
    """What was only observed comes last among equals, however often it was observed."""
    seen_at: int
    number: int
    found_by: FoundBy


def recall_precedents(
    view: View,
    request: CheckedRequest,
    namespace: Namespace,
    by_meaning: SimilarityFunction,
    floor: float,
) -> list[Precedent]:
    """Return the similar decisions, best first; with equal scores, the newer first."""
    rows = view.rows("decisions_to_compare", {"goal": request.goal}, namespace)
    cosines = by_meaning(view, [-row[0] for row in rows])
    comparison = _Comparison(view, request, floor, cosines)
    found = []
    for number, scope, tool, text, seen_at, digest, choice in rows:
        score, found_by = comparison.compare(number, scope, text, digest)
        score *= 1.0 if tool == request.tool else OTHER_TOOL
        if score >= floor:
            judged = choice != Choice.OBSERVE
            found.append(Precedent(score, judged, seen_at, number, found_by))
    return sorted(found, reverse=True)


class ComparedJudgements(NamedTuple):
    """The past judgements on a tool, compared with a request."""

    comparison: _Comparison
    rows: Sequence[Row]
    found: Sequence[PastJudgement]
    policy: DenialPolicy
    others: Sequence[PastJudgement] = ()
    """What models and agents decided about this act. It decides nothing."""
    related: Sequence[Row] = ()
    """Denials of other tools."""
    damaged: int = 0
    """The number of judgements that cannot be read. One of them may be a denial."""

    @property
    def ruling(self) -> Ruling:
        similar = [each for each in self.found if each.score >= self.policy.floor]
        ruling = judge(similar, self.policy)
        if self.damaged and ruling.suggestion is not Suggestion.DENY:
            return Ruling(Suggestion.ASK, f"{DAMAGED}: {self.damaged:,}", similar)
        if self.others and not similar:
            so_far = f"only {_summary(self.others)} so far: a person's word is needed"
            return Ruling(Suggestion.ASK, so_far, self.others)
        return ruling

    @property
    def numbers_to_embed(self) -> list[int]:
        """The numbers of the judgements to compare by meaning; none if the act decides."""
        if self.ruling.suggestion is not Suggestion.ASK:
            return []
        return [-each.number for each in self.found if not each.is_same_act]

    def by_meaning(self, cosines: Mapping[int, float]) -> ComparedJudgements:
        """Return the judgements with cosines in place of the similarity of words."""
        found = [
            each
            if (cosine := cosines.get(-each.number)) is None
            else each._replace(score=min(max(cosine, 0.0), 0.99), found_by=FoundBy.MEANING)
            for each in self.found
        ]
        return self._replace(found=found)

    def advice(self, view: View, limit: int, note: str) -> Advice:
        """Return the advice, with up to `limit` precedents."""
        ruling, pairs = self.ruling, zip(self.rows, self.found, strict=True)
        hits = load_hits(view, ruling.judgements[: limit or 1], note)
        if ruling.suggestion is Suggestion.ALLOW and not hits:
            ruling = Ruling(Suggestion.ASK, DAMAGED_WORD, [])
        denials = [row for row, each in pairs if each.denies and each.holds]
        asking = ruling.suggestion is Suggestion.ASK
        unread = asking and (
            any(self.comparison.may_be(row) for row in denials)
            or any(self.comparison.may_reach(row) for row in self.related)
        )
        if unread:
            ruling = ruling._replace(reason=UNREAD)
        precedents = tuple(hits[:limit])
        message = next((hit.decision.message for hit in precedents if hit.decision.message), "")
        return Advice(
            suggestion=ruling.suggestion,
            reason=f"{ruling.reason}: {message}" if message and not asking else ruling.reason,
            precedents=precedents,
            unread=unread,
        )


def compare_judgements(
    view: View, request: CheckedRequest, namespace: Namespace, policy: DenialPolicy
) -> ComparedJudgements:
    """Compare a request with the past judgements on its tool, without an embedder."""
    place = _place(request)
    rows = view.rows("judgements_on_tool", place, namespace)
    comparison = _Comparison(view, request, policy.floor, {})
    if namespace is Namespace.GOAL:  # the statement compared masked goals
        rows = [row for row in rows if comparison.has_goal(row[1], row[9])]
    read = comparison.judgements(rows)
    related, damaged = comparison.related_denials(namespace), len(rows) - len(read)
    seen = [rows[at] for at in read]
    found = ComparedJudgements(comparison, seen, [*read.values()], policy, (), related, damaged)
    if found.ruling.suggestion is not Suggestion.ASK:
        return found
    others = comparison.judgements(view.rows("other_judgements_on_tool", place, namespace))
    return found._replace(
        others=sorted((each for each in others.values() if each.is_same_act), reverse=True)
    )


def _place(request: CheckedRequest) -> dict[str, str]:
    tools = ",,".join(same_tools(request.tool, request.input))
    return {"goal": request.goal, "tool": request.tool, "tools": f",{tools},"}


class _Comparison:
    """The comparison of one request with many decisions."""

    def __init__(
        self, view: View, request: CheckedRequest, floor: float, cosines: Mapping[int, float]
    ) -> None:
        self._view = view
        self._request = request
        self._floor = floor
        self._keys: Mapping[int, bytes] = dict(view.rows("digest_keys", {}))
        self._digests = {scope: request.digests(key) for scope, key in self._keys.items()}
        self._cosines = cosines
        text = compared_text(request.tool, to_json(request.input))
        self._words = frozenset(split_words(text))
        whole = json.loads(request.whole_input)
        self._fields = whole if isinstance(whole, dict) else {}
        self._forms = [whole] if whole == request.input else [whole, request.input]

    @cached_property
    def _call(self) -> AskedCall:
        return AskedCall(self._request.tool, *self._forms)

    def may_be(self, row: Row) -> bool:
        """Return whether the request may be a denied call: a part of it is unread or computed."""
        return self._call.unread or _decoding(lambda row: self._call.might_match(row[5]))(row)

    def may_reach(self, row: Row) -> bool:
        """Return whether the request may do what was denied to another tool."""
        return _decoding(lambda row: self._call.might_match(row[0], row[1]))(row)

    def related_denials(self, namespace: Namespace) -> Sequence[Row]:
        """Return the denials of other tools."""
        return self._view.rows("denials_of_other_tools", _place(self._request), namespace)

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

    def judgements(self, rows: Sequence[Row]) -> dict[int, PastJudgement]:
        """Return the rows that can be read, by their place; warn about damaged ones."""
        found = {}
        for place, row in enumerate(rows):
            try:
                _decoding(lambda row: json.loads(row[5]))(row)
                found[place] = self.judgement(row)
            except CorruptError as error:
                warn_damaged(error)
        return found

    def judgement(self, row: Row) -> PastJudgement:
        """Return a row of the statement `judgements_on_tool`, compared with the request."""
        number, scope, _, digest, _, _, seen_at, choice, by, goal, lasts, good, _ = row
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
        if covers == Coverage.FIELDS:
            named = json.loads(given)
            if self._fields.keys() >= named.keys() and digest == self._request.fields_digest(
                self._keys[scope], named
            ):
                return 1.0, FoundBy.SAME
        similarity, found_by = self.compare(number, scope, text, digest)
        if found_by is FoundBy.SAME:
            return similarity, found_by
        score = self._call.contains(given)
        return (score, FoundBy.ACT) if score else (min(similarity, 0.99), found_by)


def load_hits(
    view: View, found: Sequence[Precedent] | Sequence[PastJudgement], note: str
) -> list[DecisionHit]:
    """Return decisions in full; `note` is the reason if meanings are not compared."""
    return [
        DecisionHit(
            decision=decision,
            score=each.score,
            found_by=each.found_by,
            note=(note or NOT_EMBEDDED) if each.found_by is FoundBy.WORDS else "",
        )
        for each in found
        for decision in readable(view.rows("read_decision", {"number": each.number}))
    ]
