"""Statements with all their variants, and those that read a whole space on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from erstwhile.storage.statements import SLOT, Statements

WHOLE_SPACE = {
    "orphaned_entities": "an erasure looks at every entity",
    "list_embedders": "a space has one embedder, or two while it changes",
    "serve": "the same",
    "drop_embedders": "the same",
    "drop_vectors": "all vectors of the old embedder go",
    "count_texts": "asked once, before everything is embedded anew",
    "count_outbox": "of what waits nothing is left out",
    **dict.fromkeys(
        (
            "scopes_within",
            "count_within",
            "ids_within",
            "records_within",
            "facts_within",
            "count_kept_within",
            "blocks_within",
            "decisions_within",
            "conversations_within",
            "remove_uses_within",
        ),
        "the erasure of a person looks at every scope",
    ),
    **dict.fromkeys(
        (
            "find_outlived",
            "count_outlived",
            "check_outlived",
            "find_long_blocks",
            "count_old_versions",
            "count_deleted",
            "count_sealable",
            "keep_entries",
            "orphaned_passages",
            "orphaned_vectors",
            "orphaned_waiting",
            "index_against_rows",
            "unindexed_passages",
            "surplus_terms",
            "unqueued_texts",
            "miscounted_partitions",
            "miscounted_conversations",
        ),
        "maintenance and repairs look at every row",
    ),
    "renew_maintenance": "a space has one row",
    "end_maintenance": "the same",
    "maintenance_lease": "the same",
    "forget_answers": "an erasure rewrites the whole store",
    "first_beyond": "a repair of times looks at every row",
}
"""The names with their reasons."""


def of_one_scope(text: str) -> bool:
    """Return False for counts over everything, which have to read everything."""
    return "scopes AS s" not in text or ":user" in text or ":scope" in text or ":id" in text


def variants(sql: Statements, name: str) -> Iterator[str]:
    """Yield a statement with every combination of choices that its slots allow."""
    chosen = {
        tuple(key.split(".")[1] for key in sql.fragments if key.startswith(f"{slot}."))
        for slot in _slots(sql, sql.texts[name])
        if slot not in sql.fragments
    }
    for choices in product(*sorted(chosen)):
        yield sql[name, *choices]


def _slots(sql: Statements, text: str) -> set[str]:
    """Return all slots of a text, including those inside its fragments."""
    met: set[str] = set()
    for slot in SLOT.findall(text):
        inner = [part for key, part in sql.fragments.items() if key.split(".")[0] == slot]
        met |= {slot}.union(*(_slots(sql, part) for part in inner))
    return met
