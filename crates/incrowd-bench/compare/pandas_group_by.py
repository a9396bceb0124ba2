"""Counts every node of a lattice with a GROUP BY of its own, and the CPU time that takes.

Usage: python pandas_group_by.py TABLE HIERARCHIES QUASI_IDENTIFIERS SENSITIVE ANSWERS   (columns separated by commas)

HIERARCHIES is a folder with a file for each quasi-identifier: a row for each value, its labels from raw to top.
Writes a line of JSON for each node to ANSWERS: its levels; pairs (class size, classes); triples (distinct sensitive
values, classes, rows). Prints one line per fact, separated by tabs: `version NAME VALUE`, `nodes NUMBER`, `cpu SECONDS`.

The clock runs for the grouping and the two histograms only: not for importing, reading files, looking up labels or
writing answers. Labels are numbered first, for grouping by numbers is what pandas does fastest.
"""

import csv
import itertools
import json
import platform
import sys
import time
from importlib.metadata import version

import pandas


def levels_of(table, folder, column):
    """The column at every level, as numbers."""
    with open(f"{folder}/{column}.csv", newline="") as file:
        rows = {row[0]: row for row in csv.reader(file)}
    values = table[column].astype(str)
    height = len(rows[values.iloc[0]])
    labels = [values.map({value: row[level] for value, row in rows.items()}) for level in range(height)]
    assert not any(level.isna().any() for level in labels), column
    return [level.factorize()[0] for level in labels]


def histograms(columns, sensitive):
    """Both histograms of one node."""
    table = pandas.DataFrame({str(at): column for at, column in enumerate(columns)} | {"sensitive": sensitive})
    keys = [str(at) for at in range(len(columns))]
    classes = table.groupby(keys, sort=False)["sensitive"].agg(["size", "nunique"])
    sizes = classes["size"].value_counts()
    diversity = classes.groupby("nunique")["size"].agg(["count", "sum"])
    return sizes, diversity


def main(path, folder, quasi_identifiers, sensitive, answers):
    print("version", "python", platform.python_version(), sep="\t")
    for package in ["pandas", "numpy"]:
        print("version", package, version(package), sep="\t")
    table = pandas.read_csv(path, dtype=str, keep_default_na=False)
    levels = [levels_of(table, folder, column) for column in quasi_identifiers.split(",")]
    values = table[sensitive].factorize()[0]
    nodes = 0
    cpu = 0.0
    with open(answers, "w") as file:
        for node in itertools.product(*(range(len(column)) for column in levels)):
            start = time.process_time()
            sizes, diversity = histograms([column[level] for column, level in zip(levels, node)], values)
            cpu += time.process_time() - start
            nodes += 1
            answer = {
                "levels": node,
                "sizes": sorted((int(size), int(classes)) for size, classes in sizes.items()),
                "diversity": [(int(d), int(c), int(r)) for d, c, r in diversity.itertuples()],
            }
            file.write(json.dumps(answer) + "\n")
    print("nodes", nodes, sep="\t")
    print("cpu", cpu, sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
