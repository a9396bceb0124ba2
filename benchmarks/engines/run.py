#!/usr/bin/env python3
"""The same job in files and in databases: time, processor time and memory of client and engine, bytes between them.

Needs nothing but Python; `make duckdb postgres sail spark` installs the engines. Prints a table in Markdown, and with --record
writes it to a folder of benchmarks/runs. What crosses the wire is counted by a relay between client and server. Each engine
starts anew for each line.
"""

from __future__ import annotations

import argparse
import csv
import glob
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time

from servers import Family, PostgreSQL, Server, postgres_version

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = os.path.join(REPOSITORY, "out/duckdb/node_modules")
SCRIPT = os.path.join(REPOSITORY, "crates/incrowd-cli/tests/it/engines/duckdb.mjs")
SAIL = os.path.join(REPOSITORY, "out/sail/bin/sail")
SPARK = os.path.join(REPOSITORY, "crates/incrowd-cli/tests/spark_cluster.sh")

# Eight quasi-identifiers whose values depend on a person out of 100 000, so that there are at most as many combinations,
# and a sensitive column that does not.
COLUMNS = [
    ("age", "18 + p % 70"),
    ("sex", "p % 2"),
    ("zip", "10000 + p % 500"),
    ("race", "p % 5"),
    ("education", "p % 16"),
    ("marital", "p % 7"),
    ("work", "p % 9"),
    ("country", "p % 41"),
]
SELECT = ", ".join(f"CAST({value} AS {'INTEGER' if name in ('age', 'zip') else 'VARCHAR'}) AS {name}" for name, value in COLUMNS)
PERSON = "(CAST(i AS BIGINT) * 7919) % 100000"
SENSITIVE = "CAST('d' || (i % 977 + i % 100003) % 12 AS VARCHAR) AS disease"
PEOPLE = f"SELECT {SELECT}, {SENSITIVE} FROM (SELECT i, {PERSON} AS p FROM ROWS) AS people"
JOB = ["-q", ",".join(name for name, _ in COLUMNS), "-s", "disease", "--max-suppressed", "2%", "--algorithm", "datafly"]
# A class needs the rows of so many people, so that every size asks for the same generalization.
LEAST_PEOPLE = 7

SHOWN = ["rows", "engine", "count s", "search s", "write s", "wall s", "CPU client s", "CPU server s", "memory client MB"]
SHOWN += ["memory server MB", "MB from engine", "MB to engine", "rows out", "classes"]


