"""The difference between two snapshots as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from erstwhile.blocks.versions import diff
from erstwhile.facts.fact import Fact

if TYPE_CHECKING:
    from erstwhile.snapshots.snapshot import ChangedBlock, ChangedFact, SnapshotDiff


def written(found: SnapshotDiff) -> str:
    """Return the report; a section that would be empty is left out."""
    head = (
        f"# Changes from {_second(found.since)} to {_second(found.until)}\n\nScope: {found.scope}"
    )
    return "\n\n".join([head, *_sections(found)]) + "\n"


def _sections(found: SnapshotDiff) -> Iterator[str]:
    if found.is_empty:
        yield "Nothing changed."
    listed = {
        "Learned": [_line(fact) for fact in found.learned],
        "Changed": [_change(pair) for pair in found.changed],
        "Ended": [f"{_line(fact)} ({fact.ending})" for fact in found.ended],
        "Deleted": [f"- `{fact.short_id}`" for fact in found.deleted],
        "New blocks": [f"- {_plain(block.name)}" for block in found.blocks_added],
        "Deleted blocks": [f"- {_plain(block.name)}" for block in found.blocks_deleted],
    }
    for title, lines in listed.items():
        if lines:
            yield f"## {title} ({len(lines):,})\n\n" + "\n".join(lines)
    if found.blocks_changed:
        changes = "\n\n".join(map(_block, found.blocks_changed))
        yield f"## Changed blocks ({len(found.blocks_changed):,})\n\n{changes}"


def _line(fact: Fact) -> str:
    return f"- {_plain(fact.text)} `{fact.short_id}`"


def _change(pair: ChangedFact) -> str:
    if pair.before.id != pair.after.id:
        return f"- {_plain(pair.before.text)} → {_plain(pair.after.text)} `{pair.after.short_id}`"
    return f"{_line(pair.after)}: {', '.join(pair.fields)}"


def _block(pair: ChangedBlock) -> str:
    text = diff(pair.before, pair.after) or "(same text)"
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"### {_plain(pair.after.name)}\n\n{fence}diff\n{text}\n{fence}"


def _plain(text: str) -> str:
    """Return a text on one line, in which no character is taken for Markdown."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))


def _second(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"
