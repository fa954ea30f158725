"""Invisible characters: a few are removed; a text that hides a message in them is refused.

Some invisible characters are part of normal writing, and stay. Joiners shape Persian and Hindi and
hold emoji families together. Tags spell the flags of England, Scotland and Wales. Variation
selectors choose the form of an emoji or of a Chinese character. Direction marks order Arabic mixed
with English. Patterns see a copy of each text without such disguises; it is never stored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from erstwhile.core.policies import Policy
from erstwhile.learning.candidate import GuardAction, Verdict

_MANY = 8
"""This number of invisible characters is no accident: with one bit each, they encode a letter."""
_ROUNDS = 4
"""The rounds of removal. Invisible characters that are still left are no accident."""
_SPARSE = 4
"""The share of joiners that no language reaches: one for every four letters."""
_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_EMOJI = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff\u00a9\u00ae\u2122"
_MODIFIED = rf"[{_EMOJI}](?:\ufe0f|[\U0001f3fb-\U0001f3ff])?"
_JOINED = (
    "\u0600-\u08ff\u0900-\u0dff\u0e80-\u109f\u1780-\u18af\u1a20-\u1c4f\ua800-\ua9df\uaa00-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U000116ff"
)
"""Scripts whose letters are shaped by joiners: Arabic, Syriac, the Indic ones, Khmer and others."""
_RTL = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_WRAPPED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u0f00-\u0fff"
"""Scripts in which an invisible space marks where a line may be broken."""

_PROPER = re.compile(
    "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"  # a flag
    rf"|[{_IDEOGRAPH}][\ufe00-\ufe0f\U000e0100-\U000e01ef]"  # a variant of a Chinese character
    rf"|(?:{_MODIFIED}\u200d)+{_MODIFIED}"  # a family, a profession
    r"|[^\W_\u3400-\U0003ffff]\u00ad(?=[^\W_])"  # where a word may be broken
    rf"|(?<=[{_JOINED}0-9])[\u200c\u200d](?=[{_JOINED}])"  # a letter's shape
    rf"|(?<=[{_JOINED}])[\u200c\u200d](?=[\s.,;:!?)]|$)"
    r"|\u034f(?=[\u0300-\u036f\u0591-\u05c7])"  # the order of two marks
    r"|(?<=[\u1780-\u17ff])[\u17b4\u17b5]|(?<=[\u1820-\u18aa])\u180e"  # Khmer, Mongolian
    rf"|(?<=[{_WRAPPED}])\u200b|\u200b(?=[{_WRAPPED}])"
    r"|[^\w\s\u200b-\u200f\u2060-\u206f]\ufe0e|[^\w\s\u200b-\u200f\u2060-\u206f]\ufe0f"
    r"|[0-9#*]\ufe0f\u20e3"  # a key
    r"|[\u1820-\u18aa\u1000-\u109f\ua840-\ua877][\ufe00-\ufe0f\u180b-\u180d]"
)
"""Places where an invisible character is part of normal writing."""
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_TAGS = re.compile("[\U000e0000-\U000e007f]{3}")
_BYTES = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}")
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202d\u2066-\u2069]")
_OVERRIDE = re.compile(
    f"\u202e[^\u202c\n]{{0,200}}?[A-Za-z0-9]|\u202d[^\u202c\n]{{0,200}}?[{_RTL}]"
)
_JOINERS = re.compile(f"(?<=[{_JOINED}])[\u200c\u200d]")
_LETTERS = re.compile(f"[{_JOINED}]")
_RIGHT_TO_LEFT = re.compile(f"[{_RTL}]")


def check_characters(text: str, _policy: Policy) -> Iterator[Verdict]:
    """Remove stray invisible characters; refuse hidden messages, hold imitated letters."""
    if text.isascii() and text.isprintable():
        return
    strays = "".join(_INVISIBLE.findall(_PROPER.sub("", text)))
    if hidden := _hidden(strays, text):
        yield Verdict(GuardAction.REFUSE, text, hidden[1], hidden[0])
    clean = _without_strays(text)
    if clean != text:
        reason = "invisible characters were removed"
        yield Verdict(GuardAction.REDACT, clean, reason, "characters/unseen")
    if _OVERRIDE.search(clean):
        reason = "it reverses the order of letters"
        yield Verdict(GuardAction.HOLD, clean, reason, "characters/override")
    if word := imitates(clean):
        reason = f"letters of another alphabet imitate Latin letters: {word}"
        yield Verdict(GuardAction.HOLD, clean, reason, "characters/look-alike")


def _hidden(strays: str, text: str) -> tuple[str, str] | None:
    """Return the rule and the reason if invisible characters can carry a message; else None."""
    if _TAGS.search(strays):
        return "characters/tags", "a text is hidden in it, in tag characters"
    if _BYTES.search(strays):
        return "characters/selectors", "a text is hidden in it, in variation selectors"
    if len(strays) >= _MANY:
        return "characters/hidden", f"it has {len(strays)} invisible characters"
    joiners = len(_JOINERS.findall(text))
    if joiners >= _MANY and joiners * _SPARSE > len(_LETTERS.findall(text)):
        return "characters/joiners", "it has more joiners than any language needs"
    return None


def _without_strays(text: str) -> str:
    """Remove strays, again and again, since removing one may leave another out of place."""
    for _ in range(_ROUNDS):
        clean = _cleaned(text)
        if clean == text:
            return text
        text = clean
    return _INVISIBLE.sub("", text)


def _cleaned(text: str) -> str:
    """Remove strays once. Direction marks stay in a text with letters from right to left."""
    text, kept, place = _CONTROL.sub("", text), list[str](), 0
    for proper in _PROPER.finditer(text):
        kept += (_INVISIBLE.sub("", text[place : proper.start()]), proper[0])
        place = proper.end()
    clean = "".join((*kept, _INVISIBLE.sub("", text[place:])))
    ordered = _RIGHT_TO_LEFT.search(clean) or _OVERRIDE.search(clean)
    return clean if ordered else _DIRECTION.sub("", clean)


_LOOK_ALIKES = str.maketrans({
    look: latin
    for latin, looks in {
        "a": "аα", "c": "сϲ", "d": "ԁ", "e": "еε", "g": "ԍɡց", "h": "һհ", "i": "іι", "j": "ј",
        "k": "кκ", "l": "ӏℓ", "m": "м", "n": "ո", "o": "оοօ", "p": "рρ", "q": "ԛ", "s": "ѕ",
        "t": "т", "u": "υս", "v": "ѵν", "w": "ԝ", "x": "хχ", "y": "уүγ",
        "A": "АΑ", "B": "ВΒ", "C": "С", "E": "ЕΕ", "G": "Ԍ", "H": "НΗ", "I": "ІΙ", "J": "Ј",
        "K": "КΚ", "M": "МΜ", "N": "Ν", "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "X": "ХΧ",
        "Y": "УΥ", "Z": "Ζ",
    }.items()
    for look in looks
})  # fmt: skip
"""Cyrillic, Greek, Armenian and a few other letters that look like Latin letters."""
_DOTLESS = str.maketrans("ı", "i")
"""A Latin letter, common in Turkish. So it imitates nothing, but may hide a word from patterns."""
_ACCENTS = dict.fromkeys(range(0x300, 0x370))
"""A table for `str.translate` that deletes combining accents."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_LATIN = re.compile("[a-zA-Z]")
_CYRILLIC = re.compile("[а-яёіїєґ]", re.IGNORECASE)
_DECLINED = re.compile(r"[A-Za-z]{2,}[а-яёіїєґ]{1,4}")
_HOST = re.compile(
    r"(?:(?<=//)|(?<=@)|(?<![\w.]))[^\W_]{3,60}(?=\.(?:[a-z]{2,10}\b|[^\W_]{2,60}\.[a-z]))"
)
_SPACED_OUT = re.compile(r"(?<!\w)(?:[^\W\d_][ .\-_*]){4,60}[^\W\d_](?!\w)")
_GAPS = re.compile(r"[ .\-_*]")
_SPACES = re.compile(r"[^\S\n]+")


