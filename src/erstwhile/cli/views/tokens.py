"""The view of tokens, without their secrets."""

from __future__ import annotations

from datetime import UTC, datetime

from erstwhile.cli.views.layout import Row, cell, row, scope_cell, second
from erstwhile.doors.tokens import Token


@row.register
def _token_row(token: Token, _at: datetime | None) -> Row:
    over = token.expired(datetime.now(UTC))
    return {
        "id": cell(token.id, "dim"),
        "name": cell(token.name, "bold"),
        "may": cell(token.right.value, "cyan"),
        "speaks for": cell("persons" if token.person else "an agent"),
        "space": cell(token.space),
        "made": cell(second(token.made_at)),
        "ends": cell(second(token.expires_at), "red" if over else ""),
        "scope": scope_cell(token.scope),
    }
