"""Grounding: a proposal rests on words of the turn, and their line gives its origin and trust.

A model quotes the words that each proposal rests on. The quotation is looked up in the turn; if it
is in several lines, a statement of the most trusted speaker counts. A proposal may be in other
words or in another language than its quotation. Its names, numbers and dates must have been said:
in the turn, in the exchange before, or in a fact that the model was shown. What only the assistant
or a tool said is theirs, whatever is quoted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Kind, Origin, Trust
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.assent import asked_before, is_asked
from erstwhile.learning.grounding.contradictions import Contradiction, contradictions
from erstwhile.learning.grounding.dates import has_day_ahead
from erstwhile.learning.grounding.endings import may_be_ended
from erstwhile.learning.grounding.languages import is_japanese, is_other_language, script_of
from erstwhile.learning.grounding.names import shares_sign
from erstwhile.learning.grounding.people import names_user
from erstwhile.learning.grounding.quotation import (
    QuotePlace,
    most_in_a_sentence,
    nearest,
    nearly,
    places,
)
from erstwhile.learning.grounding.quoted_mood import mood_at
from erstwhile.learning.grounding.said import SaidText, added_terms, content_terms
from erstwhile.learning.grounding.sounds import sounds_like, tells_name
from erstwhile.learning.grounding.speakers import Speakers, own_text
from erstwhile.learning.grounding.stays import as_stay
from erstwhile.learning.grounding.translations import has_word_for, is_place, may_translate
from erstwhile.learning.grounding.word_lists import says
from erstwhile.learning.moods import (
    Mood,
    clauses_around,
    correction_after,
    corrects,
    sentence_around,
)
from erstwhile.learning.turn import Turn, TurnLine
from erstwhile.learning.verdict import Action, Verdict
from erstwhile.search.terms import is_unspaced

_HALF = 0.5
"""The share of a statement's words that a sentence must have, if nothing is quoted."""
_REASONS = {
    Mood.QUESTION: "it was asked, not stated",
    Mood.CONDITION: "it was supposed, not stated",
    Mood.PLAN: "it is a plan, and not so yet",
    Mood.GUESS: "the speaker is not sure",
    Mood.PAST: "it was so once",
    Mood.REPORT: "it repeats the words of others",
    Mood.QUOTED: "it stands in a quotation",
    Mood.JEST: "it was said in jest",
    Mood.STORY: "it was told as a story or an example",
    Mood.REQUEST: "it is an order for one turn",
}
_ENDING_MOODS = frozenset({Mood.PAST, Mood.REQUEST, Mood.JEST})
"""Sentences that may end a fact: "I used to …", "forget that I …", "I was joking"."""
_PERSONAL = frozenset({Kind.PROFILE, Kind.PREFERENCE, Kind.RELATION, Kind.STATE})
_TOLD = {
    **{each: str(each) for each in (Mood.PLAN, Mood.GUESS, Mood.PAST, Mood.REPORT)},
    **dict.fromkeys((Mood.QUESTION, Mood.CONDITION, Mood.REQUEST), "interest"),
}
"""Moods that a statement can tell itself, with the list of their words: "The user plans to move",
"The user is curious how long it takes"."""
_SPELLED = frozenset({"arabic", "hebrew", "devanagari", "hangul", "greek", "thai"})
"""Scripts of letters, whose words can be compared by their sound."""
_Found: TypeAlias = Iterator[tuple[TurnLine, tuple[QuotePlace, ...]]]