def undisguised(text: str) -> str:
    """Return the text in lower case without accents, look-alikes, invisible characters and gaps."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_DOTLESS)
        text = _WORD.sub(
            lambda word: word[0].translate(_LOOK_ALIKES) if _is_mixed(word[0]) else word[0], text
        )
        text = without_accents("".join(each for each in text if unicodedata.category(each) != "Cf"))
    text = _SPACED_OUT.sub(lambda found: _GAPS.sub("", found[0]), text)
    return _SPACES.sub(" ", text.casefold())


def without_accents(text: str) -> str:
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFD", text).translate(_ACCENTS)
    return unicodedata.normalize("NFC", plain)


def imitates(text: str) -> str | None:
    """Return a word that mixes Latin letters with look-alikes; None if there is none.

    A host name of look-alikes alone is returned too. A Latin name with a Cyrillic ending, in a text
    that is Cyrillic elsewhere, is an inflected word, and is not returned.
    """
    if text.isascii():
        return None
    text = text.translate(_DOTLESS)
    declined = _CYRILLIC.search(text.translate(_LOOK_ALIKES))
    for found in _WORD.finditer(text):
        if _is_mixed(found[0]) and not (declined and _DECLINED.fullmatch(found[0])):
            return found[0]
    hosts = (found[0] for found in _HOST.finditer(text) if not found[0].isascii())
    return next((host for host in hosts if host.translate(_LOOK_ALIKES).isascii()), None)


def _is_mixed(word: str) -> bool:
    """Return whether all non-Latin letters of a word look Latin: `раypal`, not `μs` or `hν`."""
    if len(word) < 3 or word.isascii() or not _LATIN.search(word):
        return False
    plain = word.translate(_LOOK_ALIKES)
    return plain != word and plain.isascii()
