"""The full-text index of facts, changed in the same transaction as the facts."""

from __future__ import annotations

from erstwhile.core.kinds import Trust
from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.storage.unit import Unit


def add(unit: Unit, fact: Fact, scope: int) -> None:
    """Index a new fact; its vector follows later."""
    terms, is_open = _terms(unit, fact), _is_open(fact)
    [(seq,)] = unit.rows(
        "add_text",
        {
            "fact": fact.id,
            "scope": scope,
            "open": int(is_open),
            "conversation": fact.source.conversation if fact.source else None,
            "terms": terms,
            "embeds": None if fact.key is None else f"{fact.key}: {fact.text}",
        },
    )
    _add_terms(unit, seq, scope, is_open, terms)
    unit.send("enqueue", {"seq": seq, "due_at": unit.stamp})


def change(unit: Unit, fact: Fact, scope: int) -> None:
    """Index a fact again if its terms or its state changed."""
    found = unit.rows("find_text", {"fact": fact.id})
    if not found:  # the fact was stored before the index existed
        add(unit, fact, scope)
        return
    [(seq, was_open, old_terms)] = found
    terms, is_open = _terms(unit, fact), _is_open(fact)
    if (terms, is_open) == (old_terms, bool(was_open)):
        return
    unit.send("change_text", {"seq": seq, "open": int(is_open), "terms": terms})
    unit.send("remove_terms", {"seq": seq}, "facts")
    _add_terms(unit, seq, scope, is_open, terms)


def remove(unit: Unit, fact: Fact) -> None:
    """Remove the terms and vectors of a fact."""
    for seq, _, _ in unit.rows("find_text", {"fact": fact.id}):
        unit.send("remove_terms", {"seq": seq}, "facts")
        unit.send("dequeue", {"seq": seq})
        unit.send("blank_vectors", {"seq": seq})
    unit.send("remove_text", {"fact": fact.id})


def indexed(terms: str, scope: int, is_open: bool) -> str:
    """Return all terms of a fact in the form of the full-text index."""
    mark = _mark(scope, is_open)
    return mark + terms.replace(" ", f" {mark}") if terms else ""


def marked(term: str, scope: int, is_open: bool) -> str:
    """Return a term in the form of the index: marked with its scope and whether it is open."""
    return _mark(scope, is_open) + term


def _mark(scope: int, is_open: bool) -> str:
    return f"{'o' if is_open else 'e'}{scope}ː"


def _add_terms(unit: Unit, seq: int, scope: int, is_open: bool, terms: str) -> None:
    unit.send("add_terms", {"seq": seq, "terms": indexed(terms, scope, is_open)}, "facts")


def _is_open(fact: Fact) -> bool:
    ended = fact.retired_at is not None or fact.deleted_at is not None
    return not ended and fact.trust is Trust.TRUSTED


def searched(fact: Fact) -> str:
    """Return the text to index: key, text, and the labels that the text does not contain."""
    labels = (*fact.entities, *fact.tags)
    text = folded(fact.text) if labels else ""
    missing = [label for label in labels if folded(label) not in text]
    return " \n ".join([fact.key or "", fact.text, *missing])


def _terms(unit: Unit, fact: Fact) -> str:
    return " ".join(unit.terms(searched(fact)))
