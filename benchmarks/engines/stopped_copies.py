#!/usr/bin/env python3
"""What stays at a path when a copy to it is stopped: Sail, a local cluster of Sail, or Spark.

    out/sail/bin/python benchmarks/engines/stopped_copies.py sail|sail-cluster|spark one|many STOPS [--kill] [--rows ROWS]

Writes a table of 13 columns to new paths. Every second copy is stopped at a moment between its beginning and its end, the
others up to 0.3 s (Spark: 6 s) after the directory has appeared; with --kill the server is killed instead. With no stops it
measures whole copies. `one` tells Sail to write a single file, as incrowd does; `many` leaves it as it is.
"""

import argparse
import collections
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import warnings

warnings.simplefilter("ignore")

import pyarrow.parquet as parquet  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("engine", choices=["sail", "sail-cluster", "spark"])
arguments.add_argument("design", choices=["one", "many"])
arguments.add_argument("stops", type=int)
arguments.add_argument("--kill", action="store_true")
arguments.add_argument("--rows", type=int, default=2_000_000)
ask = arguments.parse_args()

folder = tempfile.mkdtemp(prefix="stopped-copies")
with socket.create_server(("127.0.0.1", 0)) as door:
    port = door.getsockname()[1]
command = [f"{REPOSITORY}/out/sail/bin/sail", "spark", "server", "--ip", "127.0.0.1", "--port", str(port)]
if ask.engine == "spark":
    command = ["sh", f"{REPOSITORY}/crates/incrowd-cli/tests/spark_cluster.sh", str(port)]
settings = {"SAIL_MODE": "local-cluster"} if ask.engine == "sail-cluster" else {}


def start():
    with open(f"{folder}/log", "a") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=os.environ | settings, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    while socket.socket().connect_ex(("127.0.0.1", port)):
        time.sleep(0.1)
    return server


def kill(server):
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def cpu(server):
    """Seconds of the processor that all processes of a server have taken."""
    ticks = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == server.pid:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def session():
    return SparkSession.builder.remote(f"sc://127.0.0.1:{port}/").create()


def copy(spark, path):
    if ask.design == "one":
        spark.sql("SET datafusion.execution.minimum_parallel_output_files = 1").toArrow()
        spark.sql("SET datafusion.execution.soft_max_rows_per_output_file = 4294967295").toArrow()
    rows = spark.read.parquet(f"{folder}/wide")
    return lambda: rows.write.parquet(path)


def left(path):
    if not os.path.exists(path):
        return "nothing"
    found = [os.path.join(root, name) for root, _, names in os.walk(path) for name in names]
    if not found:
        return "empty directory"
    whole = [file for file in found if file.endswith(".parquet") and os.path.dirname(file) == path]
    rows = sum(parquet.read_metadata(file).num_rows for file in whole)
    return {0: "files without rows", ask.rows: "all rows"}.get(rows, "a part of the rows")


server = start()
try:
    spark = session()
    texts = ", ".join(f"CAST(abs(hash(id)) % 4000 + {at} AS STRING) AS n{at}" for at in range(12))
    spark.sql(f"SELECT CAST(20 + id % 5 AS INT) AS age, {texts} FROM range({ask.rows})").write.parquet(f"{folder}/wide")
    lasts = []
    for number in range(3):
        run = copy(spark, f"{folder}/whole_{number}")
        began, spent = time.time(), cpu(server)
        run()
        lasts.append(time.time() - began)
        files = [name for name in os.listdir(f"{folder}/whole_{number}") if name.endswith(".parquet")]
        print(f"a whole copy: {lasts[-1]:.1f} s, {cpu(server) - spent:.1f} s of CPU, {len(files)} files", flush=True)
    stayed = collections.Counter()
    window = 6 if ask.engine == "spark" else 0.3
    for number in range(ask.stops):
        path = f"{folder}/copy_{number}"
        run = copy(spark, path)

        def work():
            try:
                run()
            except Exception:
                pass

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        began = time.time()
        if number % 2:
            time.sleep((number + 0.5) / ask.stops * min(lasts))
        else:
            while not os.path.exists(path) and time.time() < began + 30:
                time.sleep(0.001)
            time.sleep(number / ask.stops * window)
        kill(server) if ask.kill else spark.interruptAll()
        thread.join(0.2 if ask.kill else 30)
        time.sleep(0.7)
        stayed[left(path)] += 1
        if ask.kill:
            server = start()
            spark = session()
    print(f"{ask.stops} stops:", dict(stayed))
finally:
    kill(server)
    shutil.rmtree(folder, ignore_errors=True)
