"""Measure how often the mood of a quotation is told right: whether it states something.

python -m bench.moods [--errors]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.sets.moods import LabelledQuotation, labelled

SIX = ("en", "zh", "de", "es", "fr", "ja")


def table_row(name: str, rows: Sequence[LabelledQuotation]) -> str:
    stating = [row for row in rows if row.expected is None]
    others = [row for row in rows if row.expected is not None]
    right = sum((row.found is None) is (row.expected is None) for row in rows)
    lost = sum(row.found is not None for row in stating)
    believed = sum(row.found is None for row in others)
    return (
        f"{name:<24}{right / len(rows):>7.3f} of {len(rows)}; {lost} of {len(stating)} statements "
        f"lost, {believed} of {len(others)} others believed"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--errors", action="store_true", help="print what is told wrong")
    errors = parser.parse_args().errors
    for name in ("last", "late", "held_out", "tuned"):
        rows = labelled(name)
        print(table_row(f"{name}, six languages", [row for row in rows if row.language in SIX]))
        print(table_row(f"{name}, others", [row for row in rows if row.language not in SIX]))
        for row in rows if errors and name == "tuned" else ():
            if row.found is not row.expected:
                print(f"  {row.expected} told as {row.found}: {row.text}")


if __name__ == "__main__":
    main()
