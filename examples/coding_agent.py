"""A coding agent whose next session knows the facts of the first one.

Prints:
    Before the task:
      - [rules] Ana wants type hints everywhere
      - [project] The shop runs on Postgres 17
    Waiting for somebody to confirm:
      - The README says that tests need Redis
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import erstwhile
from erstwhile import Memory


def first_session(agent: Memory) -> None:
    """Store facts, correct one, and read a file that is not trusted."""
    database = agent.remember("The shop runs on MySQL 8", kind="environment", entities=["shop"])
    agent.facts.replace(database.id, "The shop runs on Postgres 17", reason="Ana corrected me")
    agent.remember("Ana wants type hints everywhere", kind="preference", pinned=True)
    agent.remember("Ana is reviewing the cart", kind="state", expires_at="in 2 hours")
    agent.remember("The README says that tests need Redis", origin="document", source="README.md")


def next_session(agent: Memory) -> None:
    print("Before the task:")
    prompt = agent.context("fix the failing migration", tokens=2000, needs=["rules", "project"])
    for item in prompt.items:  # prompt.text is what the model is given
        print(f"  - [{item.section}] {item.text}")
    print("Waiting for somebody to confirm:")
    for fact in agent.facts.list(state="quarantined"):
        print(f"  - {fact.text}")


def main() -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "agent.db")
        for session in (first_session, next_session):
            with erstwhile.open(file) as memory:
                session(memory.scoped(user="ana", agent="coder", project="shop"))


if __name__ == "__main__":
    main()
