"""anjana, anonypy and pycanon on Adult, beside incrowd, with their answers checked by `incrowd.verify`.

Three quasi-identifiers and k = 5 for all. anjana raises hierarchies like `incrowd.anonymize`; anonypy is Mondrian like
`algorithm="mondrian"`; pycanon measures a table like `incrowd.verify`. Times leave out imports and reading the file, but for
pycanon and verify, which both get a frame too.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path

from measured import ROOT, Clock, measure, record, table

ADULT = ROOT / "data" / "adult"
COLUMNS = ["age", "sex", "race"]
SENSITIVE = "salary-class"
K = 5
WORK = ["anjana", "incrowd, optimal", "anonypy", "incrowd, mondrian", "pycanon", "incrowd, verify"]


def frame():
    """The table."""
    import pandas

    return pandas.read_csv(ADULT / "adult.csv")[[*COLUMNS, SENSITIVE]]


def levels(column: str) -> list[list[str]]:
    """A hierarchy file, without its header."""
    with open(ADULT / "hierarchies" / f"{column}.csv", encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def judged(released, **keywords) -> dict:
    """What incrowd says about somebody's release."""
    import incrowd

    found = incrowd.verify(released, quasi_identifiers=COLUMNS, k=K, **keywords)
    return {"safe": found.is_safe, "smallest": found.smallest_class, "classes": found.classes, "rows": found.rows}


def loss_of(released, raw) -> float | None:
    """How wide the published values are, on average: 0 if raw, 1 if nothing is left; none if rows are missing, since then it
    cannot be told which was which. Counted here, the same for all: a published value is as wide as the different raw values
    that were published as it, of all that its column has."""
    total = 0.0
    for column in COLUMNS:
        values = raw[column].nunique()
        spread = raw.groupby(released[column].to_numpy())[column].nunique() if len(released) == len(raw) else None
        if spread is None:
            return None
        total += float((released[column].map(spread) - 1).mean()) / max(values - 1, 1)
    return total / len(COLUMNS)


def run_one(work: str) -> dict:
    """One measurement, in this process."""
    raw = frame()
    if work == "anjana":
        import anjana.anonymity
        import pandas

        hierarchies = {}
        text = raw.astype(str)
        for column in COLUMNS:
            by_value = {row[0]: row for row in levels(column)}
            depth = len(next(iter(by_value.values())))
            hierarchies[column] = {
                level: pandas.Series([by_value[value][level] for value in text[column]]).to_numpy()
                for level in range(depth)
            }
        clock = Clock()
        released = anjana.anonymity.k_anonymity(text, [], COLUMNS, K, 0, hierarchies)
        return {**clock.read(), **judged(released), "width": loss_of(released, raw)}
    if work == "anonypy":
        import anonypy
        import pandas

        for column in ("sex", "race", SENSITIVE):
            raw[column] = raw[column].astype("category")
        clock = Clock()
        rows = anonypy.Preserver(raw, COLUMNS, SENSITIVE).anonymize_k_anonymity(k=K)
        taken = clock.read()
        classes = pandas.DataFrame(rows)
        released = classes.loc[classes.index.repeat(classes["count"]), COLUMNS].astype(str)
        return {**taken, **judged(released), "width": None}
    if work == "pycanon":
        import pycanon.anonymity

        clock = Clock()
        k = pycanon.anonymity.k_anonymity(raw, COLUMNS)
        l = pycanon.anonymity.l_diversity(raw, COLUMNS, [SENSITIVE])
        t = pycanon.anonymity.t_closeness(raw, COLUMNS, [SENSITIVE])
        return {**clock.read(), "answer": f"k = {k}, l = {l}, t = {t:.6f}"}
    import incrowd

    if work == "incrowd, verify":
        clock = Clock()
        found = incrowd.verify(raw, quasi_identifiers=COLUMNS, sensitive=SENSITIVE)
        reached = {promise.model: promise.reached for promise in found.privacy}
        taken = clock.read()
        t = next(value for model, value in reached.items() if model.startswith("t-closeness"))
        l = next(value for model, value in reached.items() if model.startswith("distinct"))
        return {**taken, "answer": f"k = {found.smallest_class}, l = {l}, t = {t}; and all other models"}
    algorithm = work.split(", ")[1]
    clock = Clock()
    release = incrowd.anonymize(
        raw,
        quasi_identifiers=COLUMNS,
        sensitive=SENSITIVE,
        hierarchies=ADULT / "hierarchies" if algorithm == "optimal" else None,
        k=K,
        algorithm=algorithm,
    )
    taken = clock.read()
    released = release.to_pandas()
    released[COLUMNS] = released[COLUMNS].astype(str)
    return {**taken, **judged(released), "width": loss_of(released, raw)}


def main() -> None:
    """Measures each."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--record", help="a folder for the figures")
    asked.add_argument("--one", help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.one:
        print(json.dumps(run_one(given.one), default=str))
        return
    raw: list[dict] = []
    for work in WORK:
        found = {"work": work, **measure(Path(__file__), "--one", work)}
        raw.append(found)
        print(f"{work}: {found['seconds']:.3f} s", file=sys.stderr)
    rows: list[list[object]] = []
    for found in raw:
        answer = found.get("answer")
        if answer is None:
            answer = f"{found['rows']} rows, {found['classes']} classes, smallest {found['smallest']}"
        verdict = {True: "safe", False: "NOT SAFE", None: ""}[found.get("safe")]
        width = found.get("width")
        rows.append(
            [found["work"], found["seconds"], found["cpu"], answer, verdict, "" if width is None else f"{width:.4f}"]
        )
    text = table(["", "seconds", "CPU seconds", "answer", "checked by incrowd.verify", "width of values"], rows)
    print(text)
    record(given.record, "against-peers", text, raw)


if __name__ == "__main__":
    main()