@dataclass(frozen=True, slots=True)
class Ground:
    """The words of a turn that a proposal rests on."""

    line: TurnLine
    places: tuple[QuotePlace, ...]
    mood: Mood | None
    """Why their sentence states nothing; None if it states something."""

    @property
    def origin(self) -> Origin:
        pasted = self.mood is Mood.QUOTED and self.line.role is Role.USER
        return Origin.DOCUMENT if pasted else self.line.origin

    @property
    def quote(self) -> str:
        return self.line.text[self.places[0].start : self.places[-1].end]

    @property
    def sentence(self) -> str:
        text = self.line.text
        found = (sentence_around(text, place.start, place.end) for place in self.places)
        after = correction_after(text, self.places[-1].end)
        return " ".join(filter(None, dict.fromkeys((*found, after))))

    def contradictions(self, candidate: Candidate, turn: Turn) -> Iterator[Contradiction]:
        """Yield why these words do not say what is proposed."""
        start, end = self.places[0].start, self.places[-1].end
        return contradictions(candidate, self.line.text, start, end, turn)

    @property
    def clauses(self) -> str:
        text = self.line.text
        found = (clauses_around(text, place.start, place.end) for place in self.places)
        return " ".join(found).rstrip(" .,;:。，、")

    @property
    def doubt(self) -> float:
        """Order grounds: statements of the user first, then of the assistant, then other words."""
        rank = _rank(self.origin)
        return rank if self.mood is None or rank == 2 else rank + 1.5


def ground_of(candidate: Candidate, turn: Turn) -> Ground | None:
    """Return the words that a candidate rests on; None if the turn has none."""
    for find in (_quoted, _nearly_quoted, _in_own_words):
        found = [
            Ground(line, at, mood_at(candidate, line, at)) for line, at in find(candidate, turn)
        ]
        if found:
            return min(found, key=lambda ground: ground.doubt)
    return None


def check(
    candidate: Candidate, turn: Turn, ground: Ground | None, speakers: Speakers
) -> Iterator[Verdict]:
    """Yield a verdict if a grounded candidate rests on nothing, no statement, or others' words."""
    text = candidate.text
    if ground is None:
        reason = "its quotation is not in the turn"
        if any(next(places(candidate.quote, line.text), None) for line in turn.before):
            reason = "only the exchange before says it"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="grounding/unquoted")
        return
    origin = candidate.origin
    if origin is Origin.DOCUMENT:
        reason = "it stands in a text that the user pasted or quoted"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="lineage/pasted")
    elif origin.trust is Trust.QUARANTINED:
        reason = "a tool said it, and the user did not"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="lineage/tool")
    elif ground.line.role is Role.ASSISTANT or (origin is Origin.AGENT and _is_personal(candidate)):
        reason = "the assistant said it, and the user did not"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="lineage/assistant")
    elif ground.mood is not None and not _may_rest_on(candidate, ground.mood, turn.said_at):
        reason = _REASONS[ground.mood]
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule=f"grounding/{ground.mood}")
    elif (asked := asked_before(ground.sentence, turn)) is not None:
        if not is_asked(candidate, asked, turn):
            reason = "the user agreed to something else"
            yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="grounding/unasked")
    elif candidate.ends and not may_be_ended(
        candidate, ground.sentence, ground.mood, beside_others=bool(speakers.outside.text.strip())
    ):
        reason = "its quotation does not say that this is over"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="grounding/unended")
    else:
        for rule, reason in ground.contradictions(candidate, turn):
            yield Verdict(action=Action.HOLD, text=text, reason=reason, rule=f"grounding/{rule}")
    if not candidate.ends and (unsaid := _missing(candidate, ground, speakers.everything)):
        reason = f"nobody said: {', '.join(unsaid)}"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="grounding/unsaid")


def grounded(candidate: Candidate, ground: Ground, speakers: Speakers) -> Candidate:
    """Return the candidate with its quotation, sentence, message and origin.

    What rests on a plan, a guess or the past is kept as such, and replaces nothing. A home for a
    while is a state.
    """
    found = replace(
        candidate,
        quote=ground.quote,
        sentence=ground.sentence,
        line=own_text(ground.line),
        messages=(ground.line.message,),
        origin=_origin(candidate, ground, speakers),
    )
    if corrects(ground.sentence):
        found = replace(found, valid_from=None)  # the date of an event: it is so from now on
    said_at = speakers.context.said_at
    if ground.mood is None or candidate.ends:
        return as_stay(found, ground.clauses, said_at)
    if not _may_rest_on(candidate, ground.mood, said_at):
        return found  # it is held as it was proposed
    return replace(found, key=None, value=None, replaces=(), instead_of=())


