"""How long a question of a negotiation takes, once the table is counted and the first question was answered.

Each table is a process of its own. A question is `Negotiation.ask`; looking at its answer is reading all its offers.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

from measured import ROOT, measure, record, table

ADULT = ROOT / "data" / "adult"
TABLES = {3: ["age", "sex", "race"], 6: ["age", "sex", "race", "education", "marital-status", "workclass"]}


def run_one(columns: list[str], questions: int) -> dict:
    """One measurement, in this process."""
    import incrowd

    about = {"quasi_identifiers": columns, "hierarchies": ADULT / "hierarchies", "how": "full"}
    negotiation = incrowd.negotiate(ADULT / "adult.csv", **about)
    began = time.perf_counter()
    negotiation.ask(k=2)
    found: dict = {"quasi_identifiers": len(columns), "first_seconds": time.perf_counter() - began}

    def timed(name: str, ask) -> None:
        taken = []
        cpu = time.process_time()
        for at in range(questions):
            began = time.perf_counter()
            ask(at)
            taken.append(1e6 * (time.perf_counter() - began))
        found[f"{name}_cpu_us"] = 1e6 * (time.process_time() - cpu) / questions
        found[f"{name}_median_us"] = statistics.median(taken)
        found[f"{name}_p95_us"] = sorted(taken)[int(0.95 * questions)]

    timed("new", lambda at: negotiation.ask(k=2 + at, max_suppressed=at % 300))
    timed("repeated", lambda at: negotiation.ask(k=2 + at % 100, max_suppressed="1%"))
    timed("repeated_and_looked_at", lambda at: negotiation.ask(k=2 + at % 100, max_suppressed="1%").offers)
    return found


def main() -> None:
    """Asks for many k."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--questions", type=int, default=2000)
    asked.add_argument("--record", help="a folder for the figures")
    asked.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.one:
        print(json.dumps(run_one(TABLES[given.one], given.questions)))
        return
    words = ["--questions", str(given.questions)]
    raw = [measure(Path(__file__), "--one", str(size), *words) for size in TABLES]
    rows: list[list[object]] = []
    for found in raw:
        for name in ("new", "repeated", "repeated_and_looked_at"):
            figures = [found[f"{name}_{figure}"] for figure in ("cpu_us", "median_us", "p95_us")]
            rows.append([found["quasi_identifiers"], name.replace("_", " "), found["first_seconds"], *figures])
    heads = ["quasi-identifiers", "questions", "first answer, seconds", "CPU, µs each", "median, µs", "95 %, µs"]
    text = table(heads, rows)
    print(text)
    record(given.record, "questions", text, raw)


if __name__ == "__main__":
    main()
