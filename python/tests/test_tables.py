"""Tables in and out, whatever library has them."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
from conftest import ROLES

import incrowd

WANTED = {
    "quasi_identifiers": ["age", "sex", "race"],
    "sensitive": "hours-per-week",
    "others": "drop",
    "k": 5,
    "max_suppressed": "1%",
}


@pytest.mark.parametrize(
    "read",
    [
        pyarrow.csv.read_csv,
        lambda path: pyarrow.csv.open_csv(path),
        pl.read_csv,
        pl.scan_csv,
        pd.read_csv,
        lambda path: duckdb.sql(f"SELECT * FROM read_csv('{path}')"),
        Path,
        str,
    ],
    ids=["pyarrow", "reader", "polars", "lazy", "pandas", "duckdb", "path", "text"],
)
def test_every_kind_of_table_gives_the_release_of_the_file(few, hierarchies, read):
    of_file = incrowd.anonymize(few, hierarchies=hierarchies, **WANTED)
    release = incrowd.anonymize(read(str(few)), hierarchies=hierarchies, **WANTED)
    assert release.table.to_dict() == of_file.table.to_dict()
    assert release.levels == of_file.levels
    assert release.metrics == of_file.metrics


def test_every_library_reads_the_release(patients):
    release = incrowd.anonymize(patients, k=2, **ROLES)
    expected = release.table.to_dict()
    assert release.to_arrow().to_pydict() == expected
    assert release.to_polars().to_dict(as_series=False) == expected
    assert {name: list(column) for name, column in release.to_pandas().items()} == expected
    assert pa.table(release).to_pydict() == expected
    assert pl.DataFrame(release.table).height == 6
    assert duckdb.from_arrow(release.to_arrow()).query("arrow", "SELECT count(DISTINCT zip) FROM arrow").fetchall() == [
        (2,)
    ]
    # Each call hands over all rows again.
    assert release.to_arrow().num_rows == release.to_arrow().num_rows == 6


def test_generalized_columns_are_dictionaries_and_kept_ones_keep_their_types():
    zone = pa.timestamp("us", tz="Europe/Oslo")
    rows = 40
    table = pa.table(
        {
            "age": pa.array([20 + row % 20 for row in range(rows)], pa.int16()),
            "visit": pa.array([dt.datetime(2024, 1, 1, 12, tzinfo=dt.timezone.utc)] * rows, zone),
            "born": pa.array([dt.date(1980, 1, 1)] * rows, pa.date32()),
            "cost": pa.array([Decimal("10.50")] * rows, pa.decimal128(9, 2)),
            "weight": pa.array([70.5] * rows, pa.float32()),
            "children": pa.array([row % 3 for row in range(rows)], pa.uint8()),
            "insured": pa.array([row % 2 == 0 for row in range(rows)]),
            "ward": pa.array([["a", "b"][row % 2] for row in range(rows)]).dictionary_encode(),
            "note": pa.array(["x", None] * (rows // 2), pa.large_string()),
        }
    )
    kept = [name for name in table.column_names if name != "age"]
    release = incrowd.anonymize(table, quasi_identifiers="age", keep=kept, k=10).to_arrow()
    assert release.schema.field("age").type == pa.dictionary(pa.int32(), pa.string())
    for name in ("visit", "born", "cost", "weight", "children", "insured"):
        assert release.schema.field(name).type == table.schema.field(name).type, name
        assert release[name].to_pylist() == table[name].to_pylist()
    assert release.schema.field("ward").type == pa.dictionary(pa.int32(), pa.string())
    assert release["note"].to_pylist() == table["note"].to_pylist()


def test_a_release_of_many_rows_has_one_dictionary_for_all_chunks():
    rows = 200_000
    table = pl.DataFrame({"age": [row % 50 for row in range(rows)], "d": [row % 7 for row in range(rows)]})
    release = incrowd.anonymize(table, quasi_identifiers="age", sensitive="d", k=5000).to_arrow()
    chunks = release["age"].chunks
    assert len(chunks) > 1
    assert all(chunk.dictionary.equals(chunks[0].dictionary) for chunk in chunks)


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is told by Linux only")
def test_the_buffers_of_a_table_are_not_copied():
    """The most memory that a job takes beyond its table is a small part of the table."""
    script = """
import pyarrow as pa, numpy as np, incrowd
def of_process(name):
    with open("/proc/self/status") as file:
        return 1024 * int(next(line for line in file if line.startswith(name)).split()[1])
numbers = np.arange(16_000_000, dtype=np.int64) % 60
table = pa.table({"a": pa.array(numbers)})
incrowd.risk(table.slice(0, 100_000), quasi_identifiers="a")
before = of_process("VmRSS")
open("/proc/self/clear_refs", "w").write("5")
found = incrowd.risk(table, quasi_identifiers="a")
assert found.rows == len(numbers)
print(of_process("VmHWM") - before, table.nbytes)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    taken, of_table = map(int, done.stdout.split())
    assert of_table == 128_000_000
    assert taken < of_table / 2


