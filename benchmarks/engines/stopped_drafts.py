#!/usr/bin/env python3
"""What stays of a draft when incrowd is stopped while Sail writes it, and how late Sail finishes files of it.

    out/sail/bin/python benchmarks/engines/stopped_drafts.py sail|sail-cluster STOPS [--load LOOPS] [--program INCROWD]

Anonymizes a table of 13 columns and 2 million rows into another, and stops incrowd by Ctrl-C up to 0.06 s after the first
file of the draft was begun. LOOPS endless loops keep the machine busy meanwhile. A file with rows counts as late when it
appears after Ctrl-C, and as left when it is still there 3 s after incrowd has ended.
"""

import argparse
import glob
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
import warnings

warnings.simplefilter("ignore")

import pyarrow.parquet as parquet  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
WINDOW = 0.06

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("engine", choices=["sail", "sail-cluster"])
arguments.add_argument("stops", type=int)
arguments.add_argument("--load", type=int, default=0)
arguments.add_argument("--program", default=f"{REPOSITORY}/target/release/incrowd")
ask = arguments.parse_args()

folder = tempfile.mkdtemp(prefix="stopped-drafts")
with socket.create_server(("127.0.0.1", 0)) as door:
    port = door.getsockname()[1]
session = str(uuid.uuid4())
place = f"sc://127.0.0.1:{port}/;session_id={session};user_id=stopped"
settings = {"SAIL_MODE": "local-cluster"} if ask.engine == "sail-cluster" else {}
log = open(f"{folder}/log", "a")
server = subprocess.Popen(
    [f"{REPOSITORY}/out/sail/bin/sail", "spark", "server", "--ip", "127.0.0.1", "--port", str(port)],
    cwd=folder,
    env=os.environ | settings,
    stdin=subprocess.DEVNULL,
    stdout=log,
    stderr=log,
    start_new_session=True,
)
busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(ask.load)]


def files():
    """The files of drafts that are finished, and those that are begun."""
    return set(glob.glob(f"{folder}/**/incrowd_draft_*/*.parquet*", recursive=True))


def rows(path):
    try:
        return parquet.read_metadata(path).num_rows if path.endswith(".parquet") else 0
    except OSError:
        return 0


def stop(number):
    """Runs a job and stops it. The moments at which files appeared after that, in seconds, and the rows that are left."""
    before = files()
    kept = ",".join(f"n{at}" for at in range(1, 12))
    job = [ask.program, "anonymize", f"{place}?table=wide", "-q", "age", "-s", "n0", "-k", "3", "--keep", kept, "--json"]
    process = subprocess.Popen([*job, "-o", f"{place}?table=safe_{number}"], cwd=folder, stdout=log, stderr=log)
    while not files() - before:
        assert process.poll() is None, "the job ended before it wrote"
        time.sleep(0.002)
    time.sleep(number / ask.stops * WINDOW)
    known = files()
    process.send_signal(signal.SIGINT)
    stopped, late, ended = time.time(), {}, None
    while ended is None or time.time() < ended + 3:
        now = time.time()
        for path in files() - known - late.keys():
            if rows(path):
                late[path] = now - stopped
        if ended is None and process.poll() is not None:
            ended = now
        time.sleep(0.002)
    return process.returncode, sorted(late.values()), sum(map(rows, files() - before)), ended - stopped


try:
    while socket.socket().connect_ex(("127.0.0.1", port)):
        time.sleep(0.1)
    spark = SparkSession.builder.remote(place).create()
    texts = ", ".join(f"CAST(abs(hash(id)) % 4000 + {at} AS STRING) AS n{at}" for at in range(12))
    query = f"SELECT CAST(20 + id % 5 AS INT) AS age, {texts} FROM range(2000000)"
    spark.sql(f"CREATE TABLE wide AS {query}").toArrow()
    stopped, with_late, with_left, latest, longest = 0, 0, 0, 0.0, 0.0
    for number in range(ask.stops):
        code, late, left, took = stop(number)
        if code != 130:
            continue
        stopped += 1
        with_late += bool(late)
        with_left += bool(left)
        latest, longest = max([latest, *late]), max(longest, took)
        moments = [round(at, 2) for at in late]
        print(f"stop {number}: files after {moments} s, {left} rows left, ended after {took:.1f} s", flush=True)
    print(f"{stopped} stops: {with_late} with a late file (at most {latest:.2f} s), {with_left} left rows")
    print(f"incrowd ended after at most {longest:.1f} s")
finally:
    for process in busy:
        process.kill()
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    shutil.rmtree(folder, ignore_errors=True)
