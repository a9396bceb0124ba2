"""The same job from a Polars frame or a pyarrow table and by file: what the binding costs.

Rows are those of Adult, drawn at random with a fixed seed, so that there are as many combinations as people have; k is 15
times as large as for Adult itself, times the times that each row is drawn. Every measurement is a process of its own, reads
its rows, makes the release and keeps it in memory (the command, and Python where it says so, write it to a file of the kind
read). Time to make the frame is left out, since whoever passes a frame has one. The median of several is shown.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import ROOT, Clock, measure, peak, record, reset_peak, resident, table

ADULT = ROOT / "data" / "adult"
COLUMNS = ["age", "sex", "race", "education", "marital-status", "workclass"]
JOB = {
    "quasi_identifiers": COLUMNS,
    "sensitive": "salary-class",
    "others": "drop",
    "hierarchies": str(ADULT / "hierarchies"),
    "k": 5000,
    "max_suppressed": "1%",
    "progress": False,
}
FRAMES = ["frame", "frame, categorical", "pyarrow table"]
FILES = ["parquet in Python", "csv in Python", "parquet by command", "csv by command"]
# The same file read and the same file written, by Python and by command.
BOTH_FILES = {"parquet to file in Python": "parquet by command", "csv to file in Python": "csv by command"}
MOST_OVERHEAD = 0.05
MOST_TABLES = 1.2


def write_tables(rows: int, folder: Path) -> None:
    """Draws the rows and writes them as CSV and Parquet."""
    import polars

    adult = polars.read_csv(ADULT / "adult.csv").select([*COLUMNS, "salary-class", "hours-per-week"])
    drawn = adult.sample(rows, with_replacement=True, seed=1)
    drawn.write_csv(folder / "table.csv")
    drawn.write_parquet(folder / "table.parquet")
    # Made here, so that a process that measures has never held the texts.
    drawn.with_columns(polars.col(polars.String).cast(polars.Categorical)).write_ipc(folder / "categorical.arrow")


def cells_of(frame) -> str:
    """A hash of all cells, as texts, in their order: the same for whatever holds the same rows."""
    import polars

    hashes = frame.select(polars.all().cast(polars.String)).hash_rows(seed=1)
    return hashlib.sha256(hashes.to_arrow().buffers()[1]).hexdigest()


def run_one(way: str, folder: Path, command: str | None) -> dict:
    """One measurement, in this process."""
    if way.endswith("command"):
        return run_command(way, folder, command)
    import polars

    import incrowd

    source: object = folder / ("table.csv" if way.startswith("csv") else "table.parquet")
    held = 0
    if way in FRAMES:
        if way == "frame, categorical":
            # From bytes rather than a path, so that the frame is memory of its own.
            frame = polars.read_ipc((folder / "categorical.arrow").read_bytes())
        else:
            frame = polars.read_parquet(source)
        # The bytes of the Arrow table as it is handed over: buffers that columns share count once.
        if way == "pyarrow table":
            source = frame.to_arrow()
            del frame
            held = source.nbytes
        else:
            source = frame
            held = frame.to_arrow(compat_level=polars.CompatLevel.newest()).nbytes
    # The first call loads what every call needs.
    incrowd.anonymize(incrowd.Table.from_dict({"a": [1, 1]}), quasi_identifiers="a", k=2)
    at_start = resident()
    reset_peak()
    clock = Clock()
    out = folder / f"out.{way.split()[0]}" if way in BOTH_FILES else None
    release = incrowd.anonymize(source, output=out, **JOB)
    taken = clock.read()
    most = peak()
    if out:
        released, release_bytes = read_release(out), out.stat().st_size
        out.unlink()
    else:
        released, release_bytes = release.to_polars(), release.table.nbytes
    return {
        **taken,
        "read": release.outcome.seconds.read,
        "solve": release.outcome.seconds.solve,
        "write": release.outcome.seconds.write,
        "peak_above_start": most - at_start,
        "table_bytes": held,
        "release_bytes": release_bytes,
        "rows_out": release.outcome.rows_out,
        "loss": release.loss,
        "sha256": "" if out else release.outcome.output.sha256,
        "cells": cells_of(released),
    }


def read_release(path: Path):
    """A release from a file, as texts."""
    import polars

    return polars.read_parquet(path) if path.suffix == ".parquet" else polars.read_csv(path, infer_schema=False)


def run_command(way: str, folder: Path, command: str | None) -> dict:
    """One measurement of the command line."""
    kind = way.split()[0]
    out = folder / f"out.{kind}"
    words = [command, "anonymize", str(folder / f"table.{kind}"), "-q", ",".join(COLUMNS), "-s", "salary-class"]
    words += ["--others", "drop", "--hierarchies", JOB["hierarchies"], "-k", str(JOB["k"])]
    words += ["--max-suppressed", JOB["max_suppressed"], "-o", str(out), "--json", "--no-progress"]
    clock = Clock()
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    seconds = clock.read()["seconds"]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = json.loads(done.stdout)
    released = read_release(out)
    found = {
        "seconds": seconds,
        "cpu": used.ru_utime + used.ru_stime,
        **{phase: said["seconds"][phase] for phase in ("read", "solve", "write")},
        "peak_above_start": said["peak_memory_bytes"],
        "table_bytes": 0,
        "release_bytes": out.stat().st_size,
        "rows_out": said["rows_out"],
        "loss": next(iter(said["metrics"].values())),
        "sha256": "",
        "cells": cells_of(released),
    }
    out.unlink()
    return found


def judged(raw: list[dict], ways: list[str]) -> str:
    """The figures by way, and the bars."""

    def of_way(key: str, way: str) -> list[float]:
        return [found[key] for found in raw if found["way"] == way]

    heads = ["way", "seconds", "CPU seconds", "peak MiB above start", "table MiB", "release MiB", "rows out", "loss"]
    rows: list[list[object]] = []
    middle: dict[str, dict] = {}
    for way in ways:
        middle[way] = {
            key: statistics.median(of_way(key, way))
            for key in ("seconds", "cpu", "peak_above_start", "table_bytes", "release_bytes", "rows_out", "loss")
        }
        it = middle[way]
        sizes = [it[key] / 2**20 for key in ("peak_above_start", "table_bytes", "release_bytes")]
        rows.append([way, it["seconds"], it["cpu"], *sizes, int(it["rows_out"]), it["loss"]])
    parts = [table(heads, rows)]
    overheads: list[list[object]] = []
    memory: list[list[object]] = []
    pairs = [(frame, file) for frame in FRAMES for file in FILES] + list(BOTH_FILES.items())
    for way, file in pairs:
        if file in middle:
            cpu = middle[way]["cpu"] / middle[file]["cpu"] - 1
            least = min(of_way("cpu", way)) / min(of_way("cpu", file)) - 1
            wall = middle[way]["seconds"] / middle[file]["seconds"] - 1
            verdict = "met" if cpu < MOST_OVERHEAD else "MISSED"
            overheads.append([way, file, *(f"{100 * it:+.1f} %" for it in (cpu, least, wall)), verdict])
    for frame in FRAMES:
        of_table = middle[frame]["table_bytes"]
        need = middle["parquet in Python"]["peak_above_start"]
        times = (of_table + middle[frame]["peak_above_start"] - need) / of_table
        memory.append([frame, of_table / 2**20, need / 2**20, times, "met" if times <= MOST_TABLES else "MISSED"])
    parts.append(f"Overhead of the binding; the bar is {100 * MOST_OVERHEAD:.0f} % of CPU time:")
    parts.append(table(["from", "against", "CPU", "CPU, least of each", "wall", "bar"], overheads))
    parts.append(
        f"Memory beyond what the job by Parquet file needs, as a multiple of the Arrow table; the bar is {MOST_TABLES}:"
    )
    parts.append(table(["from", "Arrow table MiB", "the job needs MiB", "times the table", "bar"], memory))
    cells = {found["cells"] for found in raw}
    in_memory = {found["sha256"] for found in raw if found["sha256"]}
    same = len(cells) == 1 and len(in_memory) == 1
    parts.append(
        f"The same cells in the same order each time, and one fingerprint in Python: {'yes' if same else 'NO'}."
    )
    return "\n\n".join(parts)


def main() -> None:
    """Measures every way, again and again."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, default=10_000_000)
    asked.add_argument("--repeats", type=int, default=5)
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
        ways = [way for way in (*FRAMES, *FILES, *BOTH_FILES) if given.command or not way.endswith("command")]
        for repeat in range(given.repeats):
            for way in ways:
                found = {"way": way, "repeat": repeat, "rows": given.rows, **measure(script, "--one", way, *where)}
                raw.append(found)
                print(f"{way}: {found['cpu']:.2f} s of CPU, {found['seconds']:.2f} s", file=sys.stderr)
    text = judged(raw, ways)
    print(text)
    record(given.record, "polars-against-file", text, raw)


if __name__ == "__main__":
    main()
