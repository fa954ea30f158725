"""Decide whether a value after a name such as "password" is a secret.

"The password is hunter2" reveals a secret. "The password is required", "is 8-64 characters", "is in
$VAULT" and "is hashed with sha256" do not. A text that is masked by mistake is lost, so a plain
word without quotes is not masked. The rules in `named.toml` refer to these functions by name.
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from functools import cache
from hashlib import sha256
from math import log2
from pathlib import Path
from unicodedata import category

from erstwhile.rule_files import read_rules

_STANDARD_BASE64 = bytes.maketrans(b"-_", b"+/")
NAMED = Path(__file__).with_name("named.toml")
_NOT_SIGNS = frozenset("-_./'’,:;()[]…")
"""Signs that join words. They do not turn a word into a password."""
_REFERENCE = re.compile(
    r"[$%<{(\[]|os\.|process\.|env\.|(?:self|this|settings|config|user|args|request|data)\."
    r"|[~.]{1,2}/|//|/[a-z0-9_.-]+/[a-z0-9_./-]+$|[a-z][\w+.-]*://|[\w.+-]+@[\w-]+\.\w|[A-Za-z_][\w.]*[(\[]"
    r"|(?i:https?:|www\.)"
)
"""References to a secret: variables, addresses, paths and calls."""
_UNIT = (
    r"(?:bit|byte|char|character|digit|letter|number|word|symbol|day|week|month|year|hour|minute|min"
    r"|second|sec|h|d|s|ms|x|k|kb|mb|st|nd|rd|th|am|pm|factor|step|fold|times|stellig|way)s?"
)
_TERM = re.compile(
    rf"(?i)(?:\d+[-–]?{_UNIT}(?:[-–]\w{{1,12}}){{0,2}}|\d+[-–+]\d*\+?{_UNIT}?"
    r"|(?:sha|md|base|utf|aes|rsa|rs|hs|es|rfc|iso|ipv|oauth|pbkdf|argon|fido|webauthn|http|tls|ssl"
    r"|gpio|varchar|int|float|uint|ios|windows|win|office|erc|k8s|ec|log4j|cve|gpt|v|ver|version)"
    r"[-_./]?v?\d+(?:[-._]\d+)*[a-z]{0,2}(?:[-_]\w{1,10})?"
    r"|(?:1|last|dash)pass(?:word)?\w{0,3}|[23]fa|u2f|h2o|k8s|x\.?509|p12|ed25519"
    r"|\d{1,2}:\d\d(?::\d\d)?[a-z]{0,3}|v?\d+(?:\.\d+)+\w{0,8}|[\d.]+e[+-]?\d+j?)"
)
"""Lengths, times, algorithms, standards, versions and well-known names that contain digits."""
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_NAME_WITH_DIGITS = re.compile(
    r"(?:[^\W\d_]+[-_.])?[^\W\d_]{3,}\d{0,5}[A-Z]?|[^\W\d_]{3,}\d{0,5}[-_.:]\d{1,4}|\d{1,2}[.-]?[A-Z][a-z]{2}[.-]?\d{2,4}"
    r"|\w+\.[a-z]{1,5}:\d+|\d[\d.,:]*[%€$£°h]\S{0,10}|[#@&%~^+*].*|.*/.*|[a-z_]\w{0,30}=\S*"
)
"""Names such as `Windows11` and `getUser2`, dates, amounts, tags and paths."""
_TICKET = re.compile(r"[A-Z]{2,10}-\d{1,6}")
_SLUG = re.compile(r"[a-z]+(?:[-_/.][a-z0-9]{1,12})+")
_DIGITS = re.compile(r"\d{4,12}[#*]?|\d{1,4}(?:-\d{1,4}){2,3}")
_UUID = re.compile(r"(?i)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_UNFILLED = re.compile(r"(?i)x{8}|\byour[-_]|EXAMPLE\b")
"""What manuals write in place of a key."""
_SHAPES = re.compile(r"[a-z]+|[A-Z]+|\d+")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_STAND_INS = frozenset({"pass", "password", "PASSWORD", "Pass", "pwd", "secret"})
_OTHER_SIGNS = re.compile(r"[=(){}<>|\\]|://|@[\w-]+\.")
_NAMES_OF_TOOLS = (
    "1password", "android", "iphone", "keepass", "macbook", "oauth", "office", "windows", "wpa",
)  # fmt: skip
_NOUN = (
    r"(?:pass(?:word|wd|phrase|wort)?|pwd|pw|secret|token|(?:api[-_]?)?key|senha|contrase[nñ]as?"
    r"|парол[ья])s?"
)
_STAND_IN = re.compile(
    r"(?:my|your|the|db|user|new|wrong|correct|secure|strong|hashed|invalid|old|some|test|example|admin|root|default|app|mein|dein|mon|mi)?"
    rf"[-_.]?{_NOUN}(?:[-_.]?{_NOUN}){{0,2}}"
    r"(?:[-_.]?(?:here|value|name|goes|hash|field|text|input|str|string|confirm(?:ation|ed)?)){0,2}"
    r"|(?:your|my|some|the)[-_.]\S{1,60}|[^\W\d]{1,60}[-_](?:here|placeholder|example)"
)
"""Words in place of a password, as programs and manuals have them."""
_NAMELIKE = re.compile(r"(?i)pass|pwd|passe|wort|word|secret|token|key|senha|contrase|парол")


@cache
def secret_words(name: str) -> frozenset[str]:
    """Return one list of words of `named.toml`."""
    return frozenset(read_rules(NAMED).words[name])


def looks_random(value: str) -> bool:
    """Return whether a value mixes letters with digits or signs, and few characters repeat."""
    return _is_mixed(value) and not _is_other(value) and _entropy(value) >= 2.5


def is_password(value: str) -> bool:
    """Return whether a value looks like a password, or is a number of four or more digits."""
    value = value.strip("*_")  # of Markdown
    if not value or _is_other(value):
        return False
    return bool(_DIGITS.fullmatch(value)) or (len(value) >= 5 and _is_mixed(value))


def is_mixed_password(value: str) -> bool:
    """Return whether a value is a password and not only a number."""
    return is_password(value) and _is_mixed(value)


def is_new_password(value: str) -> bool:
    """Return whether a value after "changed to" is a password, and not the name of a host."""
    return is_mixed_password(value) and not _SLUG.fullmatch(value)


def is_strong_password(value: str) -> bool:
    """Return whether a value cannot well be anything but a password: few words look like it.

    It mixes letters with digits and signs, or capitals, small letters and digits.
    """
    if _is_other(value) or _OTHER_SIGNS.search(value) or value.lower().startswith(_NAMES_OF_TOOLS):
        return False
    letters = [each for each in value if each.isalpha()]
    digits = any(each.isdigit() for each in value)
    signs = any(not each.isalnum() and each not in _NOT_SIGNS for each in value)
    cases = any(each.isupper() for each in letters) and any(each.islower() for each in letters)
    return len(letters) >= 2 and digits and (signs or (cases and len(value) >= 7))


def is_password_nearby(value: str) -> bool:
    """Return whether a word near a word for passwords is one, and no other name."""
    return is_strong_password(value) and not _NAME_WITH_DIGITS.fullmatch(value)


def is_given(value: str) -> bool:
    """Return whether a value after an option is a password, and not a variable or a path."""
    return not _is_other(value) and value.lower() not in secret_words("talk")


def is_cell(value: str) -> bool:
    """Return whether a cell in a column of passwords holds one, and no word about passwords."""
    word = value.lower()
    about = (
        not secret_words("talk").isdisjoint(word.split())
        or _STAND_IN.fullmatch(word)
        or not value.strip("*•x.-")
    )
    return len(value) >= 3 and len(value.split()) <= 2 and not about and not _is_other(value)


def is_assigned(value: str) -> bool:
    """Return whether a value after `NAME_TOKEN=` is a secret: a word or a mixture, not a number."""
    return is_cell(value) and any(map(str.isalpha, value)) and len(set(value)) > 1


def is_number(value: str) -> bool:
    """Return whether a number has at least two different digits; 0000 is a placeholder."""
    return len(set(value)) > 1


def is_login(value: str) -> bool:
    """Return whether a value is a user name and a password, and not a placeholder in a manual."""
    password = value.partition(":")[2]
    return bool(password.strip("*")) and password not in _STAND_INS and not _is_other(password)


def is_key(value: str) -> bool:
    """Return whether a value is a generated key: long, with digits, and not words with hyphens."""
    digits = any(each.isdigit() for each in value)
    return len(value) >= 12 and digits and looks_random(value) and not _SLUG.fullmatch(value)


def is_generated(value: str) -> bool:
    """Return whether a program made a value: long, and of many short runs of letters and digits."""
    if _HEX.fullmatch(value):
        return len(value) >= 32 and is_hex_key(value)
    runs = _SHAPES.findall(value)
    kinds = {run[0].isdigit() or run.isupper() + 2 for run in runs}
    mixed = len(kinds) == 3 or (True in kinds and len(value) >= 24)
    words = [each for each in re.split(r"[-_]", value) if each.isalpha() and each.islower()]
    public = _is_other(value) or _UUID.fullmatch(value) or len(words) > 2
    return mixed and len(runs) >= 0.2 * len(value) and _entropy(value) >= 3.5 and not public


def is_auth(value: str) -> bool:
    """Return whether a value is a login or a key, as programs store it in base64."""
    return is_generated(value) or is_credentials(value)


def is_issued(value: str) -> bool:
    """Return whether a value with the form of an issued key is no placeholder of a manual."""
    return not _UNFILLED.search(value)


def is_network_key(value: str) -> bool:
    """Return whether a value of eight and more characters opens a wireless network."""
    words = "-" in value and any(map(str.isupper, value))
    return value.isdigit() or is_mixed_password(value) or (words and not _is_other(value))


def is_hex_key(value: str) -> bool:
    """Return whether hexadecimal digits look random, and are no address or fingerprint."""
    digits = value.lower().removeprefix("0x")
    public = len(digits) == 40 and (digits != value.lower() or value.isupper())
    return not public and len(set(digits)) >= 8 and not digits.isdigit()


def is_wallet_key(value: str) -> bool:
    """Return whether a value is a private key in the import format of wallets (WIF)."""
    number = 0
    for each in value:
        number = number * 58 + _BASE58.index(each)
    data = number.to_bytes(40, "big").lstrip(b"\0")
    return data[:1] == b"\x80" and sha256(sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


def is_seed_phrase(value: str) -> bool:
    """Return whether words are a seed phrase: hardly one of them joins words in sentences."""
    words = re.findall(r"[^\W\d_]+", value.lower())
    talk = sum(word in secret_words("talk") or word in secret_words("linking") for word in words)
    return talk <= len(words) // 8


def is_person_number(value: str) -> bool:
    """Return whether a value is a number that a state gives to a person: 9 to 18 digits."""
    digits = [each for each in value if each.isdigit()]
    return 9 <= len(digits) <= 18 and len(set(digits)) > 2


def is_quoted_password(value: str) -> bool:
    """Return whether a quoted value is a password: one word, or three and more plain words."""
    words = value.split()
    if len(words) == 1:
        return is_password(value) or is_word(value)
    talk = sum(word.lower() in secret_words("talk") for word in words)
    plain = all(word.replace("-", "").isalnum() for word in words)
    if len(words) == 2:
        return plain and not talk and value.islower() and not _NAMELIKE.search(value)
    return len(words) >= 3 and plain and talk <= len(words) // 4


def is_word(value: str) -> bool:
    """Return whether a value is a plain word that is rare in sentences about passwords."""
    plain = value.isascii() and value.replace("-", "").replace("_", "").isalpha()
    common = value.lower() in secret_words("talk") or _STAND_IN.fullmatch(value.lower())
    return plain and len(value) >= 4 and len(set(value)) > 2 and not common and not _is_other(value)


def is_credentials(value: str) -> bool:
    """Return whether a value is a user name and a password in base64, as in an HTTP header."""
    return ":" in decode_base64(value)


def _is_other(value: str) -> bool:
    return bool(
        _REFERENCE.match(value)
        or _TERM.fullmatch(value)
        or _TICKET.match(value)
        or (len(value) < 50 and _is_attribute(value))
    )


def _is_attribute(value: str) -> bool:
    """Return whether a value is an attribute in a program, such as `settings.db_password2`."""
    if not _ATTRIBUTE.fullmatch(value):
        return False
    return not any(map(str.isdigit, value)) or bool(_NAMELIKE.search(value))


def _is_mixed(value: str) -> bool:
    letters = any(each.isalpha() for each in value)
    return letters and any(_is_odd(each) for each in value)


def _is_odd(sign: str) -> bool:
    """Return whether a sign is not part of a word, as accents and vowel signs are."""
    return not sign.isalpha() and sign not in _NOT_SIGNS and not category(sign).startswith("M")


def _entropy(value: str) -> float:
    """Return the entropy in bits per character."""
    shares = [value.count(each) / len(value) for each in set(value)]
    return -sum(share * log2(share) for share in shares)


def decode_base64(code: str) -> str:
    """Return the decoded text; an empty text if it is not readable."""
    plain = code.rstrip("=").encode().translate(_STANDARD_BASE64)
    try:
        return decode_bytes(a2b_base64(plain + b"=" * (-len(plain) % 4)))
    except Error:
        return ""


def decode_bytes(data: bytes) -> str:
    """Return bytes as text; an empty text if they are not readable."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() or "\n" in text else ""
