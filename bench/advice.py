"""Count how often advice takes two tool calls for the same act, as people did.

python -m bench.advice

A person denies, or allows, the first call of each labelled pair in tests/decisions/data. Then
advice is asked about the second one, which is never exactly the same.
"""

from __future__ import annotations

from bench.sets.deciding import SETS, read_call_pairs, tally_advice


def main() -> None:
    print("set | same acts | denied | other acts | denied | allowed")
    for name in SETS:
        found = tally_advice(read_call_pairs(name))
        print(
            f"{name} | {found.same} | {found.right_denials} | {found.other} | "
            f"{found.wrong_denials} | {found.wrong_allows}"
        )


if __name__ == "__main__":
    main()
