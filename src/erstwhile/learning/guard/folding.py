"""Remove disguises from a copy of a text that only patterns see; it is never stored."""

from __future__ import annotations

import re
import unicodedata

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
        text = _WORD.sub(_unmasked, unicodedata.normalize("NFKC", text).translate(_DOTLESS))
        text = without_accents("".join(each for each in text if unicodedata.category(each) != "Cf"))
    text = _SPACED_OUT.sub(lambda found: _GAPS.sub("", found[0]), text)
    return _SPACES.sub(" ", text.casefold())


def without_accents(text: str) -> str:
    """Return the text without accents."""
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize(
        "NFC", "".join(each for each in decomposed if not "\u0300" <= each <= "\u036f")
    )


def imitates(text: str) -> str | None:
    """Return a word that mixes Latin letters with look-alikes; None if there is none.

    A host name of look-alikes alone is returned too. A Latin name with a Cyrillic ending, in a text
    that is Cyrillic elsewhere, is an inflected word, and is not returned.
    """
    if text.isascii():
        return None
    text, declined = text.translate(_DOTLESS), _is_cyrillic(text)
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


def _is_cyrillic(text: str) -> bool:
    """Return whether a text has Cyrillic letters that do not look Latin."""
    return bool(_CYRILLIC.search(text.translate(_LOOK_ALIKES)))


def _unmasked(found: re.Match[str]) -> str:
    return found[0].translate(_LOOK_ALIKES) if _is_mixed(found[0]) else found[0]
