"""What general engines need for the work of a pass over the rows, for `incrowd-bench rows`.

Needs DuckDB, Polars and Sail (`pip install duckdb polars pysail pyspark-client==4.0.1`). Every command prints one line of JSON; the
process that starts it measures time and memory. Sail's server runs inside that process, so it is measured too. All cells are text, as they are
for incrowd.

    peers.py versions
    peers.py count ENGINE FILE THREADS      group by all columns: groups, rows, groups of one row
    peers.py to-parquet CSV PARQUET PAGES   the same table as Parquet; PAGES: coded, or plain: without dictionaries
    peers.py rewrite ENGINE FILE OUT THREADS        count, recode, write, count again
    peers.py classes FILE COLUMNS           group by some columns, by DuckDB: groups, rows
"""

import contextlib
import json
import os
import sys
from importlib.metadata import version

PACKAGES = {"duckdb": "duckdb", "polars": "polars", "sail": "pysail"}


def source(path):
    if path.endswith(".csv"):
        return f"read_csv('{path}', all_varchar = true, header = true)"
    return f"'{path}'"


def connect(threads):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"set threads = {threads}")
    connection.execute("set preserve_insertion_order = false")
    return connection


def names(connection, path):
    described = connection.execute(f"describe select * from {source(path)}").fetchall()
    return [row[0] for row in described]


def count_by_duckdb(connection, path, columns=None):
    columns = ", ".join(f'"{name}"' for name in columns or names(connection, path))
    counted = connection.execute(
        f"""select count(*), sum(n), count(*) filter (n = 1)
            from (select {columns}, count(*) as n from {source(path)} group by {columns})"""
    ).fetchone()
    return dict(zip(["groups", "rows", "groups_of_one"], map(int, counted)))


def count_by_polars(path, threads):
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars

    if path.endswith(".csv"):
        table = polars.scan_csv(path, infer_schema=False)
    else:
        table = polars.scan_parquet(path)
    columns = table.collect_schema().names()
    sizes = table.group_by(columns).agg(polars.len().alias("n")).select("n")
    sizes = sizes.collect(engine="streaming")["n"]
    return {
        "groups": len(sizes),
        "rows": int(sizes.sum()),
        "groups_of_one": int((sizes == 1).sum()),
    }


@contextlib.contextmanager
def sail(threads):
    """A session with a server of this process."""
    os.environ["TOKIO_WORKER_THREADS"] = str(threads)
    os.environ["SAIL_EXECUTION__DEFAULT_PARALLELISM"] = str(threads)
    os.environ["RUST_LOG"] = "error"
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    try:
        yield session
    finally:
        session.stop()
        server.stop()


def view_of_sail(session, path):
    if path.endswith(".csv"):
        table = session.read.option("header", True).option("inferSchema", False).csv(path)
    else:
        table = session.read.parquet(path)
    table.createOrReplaceTempView("people")
    return [f"`{name}`" for name in table.columns]


def count_by_sail(session, path):
    columns = ", ".join(view_of_sail(session, path))
    counted = session.sql(
        f"""select count(*), sum(n), sum(case when n = 1 then 1 else 0 end)
            from (select {columns}, count(*) as n from people group by {columns})"""
    ).collect()[0]
    return dict(zip(["groups", "rows", "groups_of_one"], map(int, counted)))


def rewrite_by_sail(path, out, threads):
    with sail(threads) as session:
        before = count_by_sail(session, path)
        recoded = {
            "`age`": "concat(cast(floor(age / 10) * 10 as int), '-', cast(floor(age / 10) * 10 + 9 as int))",
            "`zip`": "concat(left(zip, 3), '**')",
        }
        columns = view_of_sail(session, path)
        cells = ", ".join(f"{recoded.get(name, name)} as {name}" for name in columns)
        session.sql(f"select {cells} from people").write.parquet(out)
        return {"before": before, "after": count_by_sail(session, out)}


def rewrite_by_duckdb(path, out, threads):
    connection = connect(threads)
    before = count_by_duckdb(connection, path)
    columns = [f'"{name}"' for name in names(connection, path)]
    recoded = {
        '"age"': "(age::int // 10 * 10)::varchar || '-' || (age::int // 10 * 10 + 9)::varchar",
        '"zip"': "left(zip, 3) || '**'",
    }
    cells = ", ".join(f"{recoded.get(name, name)} as {name}" for name in columns)
    stored = "format csv" if out.endswith(".csv") else "format parquet, compression snappy"
    connection.execute(f"copy (select {cells} from {source(path)}) to '{out}' ({stored})")
    return {"before": before, "after": count_by_duckdb(connection, out)}


def main(command, *arguments):
    if command == "versions":
        return {engine: version(package) for engine, package in PACKAGES.items()}
    if command == "count":
        engine, path, threads = arguments
        if engine == "duckdb":
            return count_by_duckdb(connect(threads), path)
        if engine == "sail":
            with sail(threads) as session:
                return count_by_sail(session, path)
        return count_by_polars(path, threads)
    if command == "to-parquet":
        path, out, pages = arguments
        pages = {"coded": "", "plain": ", dictionary_size_limit 0"}[pages]
        connection = connect(2)
        connection.execute("set preserve_insertion_order = true")
        connection.execute(f"copy (select * from {source(path)}) to '{out}' (format parquet{pages})")
        return {}
    if command == "classes":
        path, columns = arguments
        return count_by_duckdb(connect(2), path, columns.split(","))
    if command == "rewrite":
        # A recoding that is given, not searched for: ages in tens, zip codes without their last two digits.
        engine, *others = arguments
        return {"duckdb": rewrite_by_duckdb, "sail": rewrite_by_sail}[engine](*others)
    raise SystemExit(__doc__)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