def _quoted(candidate: Candidate, turn: Turn) -> _Found:
    for line in turn.lines:
        yield from ((line, found) for found in places(candidate.quote, line.text))


def _nearly_quoted(candidate: Candidate, turn: Turn) -> _Found:
    for line in turn.lines:
        if found := nearly(candidate.quote, line.text):
            yield line, (found,)


def _in_own_words(candidate: Candidate, turn: Turn) -> _Found:
    """Yield the sentences that have half of the words of the statement itself."""
    words = content_terms(candidate.text) - added_terms()
    for line in turn.lines:
        if found := nearest(words, line.text, _HALF):
            yield line, (found,)


def _may_rest_on(candidate: Candidate, mood: Mood, said_at: datetime) -> bool:
    """Return whether words in this mood suffice: to end something, or to tell a plan as a plan.

    So does a statement with a day that is still to come.
    """
    if candidate.ends:
        return mood in _ENDING_MOODS
    if mood is Mood.PLAN and has_day_ahead(candidate.text, said_at):
        return True
    return mood in _TOLD and says(_TOLD[mood], candidate.text)


def _origin(candidate: Candidate, ground: Ground, speakers: Speakers) -> Origin:
    """Return the least trusted origin of the words that the candidate needs."""
    if speakers.outside.text.strip() and _is_drawn_from_outside(candidate, ground, speakers):
        return _less_trusted(ground.origin, Origin.TOOL)
    lacking = _missing(candidate, ground, speakers.context)
    if len(_missing(candidate, ground, speakers.inside)) < len(lacking):
        return _less_trusted(ground.origin, Origin.AGENT)
    return ground.origin


def _is_personal(candidate: Candidate) -> bool:
    """Return whether it is for the user to say: the assistant may know its own work."""
    return candidate.kind in _PERSONAL or names_user(candidate.text)


def _is_drawn_from_outside(candidate: Candidate, ground: Ground, speakers: Speakers) -> bool:
    """Return whether a tool or a pasted text says what, or more than, the user states.

    A model that obeys such a text can quote any words of the user.
    """
    unstated = {*_missing(candidate, ground, speakers.stated)}
    if unstated - {*_missing(candidate, ground, speakers.outside)}:
        return True
    words = content_terms(candidate.text)
    own = len(words & speakers.stated.terms)
    others = most_in_a_sentence(words, speakers.outside.text)
    if own or others or not words:
        return others > own
    return script_of(speakers.outside.text) != script_of(candidate.text)


def _missing(candidate: Candidate, ground: Ground, said: SaidText) -> list[str]:
    """Return the names, numbers and dates that nobody said; a name may be a translation."""
    names = said.lacks_names(candidate)
    if names and ground.origin is Origin.LEARNED:
        names = [
            name
            for name in names
            if not _is_translated(name, candidate, ground, said)
            and not has_word_for(name, candidate.text, ground.line.text, said.paraphrases)
        ]
    return [*names, *said.lacks_figures(candidate)]


def _is_translated(name: str, candidate: Candidate, ground: Ground, said: SaidText) -> bool:
    """Return whether a name may stand for a word in another language or script.

    What somebody is called is not translated, only written in other letters.
    """
    words = ground.sentence
    if is_japanese(candidate.text) and is_japanese(words) and is_unspaced(name):
        return shares_sign(name, said.text)  # kana and ideographs are one script
    scripts = script_of(name), script_of(words)
    if scripts[0] == scripts[1]:
        other = is_other_language(candidate.text, words) and not tells_name(candidate.text)
        return other and may_translate(name, words)
    whole = tells_name(candidate.text)
    if scripts[0] == "latin" and (whole or scripts[1] in _SPELLED):
        return is_place(name) or sounds_like(name, said.text, whole=whole)
    return may_translate(name, words)


def _rank(origin: Origin) -> int:
    """Return 0 for the user, 1 for the assistant, 2 for words from outside."""
    if origin.trust is Trust.QUARANTINED:
        return 2
    return int(origin is Origin.AGENT)


def _less_trusted(one: Origin, two: Origin) -> Origin:
    return max(one, two, key=_rank)
