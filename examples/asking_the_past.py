"""Ask what an agent knew when it made a decision.

Prints:
    today:           deploys need two approvals
    true in April:   deploys need two approvals
    known in April:  deploys need one approval
    why it changed:  the policy of March reached us late
"""

from __future__ import annotations

from datetime import UTC, datetime

import erstwhile


class Calendar:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.today = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.today


def main() -> None:
    calendar = Calendar()
    team = erstwhile.open(":memory:", clock=calendar).scoped(project="shop")

    rule = team.remember("deploys need one approval", kind="decision")
    calendar.today = deployed_at = datetime(2026, 4, 10, tzinfo=UTC)  # with one approval

    calendar.today = datetime(2026, 5, 2, tzinfo=UTC)
    newer = team.facts.replace(
        rule.id,
        "deploys need two approvals",
        reason="the policy of March reached us late",
        valid_from="2026-03-01",
    )

    print("today:          ", team.facts.list()[0].text)
    print("true in April:  ", team.facts.list(as_of=deployed_at)[0].text)
    print("known in April: ", team.facts.list(known_at=deployed_at)[0].text)
    print("why it changed: ", team.facts.history(newer.id)[-1].reason)


if __name__ == "__main__":
    main()
