"""The same job from a Polars frame and by file: what the binding costs.

Rows are those of Adult, drawn at random with a fixed seed, so that there are as many combinations as people have. Each
measurement is a process of its own; the median of several is shown.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import Clock, measure, peak, record, reset_peak, resident, table

ROOT = Path(__file__).parent.parent.parent
ADULT = ROOT / "data" / "adult"
COLUMNS = ["age", "sex", "race", "education", "marital-status", "workclass"]
JOB = {
    "quasi_identifiers": COLUMNS,
    "sensitive": "salary-class",
    "others": "drop",
    "hierarchies": str(ADULT / "hierarchies"),
    "k": 50,
    "max_suppressed": "1%",
    "progress": False,
}
WAYS = ["frame", "csv in Python", "parquet in Python", "csv by command", "parquet by command"]


def write_tables(rows: int, folder: Path) -> None:
    """Draws the rows and writes them as CSV and Parquet."""
    import polars

    adult = polars.read_csv(ADULT / "adult.csv").select([*COLUMNS, "salary-class", "hours-per-week"])
    drawn = adult.sample(rows, with_replacement=True, seed=1)
    drawn.write_csv(folder / "table.csv")
    drawn.write_parquet(folder / "table.parquet")


def run_one(way: str, folder: Path, command: str | None) -> dict:
    """One measurement, in this process."""
    if way.endswith("command"):
        return run_command(way, folder, command)
    import incrowd

    path = folder / ("table.csv" if way.startswith("csv") else "table.parquet")
    held = 0
    source: object = path
    if way == "frame":
        import polars

        before = resident()
        source = polars.read_parquet(path)
        held = resident() - before
    reset_peak()
    at_start = resident()
    clock = Clock()
    release = incrowd.anonymize(source, **JOB)
    taken = clock.read()
    return {
        **taken,
        "read": release.outcome.seconds.read,
        "solve": release.outcome.seconds.solve,
        "write": release.outcome.seconds.write,
        "peak_above_start": peak() - at_start,
        "table_bytes": held,
        "release_bytes": release.table.nbytes,
        "rows_out": release.outcome.rows_out,
        "loss": release.loss,
        "sha256": release.outcome.output.sha256,
    }


def run_command(way: str, folder: Path, command: str | None) -> dict:
    kind = way.split()[0]
    words = [command, "anonymize", str(folder / f"table.{kind}"), "-q", ",".join(COLUMNS), "-s", "salary-class"]
    words += ["--others", "drop", "--hierarchies", JOB["hierarchies"], "-k", "50", "--max-suppressed", "1%"]
    words += ["-o", str(folder / f"out.{kind}"), "--json", "--no-progress"]
    import resource

    clock = Clock()
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = json.loads(done.stdout)
    return {
        "seconds": clock.read()["seconds"],
        "cpu": used.ru_utime + used.ru_stime,
        **said["seconds"],
        "peak_above_start": said["peak_memory_bytes"],
        "table_bytes": 0,
        "release_bytes": (folder / f"out.{kind}").stat().st_size,
        "rows_out": said["rows_out"],
        "loss": next(iter(said["metrics"].values())),
        "sha256": "",
    }


def main() -> None:
    """Measures every way, again and again."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, default=10_000_000)
    asked.add_argument("--repeats", type=int, default=3)
    asked.add_argument("--command", help="the program, to compare with")
    asked.add_argument("--record", help="a folder for the figures")
    asked.add_argument("--one", help=argparse.SUPPRESS)
    asked.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.one == "write":
        write_tables(given.rows, given.folder)
        print("{}")
        return
    if given.one:
        print(json.dumps(run_one(given.one, given.folder, given.command)))
        return
    script = Path(__file__)
    raw: list[dict] = []
    with tempfile.TemporaryDirectory() as place:
        where = ["--folder", place, *(["--command", given.command] if given.command else [])]
        measure(script, "--one", "write", "--rows", str(given.rows), *where)
        ways = [way for way in WAYS if given.command or not way.endswith("command")]
        for repeat in range(given.repeats):
            for way in ways:
                found = {"way": way, "repeat": repeat, **measure(script, "--one", way, *where)}
                raw.append(found)
                print(f"{way}: {found['seconds']:.2f} s", file=sys.stderr)
    rows: list[list[object]] = []
    for way in ways:
        of = [found for found in raw if found["way"] == way]
        middle = {key: statistics.median(found[key] for found in of) for key in ("seconds", "cpu", "peak_above_start")}
        first = of[0]
        rows.append(
            [
                way,
                middle["seconds"],
                middle["cpu"],
                middle["peak_above_start"] / 2**20,
                first["table_bytes"] / 2**20,
                first["release_bytes"] / 2**20,
                first["rows_out"],
                first["loss"],
            ]
        )
    same = len({(found["rows_out"], round(found["loss"], 12)) for found in raw}) == 1
    heads = ["way", "seconds", "CPU seconds", "peak MiB above start", "table MiB", "release MiB", "rows out", "loss"]
    text = table(heads, rows) + f"\n\nThe same release each time: {'yes' if same else 'NO'}."
    print(text)
    record(given.record, "polars-against-file", text, raw)


if __name__ == "__main__":
    main()
