"""Checks of the guard, and their verdicts on a text or on a candidate.

Budgets bound the characters of learned facts per group of kinds and scope, so that chatter cannot
crowd out the profile of a person. A prompt has budgets of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from erstwhile.core.kinds import Kind, State
from erstwhile.core.policies import Personal, Policy
from erstwhile.facts.fact import Relation
from erstwhile.learning.candidate import Candidate, GuardAction, Verdict
from erstwhile.learning.guard.characters import check_characters
from erstwhile.learning.guard.rules import check_links, check_personal_data, verdicts_on_prose
from erstwhile.secrets.masking import mask_text
from erstwhile.storage.access import Access

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
