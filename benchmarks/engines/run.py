#!/usr/bin/env python3
"""The same job in files and in databases: time, CPU of client and engine, memory. Needs nothing but Python.

    benchmarks/engines/run.py PROGRAM ROWS [FOLDER]

PROGRAM is incrowd, compiled with --features postgres,duckdb. FOLDER gets the tables (default: a temporary one). `make duckdb postgres`
installs the engines. Prints a table in Markdown.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM, ROWS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
FOLDER = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else tempfile.mkdtemp(prefix="incrowd-engines")
HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
MODULES = os.path.join(REPOSITORY, "out/duckdb/node_modules")
SCRIPT = os.path.join(REPOSITORY, "crates/incrowd-cli/tests/it/engines/duckdb.mjs")
LIBRARY = glob.glob(os.path.join(MODULES, "@duckdb/*/libduckdb.so"))[0]
DUCKDB, PARQUET, SOCKET = (os.path.join(FOLDER, it) for it in ("people.db", "people.parquet", "server"))
AS_SERVER = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
BIN = (sorted(glob.glob("/usr/lib/postgresql/*/bin")) or [""])[-1]

# Eight quasi-identifiers whose values depend on a person out of 100 000, so that there are at most as many combinations,
# and a sensitive column that does not.
COLUMNS = [("age", "18 + p % 70"), ("sex", "p % 2"), ("zip", "10000 + p % 500"), ("race", "p % 5"), ("education", "p % 16"),
           ("marital", "p % 7"), ("work", "p % 9"), ("country", "p % 41")]
SELECT = ", ".join(f"CAST({value} AS {'INTEGER' if name in ('age', 'zip') else 'VARCHAR'}) AS {name}" for name, value in COLUMNS)
PERSON = "(CAST(i AS BIGINT) * 7919) % 100000"
TABLE = f"SELECT {SELECT}, CAST('d' || (i % 977 + i % 100003) % 12 AS VARCHAR) AS disease FROM (SELECT i, {PERSON} AS p FROM ROWS) AS people"
JOB = ["-q", ",".join(name for name, _ in COLUMNS), "-s", "disease", "-k", "20", "--max-suppressed", "2%", "--quiet", "--json",
       "--algorithm", "datafly"]


def duckdb(*statements):
    done = subprocess.run(["node", SCRIPT, MODULES, DUCKDB, *statements], capture_output=True, check=True)
    return json.loads(done.stdout)


def postgres(*arguments):
    return os.path.join(BIN, arguments[0]), *arguments[1:]


def psql(sql):
    subprocess.run([*postgres("psql"), "-X", "-q", "-h", SOCKET, "-U", "postgres", "-c", sql], check=True)


class Server:
    """PostgreSQL; its CPU is known when it has ended."""

    def __enter__(self):
        settings = ["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_wal_size=8GB", "-c", "shared_buffers=1GB", "-c", "work_mem=256MB"]
        self.process = subprocess.Popen([*AS_SERVER, *postgres("postgres"), "-D", SOCKET + "/data", "-k", SOCKET, *settings],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while subprocess.run([*postgres("pg_isready"), "-q", "-h", SOCKET]).returncode:
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        subprocess.run([*AS_SERVER, *postgres("pg_ctl"), "-D", SOCKET + "/data", "-m", "fast", "-w", "stop"], stdout=subprocess.DEVNULL)
        _, _, used = os.wait4(self.process.pid, 0)
        self.cpu = used.ru_utime + used.ru_stime


def run(name, source, target):
    """One line of the table, without the CPU of a server."""
    begun = time.time()
    child = subprocess.Popen([PROGRAM, "anonymize", source, *JOB, "-o", target], stdout=subprocess.PIPE,
                             env={**os.environ, "INCROWD_DUCKDB_LIBRARY": LIBRARY})
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    outcome = json.loads(said)
    if status:
        sys.exit(f"{name}: {outcome}")
    seconds = outcome["seconds"]
    return [name, seconds["read"], seconds["solve"], seconds["write"], time.time() - begun, used.ru_utime + used.ru_stime,
            used.ru_maxrss / 1024, outcome["rows_out"], outcome["classes"]]


def main():
    os.makedirs(SOCKET, exist_ok=True)
    os.chmod(FOLDER, 0o755)
    duckdb(f"CREATE OR REPLACE TABLE people AS {TABLE.replace('ROWS', f'range({ROWS}) r(i)')}", f"COPY people TO '{PARQUET}' (FORMAT parquet)")
    if AS_SERVER:
        shutil.chown(SOCKET, "postgres")
    subprocess.run([*AS_SERVER, *postgres("initdb"), "--no-sync", "-A", "trust", "-U", "postgres", "-D", SOCKET + "/data"],
                   stdout=subprocess.DEVNULL, check=True)
    with Server():
        psql(f"CREATE TABLE people AS {TABLE.replace('ROWS', f'generate_series(0, {ROWS - 1}) r(i)')}")
        psql("ANALYZE people")
    lines = [run("files (Parquet)", PARQUET, os.path.join(FOLDER, "safe.parquet")) + [0.0]]
    lines.append(run("DuckDB", f"duckdb:{DUCKDB}?table=people", f"duckdb:{DUCKDB}?table=safe") + [0.0])
    server = Server()
    with server:
        address = f"postgres://postgres@/postgres?host={SOCKET}&table="
        lines.append(run("PostgreSQL", address + "people", address + "safe"))
    lines[-1].append(server.cpu)
    print(f"{ROWS} rows\n\n| | count s | search s | write s | wall s | CPU client s | CPU server s | memory client MB | rows out | classes |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, read, solve, write, wall, cpu, memory, rows, classes, engine in lines:
        print(f"| {name} | {read:.1f} | {solve:.1f} | {write:.1f} | {wall:.1f} | {cpu:.1f} | {engine:.1f} | {memory:.0f} | {rows} | {classes} |")


main()
