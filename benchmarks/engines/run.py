#!/usr/bin/env python3
"""The same job in files and in databases: time, CPU and memory of client and engine, bytes between them. Needs nothing but Python.

    benchmarks/engines/run.py PROGRAM ROWS [FOLDER [files] [duckdb] [postgres]]

PROGRAM is incrowd, compiled with --features postgres,duckdb. FOLDER gets the tables (default: a temporary one); names after it choose
engines. `make duckdb postgres` installs them. Prints a table in Markdown. What crosses the wire is counted by a relay between
client and server.
"""

import glob
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM, ROWS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
FOLDER = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else tempfile.mkdtemp(prefix="incrowd-engines")
ONLY = sys.argv[4:]
PORT = 54329
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
    subprocess.run([*postgres("psql"), "-X", "-q", "-h", SOCKET, "-p", str(PORT), "-U", "postgres", "-c", sql], check=True)


class Server:
    """PostgreSQL; its CPU is known when it has ended."""

    def __enter__(self):
        settings = ["-c", "listen_addresses=127.0.0.1", "-c", f"port={PORT}", "-c", "fsync=off", "-c", "max_wal_size=8GB",
                    "-c", "shared_buffers=1GB", "-c", "work_mem=256MB"]
        self.process = subprocess.Popen([*AS_SERVER, *postgres("postgres"), "-D", SOCKET + "/data", "-k", SOCKET, *settings],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while subprocess.run([*postgres("pg_isready"), "-q", "-h", SOCKET, "-p", str(PORT)]).returncode:
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        subprocess.run([*AS_SERVER, *postgres("pg_ctl"), "-D", SOCKET + "/data", "-m", "fast", "-w", "stop"], stdout=subprocess.DEVNULL)
        _, _, used = os.wait4(self.process.pid, 0)
        self.cpu = used.ru_utime + used.ru_stime


class Wire:
    """Passes bytes between a client and a server, and counts them."""

    def __init__(self, port):
        self.to_engine = self.from_engine = 0
        self.port = port
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.door.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.door.accept()
            engine = socket.create_connection(("127.0.0.1", self.port))
            for source, target, counter in [(client, engine, "to_engine"), (engine, client, "from_engine")]:
                threading.Thread(target=self.carry, args=(source, target, counter), daemon=True).start()

    def carry(self, source, target, counter):
        try:
            while piece := source.recv(1 << 20):
                setattr(self, counter, getattr(self, counter) + len(piece))
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def memory_of(process):
    """The memory of a process and its children in bytes; what they share counts once."""
    total, waiting = 0, [process]
    while waiting:
        each = waiting.pop()
        try:
            with open(f"/proc/{each}/smaps_rollup") as file:
                total += next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
            with open(f"/proc/{each}/task/{each}/children") as file:
                waiting += file.read().split()
        except (OSError, StopIteration):
            continue
    return total


class PeakMemory:
    """The greatest memory of a server and its children, looked at five times a second."""

    def __init__(self, process):
        self.process, self.bytes, self.ended = process, 0, threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self):
        while not self.ended.wait(0.2):
            self.bytes = max(self.bytes, memory_of(self.process))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def run(name, source, target):
    """One line of the table, without what is known of a server only."""
    begun = time.time()
    child = subprocess.Popen([PROGRAM, "anonymize", source, *JOB, "-o", target], stdout=subprocess.PIPE,
                             env={**os.environ, "INCROWD_DUCKDB_LIBRARY": LIBRARY})
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{name}: {said.decode()}")
    outcome = json.loads(said)
    seconds = outcome["seconds"]
    return {"engine": name, "count s": seconds["read"], "search s": seconds["solve"], "write s": seconds["write"],
            "wall s": time.time() - begun, "CPU client s": used.ru_utime + used.ru_stime, "memory client MB": used.ru_maxrss / 1024,
            "rows out": outcome["rows_out"], "classes": outcome["classes"]}


def in_postgres():
    if AS_SERVER:
        shutil.chown(SOCKET, "postgres")
    subprocess.run([*AS_SERVER, *postgres("initdb"), "--no-sync", "-A", "trust", "-U", "postgres", "-D", SOCKET + "/data"],
                   stdout=subprocess.DEVNULL, check=True)
    with Server():
        psql(f"CREATE TABLE people AS {TABLE.replace('ROWS', f'generate_series(0, {ROWS - 1}) r(i)')}")
        psql("ANALYZE people")
    server = Server()
    with server, PeakMemory(server.process.pid) as memory:
        wire = Wire(PORT)
        address = f"postgres://postgres@{wire.address}/postgres?sslmode=disable&table="
        line = run("PostgreSQL", address + "people", address + "safe")
    return line | {"CPU server s": server.cpu, "memory server MB": memory.bytes / 1e6, "MB from engine": wire.from_engine / 1e6,
                   "MB to engine": wire.to_engine / 1e6}


COLUMNS_SHOWN = ["engine", "count s", "search s", "write s", "wall s", "CPU client s", "CPU server s", "memory client MB", "memory server MB",
                 "MB from engine", "MB to engine", "rows out", "classes"]


def main():
    os.makedirs(SOCKET, exist_ok=True)
    os.chmod(FOLDER, 0o755)
    duckdb(f"CREATE OR REPLACE TABLE people AS {TABLE.replace('ROWS', f'range({ROWS}) r(i)')}", f"COPY people TO '{PARQUET}' (FORMAT parquet)")
    kinds = {
        "files": lambda: run("files (Parquet)", PARQUET, os.path.join(FOLDER, "safe.parquet")),
        "duckdb": lambda: run("DuckDB (inside the client)", f"duckdb:{DUCKDB}?table=people", f"duckdb:{DUCKDB}?table=safe"),
        "postgres": in_postgres,
    }
    print(f"{ROWS} rows\n\n| {' | '.join(COLUMNS_SHOWN)} |\n|{'---|' * len(COLUMNS_SHOWN)}", flush=True)
    published = None
    for kind in ONLY or kinds:
        line = kinds[kind]()
        published = published or (line["rows out"], line["classes"])
        if (line["rows out"], line["classes"]) != published:
            sys.exit(f"{line['engine']} published something else: {line}")
        shown = (line.get(column, "") for column in COLUMNS_SHOWN)
        print(f"| {' | '.join(f'{it:.1f}' if isinstance(it, float) else str(it) for it in shown)} |", flush=True)


main()