def test_chunks_views_and_categories_are_read():
    views = pl.DataFrame({"a": ["x" * 20, "y", None, "y"], "b": pl.Series(["u", "v", "u", "v"], dtype=pl.Categorical)})
    chunked = pl.concat([views, views], rechunk=False)
    found = incrowd.risk(chunked, quasi_identifiers=["a", "b"])
    assert (found.rows, found.classes) == (8, 3)
    enum = views.with_columns(pl.col("b").cast(pl.Enum(["v", "u", "unused"])))
    assert incrowd.risk(enum, quasi_identifiers=["a", "b"]).classes == 3


def _codes_are_handed_over(frame: pl.DataFrame) -> bool:
    from incrowd._table import stream_of

    return isinstance(stream_of(frame, "the table"), tuple)


def test_categories_of_polars_are_the_texts_they_stand_for():
    """Their codes are handed over apart from their texts, where Polars can say what a code means."""
    pl.Series(["another", "of another column"], dtype=pl.Categorical)
    texts = ["b", None, "a", "", "b", "x" * 300, "a", "b", None, "x" * 300, "", "a"] * 500
    plain = pl.DataFrame({"a": texts, "b": ["u", "v"] * 3000, "n": range(6000)})
    named = pl.Categorical(pl.Categories("of a test", "incrowd", pl.UInt8))
    wanted: dict[str, object] = {"quasi_identifiers": ["a", "b"], "others": "drop", "k": 2}
    expected = incrowd.anonymize(plain, **wanted)
    for of_a, of_b in [(pl.Categorical, pl.String), (pl.Categorical, pl.Categorical), (named, pl.Categorical)]:
        frame = plain.with_columns(pl.col("a").cast(of_a), pl.col("b").cast(of_b))
        parts = pl.concat([frame.head(4500), frame.tail(1500)], rechunk=False)
        for given in [frame, parts, frame.lazy(), incrowd.Table(incrowd._native.Table.of_stream(frame))]:
            release = incrowd.anonymize(given, **wanted)
            assert release.certificate.sha256.input == expected.certificate.sha256.input
            assert release.outcome.output.sha256 == expected.outcome.output.sha256
            assert release.table.to_dict() == expected.table.to_dict()
        assert _codes_are_handed_over(frame) == hasattr(pl.Series([0]).cat, "to")


def test_categories_of_polars_that_no_row_has_stay_unknown():
    secret = "of somebody else"
    pl.Series([secret], dtype=pl.Categorical)
    frame = pl.DataFrame({"a": pl.Series(["x", "x", None, None], dtype=pl.Categorical), "b": [1, 1, 2, 2]})
    for wanted in ({"quasi_identifiers": "a", "others": "drop"}, {"quasi_identifiers": "b", "keep": "a"}):
        release = incrowd.anonymize(frame, k=2, **wanted)
        assert release.table["a"] == ["x", "x", None, None]
        assert all(secret not in str(part.dictionary) for part in release.to_arrow()["a"].chunks)


def test_many_categories_of_polars_or_none_are_left_to_it():
    many = pl.DataFrame({"a": pl.Series([f"{row // 2}" for row in range(140_000)], dtype=pl.Categorical)})
    assert incrowd.risk(many, quasi_identifiers="a").classes == 70_000
    nulls = pl.DataFrame({"a": pl.Series([None, None], dtype=pl.Categorical)})
    assert incrowd.anonymize(nulls, quasi_identifiers="a", k=2).table["a"] == [None, None]
    assert not _codes_are_handed_over(many)
    assert not _codes_are_handed_over(nulls)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()])
