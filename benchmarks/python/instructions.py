"""The same file read and the same file written, by Python and by command: instructions, which nothing else disturbs.

Two tables, one several times as long as the other, so that what each row costs can be told from what starting costs.
Counted by callgrind, on one thread.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import record, table
from polars_against_file import COLUMNS, JOB, MOST_OVERHEAD, write_tables

ROWS = [100_000, 400_000]
SETTINGS = {**JOB, "k": 50, "threads": 1}
AT = 10_000_000


def of_python(source: Path, out: Path) -> list[str]:
    """A job in Python, which imports nothing but incrowd."""
    return [
        sys.executable,
        "-c",
        f"import incrowd; incrowd.anonymize({str(source)!r}, output={str(out)!r}, **{SETTINGS!r})",
    ]


def of_command(command: str, source: Path, out: Path) -> list[str]:
    """The same job by command."""
    words = [command, "anonymize", str(source), "-q", ",".join(COLUMNS), "-s", SETTINGS["sensitive"], "-o", str(out)]
    words += ["--others", SETTINGS["others"], "--hierarchies", SETTINGS["hierarchies"], "-k", str(SETTINGS["k"])]
    return [*words, "--max-suppressed", SETTINGS["max_suppressed"], "--threads", "1", "--no-progress"]


def instructions(words: list[str]) -> int:
    """How many a program executes."""
    counted = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words]
    done = subprocess.run(counted, capture_output=True, text=True, check=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found:
        raise SystemExit("valgrind did not say how many instructions it counted")
    return int(found.group(1))


def main() -> None:
    """Counts every way at both sizes."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--command", required=True, help="the program, to compare with")
    asked.add_argument("--record", help="a folder for the figures")
    given = asked.parse_args()
    if not shutil.which("valgrind"):
        raise SystemExit("valgrind is not installed, so that no instructions can be counted")
    raw: list[dict] = []
    shown: list[list[object]] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for rows in ROWS:
            (folder / str(rows)).mkdir()
            write_tables(rows, folder / str(rows))
        for kind in ("csv", "parquet"):
            cost: dict[str, tuple[float, float]] = {}
            for way in ("command", "Python"):
                counts: list[int] = []
                for rows in ROWS:
                    source, out = folder / str(rows) / f"table.{kind}", folder / f"{way}-{rows}.{kind}"
                    words = of_python(source, out) if way == "Python" else of_command(given.command, source, out)
                    counts.append(instructions(words))
                    raw.append({"kind": kind, "way": way, "rows": rows, "instructions": counts[-1]})
                each = (counts[1] - counts[0]) / (ROWS[1] - ROWS[0])
                cost[way] = (each, counts[0] - each * ROWS[0])
            for rows in ROWS:
                by_command, by_python = (folder / f"{way}-{rows}.{kind}" for way in ("command", "Python"))
                if by_command.read_bytes() != by_python.read_bytes():
                    raise SystemExit(f"the releases of {rows} rows of {kind} differ")
            at = {way: each * AT + start for way, (each, start) in cost.items()}
            overhead = at["Python"] / at["command"] - 1
            starts = [start / 1e6 for _, start in cost.values()]
            eaches = [each for each, _ in cost.values()]
            verdict = "met" if overhead < MOST_OVERHEAD else "MISSED"
            shown.append([kind, *eaches, *starts, f"{100 * overhead:+.1f} %", verdict])
    heads = ["file", "a row, command", "a row, Python", "start, command, millions", "start, Python, millions"]
    text = table([*heads, f"overhead at {AT // 1_000_000} million rows", "bar"], shown)
    text += "\n\nThe same bytes by both: yes."
    print(text)
    record(given.record, "instructions", text, raw)


if __name__ == "__main__":
    main()
