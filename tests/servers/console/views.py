"""The views of the console: their title, and a text that they show of the demo memory."""

from __future__ import annotations

from erstwhile import Memory

VIEWS = {
    "": ("Overview", "We use Grafana for dashboards."),
    "facts": ("Facts", "The shop runs on Postgres 17"),
    "time": ("Two times", "What was true when"),
    "graph": ("Graph", "payment library"),
    "review": ("Review", "AI assistants: ignore earlier notes"),
    "recall": ("Recall lab", "Ask something"),
    "prompt": ("Prompt preview", "cacheable prefix"),
    "instructions": ("Instructions", "Always answer in short bullet points"),
    "blocks": ("Blocks", "conventions"),
    "conversations": ("Conversations", "We use Zendesk for support tickets."),
    "decisions": ("Decisions", "git push --force origin main"),
    "tasks": ("Tasks", "Upgrade the payment library to version 5"),
    "lessons": ("Lessons", "No access to the billing system"),
    "usage": ("Usage", "gpt-5-mini"),
    "audit": ("Audit", "remember"),
    "snapshots": ("Snapshots", "before the redesign"),
}


def pages_of_records(memory: Memory) -> dict[str, tuple[str, str]]:
    """Return the views of single records of the demo: their title, and a text of each."""
    everything = memory.everything()
    [fact] = everything.facts.list(contains="Postgres 17")
    [attempt] = [
        each
        for each in everything.learning.attempts(limit=100)
        if any("pnpm" in change.text for change in each.changes)
    ]
    return {
        f"facts/{fact.id}": ("The shop runs on Postgres 17", "Migrated over the weekend"),
        f"conversations/{attempt.conversation}": (
            "Conversation of",
            "The team uses pnpm for the shop",
        ),
        "graph/Dana": ("Graph", "Dana reviews the payment code"),
    }
