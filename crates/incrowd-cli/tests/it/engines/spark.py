"""A server of Spark Connect for the tests, seen by Spark's own client for Python.

Reads requests as lines of JSON, answers each with a line, and ends the server when there are no more. The arguments
are the folder of the server and the command that starts it, in which {port} stands for the port; or an address.
"""

import csv
import datetime
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import warnings

warnings.simplefilter("ignore")

import pyarrow as pa  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

sessions = {}


def session(id):
    if id not in sessions:
        spark = SparkSession.builder.remote(f"{address};session_id={id};user_id=tests").create()
        if not is_sail:
            # Sessions of Spark share their tables, those of Sail do not.
            database = "d" + id.replace("-", "_")
            spark.sql(f"CREATE DATABASE {database}").toArrow()
            spark.sql(f"USE {database}").toArrow()
        sessions[id] = spark
    return sessions[id]


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


def text(cell):
    """The text that incrowd gives to a cell."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return "NaN" if cell != cell else str(cell)
    if isinstance(cell, datetime.datetime):
        return cell.replace(tzinfo=None).isoformat()
    return str(cell)


def value(text, kind, row):
    """A cell of a CSV file; an empty text is missing in every other row."""
    if text == "":
        return None if kind != "text" or row % 2 else ""
    if kind in ("integer", "smallint"):
        return int(text)
    if kind == "double precision":
        return float(text)
    if kind == "boolean":
        return text == "true"
    if kind == "date":
        return datetime.date.fromisoformat(text)
    return text


TYPES = {
    "integer": pa.int32(),
    "smallint": pa.int16(),
    "double precision": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
}


def create(spark, table, rows, how, times=()):
    # What the client makes of a time without a zone has one.
    cells = [
        f"CAST({quoted(name)} AS TIMESTAMP_NTZ) AS {quoted(name)}" if name in times else quoted(name)
        for name in rows.column_names
    ]
    rows = spark.createDataFrame(rows)
    rows.createOrReplaceTempView("loaded")
    # Spark would put the folder in the place of a name such as ${env:HOME}; incrowd has to switch this off by itself.
    spark.conf.set("spark.sql.variable.substitute", "false")
    sql(spark, how.format(quoted(table)) + f" SELECT {', '.join(cells)} FROM loaded")
    spark.conf.set("spark.sql.variable.substitute", "true")
    spark.catalog.dropTempView("loaded")


def load(spark, table, columns, path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))[1:]
    arrays = []
    for at, (_, kind) in enumerate(columns):
        cells = [value(row[at], kind, number) for number, row in enumerate(rows)]
        arrays.append(pa.array(cells, TYPES.get(kind, pa.string())))
    times = [name for name, kind in columns if kind == "timestamp"]
    create(spark, table, pa.table(arrays, [name for name, _ in columns]), "CREATE TABLE {} AS", times)


def texts(found):
    columns = [column.to_pylist() for column in found.columns]
    return [[text(cell) for cell in row] for row in zip(*columns)]


def rows(spark, table):
    found = spark.sql(f"SELECT * FROM {quoted(table)}").toArrow()
    return found.column_names, sorted(texts(found))


def change(spark, table, column, old, new):
    found = spark.sql(f"SELECT * FROM {quoted(table)}").toArrow()
    cells = [new if cell == old else cell for cell in found[column].to_pylist()]
    at = found.column_names.index(column)
    found = found.set_column(at, column, pa.array(cells, found.schema.field(column).type))
    create(spark, table, found, "INSERT OVERWRITE TABLE {}")


def data_files(spark, table):
    return sorted(spark.sql(f"SELECT * FROM {quoted(table)}").inputFiles())


def relations(spark):
    return sorted(spark.sql("SHOW TABLES").toArrow()["tableName"].to_pylist())


def sql(spark, statement):
    return texts(spark.sql(statement).toArrow())


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def is_open(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


folder, *command = sys.argv[1:]
is_sail = any(word.endswith("/sail") for word in command)
port = free_port()
server = None


def start():
    global server
    words = [word.replace("{port}", str(port)) for word in command]
    with open(os.path.join(folder, "server.log"), "a") as log:
        server = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    # A cluster of Spark takes its time on a machine that is busy.
    until = time.time() + 300
    while not is_open(port):
        assert server.poll() is None and time.time() < until, "the server does not start"
        time.sleep(0.05)


def stop():
    # What the server has started goes with it, even if it is gone itself.
    try:
        os.killpg(server.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    server.wait()


def remove(folder):
    # Nobody may write into some folders, and what dies may still write for a moment.
    os.chmod(folder, 0o755)
    os.chdir("/")
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            break
        time.sleep(0.1)


address = f"sc://127.0.0.1:{port}/"
try:
    start()
    print(json.dumps({"port": port}), flush=True)
    for line in sys.stdin:
        ask = json.loads(line)
        try:
            if ask["do"] == "stop":
                answer = stop()
            elif ask["do"] == "start":
                sessions.clear()
                answer = start()
            else:
                answer = globals()[ask["do"]](session(ask["session"]), *ask["with"])
            print(json.dumps({"answer": answer}), flush=True)
        except Exception as error:
            print(json.dumps({"error": str(error)[:2000]}), flush=True)
finally:
    stop()
    remove(folder)
