"""How long a question of a negotiation takes, once the table is counted."""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from measured import record, table

import incrowd

ADULT = Path(__file__).parent.parent.parent / "data" / "adult"


def main() -> None:
    """Asks for many k."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--questions", type=int, default=2000)
    asked.add_argument("--record", help="a folder for the figures")
    given = asked.parse_args()
    rows: list[list[object]] = []
    for columns in (["age", "sex", "race"], ["age", "sex", "race", "education", "marital-status", "workclass"]):
        negotiation = incrowd.negotiate(
            ADULT / "adult.csv", quasi_identifiers=columns, hierarchies=ADULT / "hierarchies", how="full"
        )
        began = time.perf_counter()
        negotiation.ask(k=2)
        first = time.perf_counter() - began
        taken = []
        for at in range(given.questions):
            began = time.perf_counter()
            negotiation.ask(k=2 + at % 100, max_suppressed="1%")
            taken.append(1e6 * (time.perf_counter() - began))
        rows.append([len(columns), first, statistics.median(taken), sorted(taken)[int(0.95 * len(taken))]])
    heads = ["quasi-identifiers", "first answer, seconds", "median, microseconds", "95 %, microseconds"]
    text = table(heads, rows)
    print(text)
    record(given.record, "questions", text, [{"rows": rows}])


if __name__ == "__main__":
    main()
