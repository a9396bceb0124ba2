"""What general engines need for the work of a pass over the rows, for `incrowd-bench rows`.

Needs DuckDB and Polars (`pip install duckdb polars`). Every command prints one line of JSON; the process that starts it
measures time and memory. All cells are text, as they are for incrowd.

    peers.py versions
    peers.py count ENGINE FILE THREADS      group by all columns: groups, rows, groups of one row
    peers.py to-parquet CSV PARQUET         the same table as Parquet
    peers.py rewrite FILE OUT THREADS       count, recode, write, count again
"""

import json
import os
import sys


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


def count_by_duckdb(connection, path):
    columns = ", ".join(f'"{name}"' for name in names(connection, path))
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


def rewrite(path, out, threads):
    """A recoding that is given, not searched for: ages in tens, zip codes without their last two digits."""
    connection = connect(threads)
    before = count_by_duckdb(connection, path)
    columns = [f'"{name}"' for name in names(connection, path)]
    recoded = {
        '"age"': "(age::int // 10 * 10)::varchar || '-' || (age::int // 10 * 10 + 9)::varchar",
        '"zip"': "left(zip, 3) || '**'",
    }
    cells = ", ".join(f"{recoded.get(name, name)} as {name}" for name in columns)
    connection.execute(
        f"copy (select {cells} from {source(path)}) to '{out}' (format parquet, compression snappy)"
    )
    return {"before": before, "after": count_by_duckdb(connection, out)}


def main(command, *arguments):
    if command == "versions":
        import duckdb
        import polars

        return {"duckdb": duckdb.__version__, "polars": polars.__version__}
    if command == "count":
        engine, path, threads = arguments
        if engine == "duckdb":
            return count_by_duckdb(connect(threads), path)
        return count_by_polars(path, threads)
    if command == "to-parquet":
        path, out = arguments
        connection = connect(2)
        connection.execute("set preserve_insertion_order = true")
        connection.execute(f"copy (select * from {source(path)}) to '{out}' (format parquet)")
        return {}
    if command == "rewrite":
        return rewrite(*arguments)
    raise SystemExit(__doc__)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