def test_texts_of_every_length_are_told_apart_wherever_they_stand(kind):
    texts = [None, *("x" * (length % 40) + "y" * (length // 40) for length in range(200)), "x\0", "\0", ""] * 3
    texts = [*texts, *reversed(texts)]
    array = pa.array([None if text is None else text.encode() for text in texts], pa.binary()).cast(kind)
    table = pa.table({"a": array})
    plain = incrowd.Table.from_dict({"a": texts})
    for given, same in [(table, plain), (table.slice(3, 900), incrowd.Table.from_dict({"a": texts[3:903]}))]:
        release = incrowd.anonymize(given, quasi_identifiers="a", k=2, max_suppressed="100%")
        expected = incrowd.anonymize(same, quasi_identifiers="a", k=2, max_suppressed="100%")
        assert release.certificate.sha256.input == expected.certificate.sha256.input
        assert release.table.to_dict() == expected.table.to_dict()


def test_a_polars_frame_of_many_chunks_is_handed_over_as_it_is():
    """Polars copies such a frame into one chunk when it hands it over whole."""
    part = pl.DataFrame({"a": [f"a text of some length {row % 5}" for row in range(5000)], "b": range(5000)})
    frame = pl.concat([part] * 4, rechunk=False)
    assert frame.n_chunks() == 4
    found = incrowd.risk(frame, quasi_identifiers=["a"])
    assert (found.rows, found.classes) == (20_000, 5)
    assert frame.n_chunks() == 4
    # Columns whose chunks differ, and frames of small chunks, are left to Polars.
    uneven = pl.DataFrame({"a": frame["a"], "b": frame["b"].rechunk()})
    small = pl.concat([part.head(7)] * 5, rechunk=False)
    assert incrowd.risk(uneven, quasi_identifiers=["a", "b"]).classes == 5000
    assert incrowd.risk(small, quasi_identifiers=["b"]).classes == 7
    release = incrowd.anonymize(frame, quasi_identifiers="a", others="drop", k=2)
    whole = incrowd.anonymize(frame.rechunk(), quasi_identifiers="a", others="drop", k=2)
    assert release.outcome.output.sha256 == whole.outcome.output.sha256
    assert release.table.to_dict() == whole.table.to_dict()


def test_a_frame_that_was_filtered_has_no_column_for_its_index():
    frame = pd.DataFrame({"age": [1, 1, 2, 2, 9], "d": list("abcde")})
    release = incrowd.anonymize(frame[frame.age < 9], quasi_identifiers="age", sensitive="d", k=2)
    assert release.table.column_names == ["age", "d"]
    named = frame.set_index("d")
    assert {column.name for column in incrowd.inspect(named).columns} == {"age", "d"}


def test_tables_at_hand_stand_wherever_a_path_may(few, hierarchies):
    table = pl.read_csv(few)
    release = incrowd.anonymize(table, hierarchies=hierarchies, **WANTED)
    roles = {"quasi_identifiers": WANTED["quasi_identifiers"]}
    seen = incrowd.verify(release.table, original=table, hierarchies=hierarchies, k=5, **roles)
    of_file = incrowd.verify(release.table, original=few, hierarchies=hierarchies, k=5, **roles)
    assert seen.is_safe
    assert seen == of_file
    assert seen.against_original.rows_suppressed == release.rows_suppressed
    assert incrowd.risk(release, original=table, **roles) == incrowd.risk(release, original=few, **roles)
    about = {"hierarchies": hierarchies, "folds": 2, "target": "hours-per-week", **roles}
    assert incrowd.evaluate(table, release, **about) == incrowd.evaluate(few, release, **about)
    mapped = {"privacy": incrowd.KMap(5), "others": "drop", "hierarchies": hierarchies, **roles}
    first = incrowd.anonymize(table.head(600), population=table, **mapped)
    again = incrowd.anonymize(table.head(600), population=few, **mapped)
    assert first.table.to_dict() == again.table.to_dict()


def test_nothing_but_python_is_needed(tmp_path):
    """A job from a file, with all other libraries out of reach."""
    (tmp_path / "t.csv").write_text("age,d\n" + "".join(f"{30 + row % 4},{row % 3}\n" for row in range(20)))
    script = """
import sys
for name in ("pandas", "polars", "pyarrow", "numpy", "tqdm", "duckdb", "typing_extensions"):
    sys.modules[name] = None
import incrowd
release = incrowd.anonymize("t.csv", quasi_identifiers="age", sensitive="d", k=5, progress=True)
assert release.verify(original="t.csv").is_safe
print(len(release.table), release._repr_html_()[:7])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["20", "<style>"], done.stderr


def test_a_small_table_can_be_made_of_lists():
    table = incrowd.Table.from_dict({"a": [1, None], "b": [0.5, 2], "c": [True, None], "d": ["x", None]})
    assert list(table.column_types.values()) == ["Int64", "Float64", "Boolean", "Utf8"]
    assert table.to_dict() == {"a": [1, None], "b": [0.5, 2.0], "c": [True, None], "d": ["x", None]}
    for wrong in ([1, "x"], [True, 1], [object()], [[1]], 7):
        with pytest.raises((incrowd.TableError, TypeError)):
            incrowd.Table.from_dict({"a": wrong})
    big = {"a": [2**63 + 1, 2**63 + 2, None], "b": [-(2**63), 2**63 - 1, 0], "c": [0.5, 2**53, None]}
    table = incrowd.Table.from_dict(big)
    assert list(table.column_types.values()) == ["UInt64", "Int64", "Float64"]
    assert table.to_dict() == big
    assert incrowd.risk(table, quasi_identifiers="a").classes == 3
    for rounded in ([2**64, 2**64 + 1], [-1, 2**63 + 1], [0.5, 2**53 + 1], [Decimal("0.1")]):
        with pytest.raises(incrowd.RequestError, match="column `a` has numbers with more digits"):
            incrowd.Table.from_dict({"a": rounded})
    assert incrowd.Table.from_dict({"a": [Decimal("0.5"), float("nan")]})["a"][0] == 0.5
    with pytest.raises(incrowd.TableError, match="equally long"):
        incrowd.Table.from_dict({"a": [1], "b": [1, 2]})
