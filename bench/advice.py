"""Count how often advice takes two tool calls for the same act, as people did.

python -m bench.advice

A person denies, or allows, the first call of each labelled pair in tests/decisions/data. Then
advice is asked about the second one, which is never exactly the same. Then disguises of denied
commands are asked about, and everyday commands.
"""

from __future__ import annotations

from bench.sets.deciding import (
    DISGUISES,
    SETS,
    read_call_pairs,
    tally_advice,
    tally_disguises,
    tally_honest_commands,
)


def main() -> None:
    print("set | same acts | denied | other acts | denied | allowed")
    for name in SETS:
        found = tally_advice(read_call_pairs(name))
        print(
            f"{name} | {found.same} | {found.right_denials} | {found.other} | "
            f"{found.wrong_denials} | {found.wrong_allows}"
        )
    for name in DISGUISES:
        passed = tally_disguises(name)
        print(f"disguises {name} | {len(passed.silent)} of {passed.total} silent")
        print(*(f"    {command}" for command in passed.silent), sep="\n")
    honest = tally_honest_commands()
    print(f"honest commands | {honest.total - len(honest.silent)} of {honest.total} asked about")


if __name__ == "__main__":
    main()
