"""What the guard found, as a table."""

from __future__ import annotations

from datetime import datetime

from rich.text import Text

from erstwhile.cli.commands.guard import Finding
from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import ROWS

_STYLES = {"redact": "yellow", "hold": "bold yellow", "refuse": "bold red"}


def _finding_row(found: Finding, _at: datetime | None) -> dict[str, Text]:
    return {
        "line": Text("" if found.line is None else f"{found.line}", "dim"),
        "action": Text(found.action, _STYLES.get(found.action, "")),
        "rule": Text(found.rule, "cyan"),
        "reason": Text(safe_line(found.reason)),
    }


ROWS |= {Finding: _finding_row}
