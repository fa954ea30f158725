"""Checks of the guard, and their verdicts on a text or on a candidate.

Rules come from files such as `injection.toml`; each has an action and a reason. Links and encoded
texts may load or run something when a program shows or obeys them. Budgets bound the characters of
learned facts per group of kinds and scope, so that chatter cannot crowd out the profile of a
person. A prompt has budgets of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote

from erstwhile.core.kinds import Kind, State
from erstwhile.core.policies import Personal, Policy
from erstwhile.facts.fact import Relation
from erstwhile.learning.candidate import Candidate, GuardAction, Verdict
from erstwhile.learning.guard.characters import check_characters, undisguised, without_accents
from erstwhile.rule_files import TextRule, read_rules
from erstwhile.secrets.masking import mask_text
from erstwhile.secrets.searched_text import BASE64
from erstwhile.secrets.values import decode_base64, decode_bytes
from erstwhile.storage.access import Access

_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?(?:[0-9A-Fa-f]{2}){20,}+(?![0-9A-Za-z])")
_PERCENT = re.compile(r"[^\s%/?&=]{0,20}(?:%[0-9A-Fa-f]{2}[^%\s/?&=]{0,20}+){6,}+")
_SENTENCE = 6
_BLOB = 200
"""The length of an encoded text that may contain a whole message."""
_PERSONAL_ACTIONS = {
    Personal.MASK: GuardAction.REDACT,
    Personal.HOLD: GuardAction.HOLD,
    Personal.REFUSE: GuardAction.REFUSE,
}


@dataclass(frozen=True, kw_only=True)
class GuardRule(TextRule):
    """A pattern for one kind of text, perhaps in one language. Several rules may share a name."""

    action: GuardAction
    reason: str

    def matches(self, text: str) -> bool:
        """Return whether the rule matches; without one of its hints it cannot."""
        return (not self.hints or any(hint in text for hint in self.hints)) and bool(
            self.regex.search(text)
        )


def verdicts(file: str, text: str, searched: str) -> Iterator[Verdict]:
    """Yield one verdict for each rule name of the file that matches the searched form of a text."""
    found = set[str]()
    for rule in guard_rules(file):
        if rule.name not in found and rule.matches(searched):
            found.add(rule.name)
            name = f"{file}/{rule.name}"
            yield Verdict(rule.action, text, rule.reason, name)


def verdicts_on_prose(file: str, text: str, _policy: Policy | None = None) -> Iterator[Verdict]:
    """Yield the verdicts on a text without case, accents and disguises."""
    return verdicts(file, text, undisguised(text))


@cache
def guard_rules(file: str) -> tuple[GuardRule, ...]:
    """Return the rules of a file without accents, like the texts that they search."""
    return read_rules(Path(__file__).with_name(f"{file}.toml")).rules_as(
        GuardRule,
        action=GuardAction,
        hints=lambda hints: tuple(map(undisguised, hints)),
        pattern=without_accents,
    )


def check_links(text: str, _policy: Policy) -> Iterator[Verdict]:
    """Find links and encoded texts that may load or run something.

    Encoded orders to a model are refused; encoded sentences, secrets and long parts are held.
    """
    yield from verdicts("links", text, text)
    hexes = (found[0].removeprefix("0x") for found in _HEX.finditer(text))
    decoded = [decode_base64(found[0]) for found in BASE64.finditer(text)]
    decoded += [decode_bytes(bytes.fromhex(each)) for each in hexes]
    read = [each for each in decoded if each]
    spelt = (unquote(found[0]) for found in _PERCENT.finditer(text))  # spaces in an address
    if any(next(verdicts_on_prose("injection", each), None) for each in (*read, *spelt)):
        reason = "it has instructions for a model in encoded text"
        yield Verdict(GuardAction.REFUSE, text, reason, "links/coded")
    elif any(len(each.split()) >= _SENTENCE or mask_text(each) != each for each in read):
        reason = "it has a sentence or a secret in encoded text"
        yield Verdict(GuardAction.HOLD, text, reason, "links/coded")
    elif any(len(found[0]) >= _BLOB and _is_blob(found[0]) for found in BASE64.finditer(text)):
        reason = "it has a long encoded text that cannot be decoded"
        yield Verdict(GuardAction.HOLD, text, reason, "links/blob")


def _is_blob(code: str) -> bool:
    """Return whether a text is a long blob of mixed letters and digits, not a hash or a path."""
    pieces = re.split(r"[/_-]", code)
    mixed = any(each.islower() for each in code) and any(each.isupper() for each in code)
    return (
        mixed and any(each.isdigit() for each in code) and len(max(pieces, key=len)) >= _BLOB // 8
    )


def check_personal_data(text: str, policy: Policy) -> Iterator[Verdict]:
    """Find personal data by its form and its checksum: no names and no postal addresses."""
    if policy.pii is Personal.KEEP:
        return
    for rule in personal_rules():
        masked = rule.regex.sub(partial(_mask_match, rule), text)
        if masked == text:
            continue
        if policy.pii is Personal.MASK:
            text = masked
        reason = f"it has personal data in it: {rule.name}"
        yield Verdict(_PERSONAL_ACTIONS[policy.pii], text, reason, f"pii/{rule.name}")


@cache
def personal_rules() -> tuple[TextRule, ...]:
    """Return the rules of `pii.toml`; their checks are functions of this module."""
    file = read_rules(Path(__file__).with_name("pii.toml"))
    return file.rules_as(TextRule, check=globals().__getitem__)


def _mask_match(rule: TextRule, found: re.Match[str]) -> str:
    return f"[masked:{rule.name}]" if rule.check(found[0]) else found[0]


def _digits(text: str) -> list[int]:
    return [int(each) for each in text if each.isdigit()]


def is_card(text: str) -> bool:
    """Return whether Luhn's checksum fits: each second digit from the right counts double."""
    digits = _digits(text)[::-1]
    doubled = [sum(divmod(2 * each, 10)) for each in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def is_iban(text: str) -> bool:
    """Return whether the checksum fits: the number modulo 97 is 1."""
    plain = re.sub(r"[ -]", "", text).upper()
    number = "".join(str(int(each, 36)) for each in plain[4:] + plain[:4])
    return 15 <= len(plain) <= 34 and int(number) % 97 == 1


def is_chinese_id(text: str) -> bool:
    """Return whether the check digit of a Chinese identity number fits (GB 11643)."""
    weighed = sum(int(digit) * 2 ** (17 - place) for place, digit in enumerate(text[:17]))
    return "10X98765432"[weighed % 11] == text[17].upper()


def is_address(text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def is_phone(text: str) -> bool:
    """Return whether a number can be called, and is not a count, date, version or address."""
    count = len(_digits(text))
    called = text.startswith(("+", "(", "00", "0")) or re.fullmatch(r"1[3-9]\d{9}", text)
    grouped = re.fullmatch(r"\d{3}[-. ]\d{3}[-. ]\d{4}", text)
    return 8 <= count <= 15 and bool(called or grouped)


Check = Callable[[str, Policy], Iterable[Verdict]]
_MASK = re.compile(r"\[masked:([\w-]+)\]")
PROFILE, REST = "profile", "rest"
"""The groups: profile, preferences and instructions of a person, and all other kinds."""
_PROFILE_KINDS = frozenset({Kind.PROFILE, Kind.PREFERENCE, Kind.INSTRUCTION})


def _check_secrets(text: str, _policy: Policy) -> Iterator[Verdict]:
    masked = mask_text(text)
    if masked != text:
        kinds = Counter(_MASK.findall(masked)) - Counter(_MASK.findall(text))
        reason = f"a secret in it was masked: {', '.join(kinds)}"
        yield Verdict(GuardAction.REDACT, masked, reason, "secrets/masked")


def _check_size(text: str, policy: Policy) -> Iterator[Verdict]:
    """Refuse a blank or a too long text. Short texts pass: two Chinese characters can say a lot."""
    if not text.strip():
        yield Verdict(GuardAction.REFUSE, text, "it is blank", "size/blank")
    if len(text) > policy.longest:
        reason = f"it has {len(text):,} characters, {policy.longest:,} are allowed"
        yield Verdict(GuardAction.REFUSE, text, reason, "size/long")


_check_injection = partial(verdicts_on_prose, "injection")
"""Find words that give orders to a language model."""
_check_transient = partial(verdicts_on_prose, "transient")
"""Find texts that are wrong tomorrow: passing states, and failures of tools.

A fact of the kind `state` that expires may hold a passing state. A failure would keep an agent from
trying again.
"""
CHECKS: tuple[Check, ...] = (
    # Invisible characters are removed first, so that they hide nothing from the other checks.
    check_characters,
    _check_secrets,
    check_personal_data,
    _check_size,
    _check_injection,
    check_links,
    _check_transient,
)
"""The checks of a text, in order. Each sees the text as the checks before it left it."""
LABEL_CHECKS = tuple(each for each in CHECKS if each not in (_check_size, _check_transient))
"""The checks of names, which are not statements."""
NOTE_CHECKS = tuple(each for each in LABEL_CHECKS if each is not check_personal_data)
"""The checks of notes, which may be long, about the present, and about people."""
_MASKING: tuple[Check, ...] = (_check_secrets, check_personal_data)
"""The checks of reasons, which quote parts of the text."""
_DEFAULT = Policy()


def examine(
    text: str, policy: Policy = _DEFAULT, checks: Iterable[Check] = CHECKS
) -> tuple[Verdict, ...]:
    """Return the verdicts of the checks on a text; without a verdict, it may be stored.

    Each verdict has the text that is left after the last check.
    """
    found = list[Verdict]()
    for check in checks:
        for verdict in check(text, policy):
            text = verdict.text
            found.append(verdict)
    return tuple(replace(each, text=text) for each in found)


def guarded(candidate: Candidate, policy: Policy, room: dict[str, int]) -> Candidate:
    """Return the candidate as it may be stored, with the verdicts on it.

    `room` is the number of characters left for each group of kinds; see `budgets`. An accepted
    candidate uses some of it. One that ends a fact needs none.
    """
    clean, verdicts = _redacted(candidate, policy)
    # Something passing may be kept as a state, or if a model verifies it.
    lasting = candidate.kind is Kind.STATE or candidate.by_model
    found = [each for each in verdicts if not (lasting and each.rule == "transient/chatter")]
    if not candidate.ends:
        found += check_budget(clean.text, clean.kind, room)
    elif not candidate.replaces:  # there is nothing to keep in quarantine
        found = [
            replace(each, action=GuardAction.REFUSE) if each.action is GuardAction.HOLD else each
            for each in found
        ]
    clean = clean.judged(*(replace(each, text=clean.text) for each in found))
    if not (clean.refused or clean.held or clean.ends):
        room[group_of(clean.kind)] -= len(clean.text)
    return clean


def kept(text: str, verdicts: tuple[Verdict, ...]) -> str:
    """Return the text that may be stored after these verdicts."""
    return verdicts[-1].text if verdicts else text


def masked(text: str, policy: Policy) -> str:
    """Return a text without secrets, and without personal data unless the policy keeps it."""
    if policy.pii is not Personal.KEEP:
        policy = replace(policy, pii=Personal.MASK)
    return kept(text, examine(text, policy, _MASKING))


def _redacted(candidate: Candidate, policy: Policy) -> tuple[Candidate, list[Verdict]]:
    """Return the candidate with clean texts and names, and the verdicts on them."""
    found = list[Verdict]()

    def clean(text: str, checks: tuple[Check, ...] = LABEL_CHECKS) -> str:
        verdicts = examine(text, policy, checks)
        found.extend(verdicts)
        return kept(text, verdicts)

    redacted = replace(
        candidate,
        text=clean(candidate.text, CHECKS),
        key=None if candidate.key is None else clean(candidate.key),
        value=None if candidate.value is None else clean(candidate.value),
        entities=tuple(map(clean, candidate.entities)),
        relations=tuple(Relation(*map(clean, each)) for each in candidate.relations),
        instead_of=tuple(map(clean, candidate.instead_of)),
        quote=kept(candidate.quote, examine(candidate.quote, policy, _MASKING)),
    )
    return redacted, found


def group_of(kind: Kind) -> str:
    """Return the group whose budget a fact of this kind uses."""
    return PROFILE if kind in _PROFILE_KINDS else REST


def budgets(policy: Policy) -> dict[str, int]:
    """Return the budget of each group: characters of live learned facts that are not confirmed."""
    return {PROFILE: policy.profile_characters, REST: policy.other_characters}


def room_left(access: Access, policy: Policy) -> dict[str, int]:
    """Return the unused characters of each group."""
    room = budgets(policy)
    for kind, characters in access.ask(
        lambda view: view.rows("characters_learned", {}, State.LIVE, "own")
    ):
        room[group_of(Kind(kind))] -= int(characters)
    return room


def check_budget(text: str, kind: Kind, room: Mapping[str, int]) -> Iterator[Verdict]:
    """Hold a text that is longer than the room left for its group; a group may have no limit."""
    group = group_of(kind)
    left = room.get(group)
    if left is not None and len(text) > left:
        reason = f"{len(text):,} characters, and the group {group!r} has room for {max(left, 0):,}"
        yield Verdict(GuardAction.HOLD, text, reason, f"budget/{group}")