class Bench:
    """A table of some rows, and the engines that anonymize it."""

    def __init__(self, program: str, rows: int, folder: str) -> None:
        self.program, self.rows, self.folder = os.path.abspath(program), rows, folder
        self.k = max(2, LEAST_PEOPLE * rows // 100_000)
        self.parquet, self.database = (os.path.join(folder, it) for it in ("people.parquet", "people.db"))
        self.library = glob.glob(os.path.join(MODULES, "@duckdb/*/libduckdb.so"))[0]

    def duckdb(self, *statements: str) -> None:
        """Runs statements by a client that is not ours."""
        subprocess.run(["node", SCRIPT, MODULES, self.database, *statements], stdout=subprocess.DEVNULL, check=True)

    def write_parquet(self) -> None:
        """The table as a file."""
        people = PEOPLE.replace("ROWS", f"range({self.rows}) r(i)")
        self.duckdb(f"COPY ({people}) TO '{self.parquet}' (FORMAT parquet)")

    def files(self) -> dict:
        return self._run("files (Parquet)", self.parquet, os.path.join(self.folder, "safe.parquet"))

    def in_duckdb(self) -> dict:
        self.duckdb(f"CREATE TABLE people AS SELECT * FROM '{self.parquet}'")
        return self._run("DuckDB (in the client)", f"duckdb:{self.database}?table=people", f"duckdb:{self.database}?table=safe")

    def duckdb_on_parquet(self) -> dict:
        self.duckdb("SELECT 1")
        query = f"duckdb:{self.database}?query=SELECT * FROM read_parquet('{self.parquet}')"
        return self._run("DuckDB on Parquet (in the client)", query, f"duckdb:{self.database}?table=safe")

    def sail(self, mode: str) -> dict:
        port = 54330
        words = [SAIL, "spark", "server", "--ip", "127.0.0.1", "--port", str(port)]
        return self._by_spark_connect(f"Sail ({mode})", Server(words, port, {"SAIL_MODE": mode}))

    def spark(self) -> dict:
        port = 54331
        return self._by_spark_connect("Spark (two workers)", Family(["sh", SPARK, str(port)], port))

    def _by_spark_connect(self, name: str, server: Server) -> dict:
        os.chdir(self.folder)
        with server:
            place = f"sc://{server.wire.address}/?format=parquet&path={self.folder}"
            line = self._run(name, f"{place}/people.parquet", f"{place}/safe")
        return line | server.figures()

    def postgres(self) -> dict:
        folder = os.path.join(self.folder, "postgres")
        port = 54329
        filling = PostgreSQL(folder, port)
        filling.create()
        with filling:
            people = PEOPLE.replace("ROWS", f"generate_series(0, {self.rows - 1}) r(i)")
            filling.execute(f"CREATE TABLE people AS {people}")
            filling.execute("ANALYZE people")
        with PostgreSQL(folder, port) as server:
            place = f"postgres://postgres@{server.wire.address}/postgres?sslmode=disable&table="
            line = self._run("PostgreSQL", place + "people", place + "safe")
        return line | server.figures()

    def clear(self) -> None:
        """Removes what an engine wrote; only the Parquet file stays."""
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            if path != self.parquet:
                (shutil.rmtree if os.path.isdir(path) else os.remove)(path)

    def _run(self, name: str, source: str, target: str) -> dict:
        """One line of the table, without what is known of a server only."""
        begun = time.time()
        words = [self.program, "anonymize", source, *JOB, "-k", str(self.k), "--quiet", "--json", "-o", target]
        environment = {**os.environ, "INCROWD_DUCKDB_LIBRARY": self.library}
        child = subprocess.Popen(words, stdout=subprocess.PIPE, env=environment)
        said = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        if status:
            sys.exit(f"{name}: {said.decode()}")
        outcome = json.loads(said)
        seconds = outcome["seconds"]
        return {
            "rows": self.rows,
            "engine": name,
            "count s": seconds["read"],
            "search s": seconds["solve"],
            "write s": seconds["write"],
            "wall s": time.time() - begun,
            "CPU client s": used.ru_utime + used.ru_stime,
            "memory client MB": used.ru_maxrss * 1024 / 1e6,
            "rows out": outcome["rows_out"],
            "classes": outcome["classes"],
        }


ENGINES = {
    "files": Bench.files,
    "duckdb": Bench.in_duckdb,
    "parquet": Bench.duckdb_on_parquet,
    "sail": lambda bench: bench.sail("local"),
    "sail-cluster": lambda bench: bench.sail("local-cluster"),
    "postgres": Bench.postgres,
    "spark": Bench.spark,
}


def shown(line: dict) -> str:
    cells = (line.get(column, "") for column in SHOWN)
    return f"| {' | '.join(f'{it:.1f}' if isinstance(it, float) else str(it) for it in cells)} |"


def machine() -> str:
    with open("/proc/cpuinfo") as file:
        model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    return f"{platform.system()}, {os.cpu_count()} processors, {model}"


def versions(engines: list[str]) -> str:
    """What was measured: the commit of this repository, and the packages that `make` installs."""
    words = ["git", "-C", REPOSITORY, "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    said = [f"incrowd at commit {commit or 'unknown'}"]
    with open(os.path.join(REPOSITORY, "Makefile")) as file:
        pinned = dict(line.split(" = ") for line in file.read().splitlines() if line.startswith(("DUCKDB =", "SAIL =", "SPARK =")))
    said += [f"{name.capitalize()} {pinned[name.upper()]}" for name in ("duckdb", "sail", "spark")]
    if "postgres" in engines:
        said.append(postgres_version())
    return ", ".join(said)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("program", help="incrowd, optimized, compiled with --features postgres,duckdb,spark")
    asked.add_argument("rows", type=int, nargs="+", help="several sizes show how the cost grows")
    asked.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    asked.add_argument("--folder", help="where the tables are made (default: a temporary folder)")
    asked.add_argument("--record", help="the folder of benchmarks/runs that gets the table")
    given = asked.parse_args()
    heads = f"| {' | '.join(SHOWN)} |\n|{'---|' * len(SHOWN)}"
    print(heads, flush=True)
    lines: list[dict] = []
    for rows in given.rows:
        with tempfile.TemporaryDirectory(prefix="incrowd-engines", dir=given.folder) as folder:
            # The server of PostgreSQL is run by another user.
            os.chmod(folder, 0o755)
            bench = Bench(given.program, rows, folder)
            bench.write_parquet()
            published = set()
            for engine in given.engines:
                line = ENGINES[engine](bench)
                lines.append(line)
                print(shown(line), flush=True)
                published.add((line["rows out"], line["classes"]))
                if len(published) > 1:
                    sys.exit(f"{line['engine']} published something else")
                os.chdir(REPOSITORY)
                bench.clear()
    if given.record:
        folder = os.path.join(REPOSITORY, "benchmarks/runs", given.record)
        os.makedirs(folder, exist_ok=True)
        command = " ".join(["benchmarks/engines/run.py PROGRAM", *sys.argv[2:]])
        with open(os.path.join(folder, "engines.md"), "a") as file:
            about = [f"`{command}`", "", machine(), "", versions(given.engines), ""]
            file.write("\n".join([*about, heads, *map(shown, lines), "", ""]))
        raw = os.path.join(folder, "engines.csv")
        is_new = not os.path.exists(raw)
        with open(raw, "a", newline="") as file:
            table = csv.DictWriter(file, SHOWN, restval="")
            if is_new:
                table.writeheader()
            table.writerows(lines)


main()
