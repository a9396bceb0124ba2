"""Bad input: a clear exception each, which quotes no cell, and never a crash."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import traceback
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import incrowd

SECRET = "Grace Hopper"


def refused(table, kind=incrowd.IncrowdError, **keywords):
    keywords = {"quasi_identifiers": "a", "k": 2, "others": "drop", **keywords}
    with pytest.raises(kind) as raised:
        incrowd.anonymize(table, **keywords)
    error = raised.value
    assert error.code
    assert error.message
    assert error.hint, error.code
    assert SECRET not in "".join(traceback.format_exception(error))
    assert SECRET not in f"{error!s}{error!r}{error.__cause__!r}{error.__context__!r}"
    return error


def test_what_is_no_table():
    for thing in (7, None, object(), [1, 2], {"a": [1]}, pl.Series([1]), b"path", np.zeros(3), lambda: 0):
        error = refused(thing)
        assert error.code in ("not-a-table", "no-data", "unsupported-column-type", "table-not-handed-over"), thing


def test_streams_that_are_not_what_they_seem():
    class Wrong:
        def __init__(self, answer):
            self.answer = answer

        def __arrow_c_stream__(self, requested_schema=None):
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

    for answer in (None, 7, "capsule", pa.array([1]).__arrow_c_array__()[0]):
        with pytest.raises((incrowd.TableError, TypeError, ValueError)):
            incrowd.inspect(Wrong(answer))
    with pytest.raises(RuntimeError, match="mine"):
        incrowd.inspect(Wrong(RuntimeError("mine")))

    used = pa.table({"a": [1, 1]}).__arrow_c_stream__()
    assert incrowd.inspect(Wrong(used)).rows == 2
    with pytest.raises((incrowd.IncrowdError, TypeError, ValueError)):
        incrowd.inspect(Wrong(used))


def test_a_producer_that_fails_midway_is_not_quoted():
    def batches():
        yield pa.record_batch({"a": [1, 2]})
        raise ValueError(f"could not convert {SECRET}")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    assert refused(reader, incrowd.TableError).code == "table-not-handed-over"


def test_unknown_columns():
    error = refused(pl.DataFrame({"aa": [1, 1]}))
    assert error.code == "unknown-column"
    assert isinstance(error, ValueError)
    assert refused(pl.DataFrame({"a": [1, 1], "b": [1, 1]}), others=None, k=2).code == "no-role"
    assert refused(pl.DataFrame({"a": [1, 1]}), sensitive="a").code == "two-roles"


def test_empty_frames():
    assert refused(pl.DataFrame({"a": []}, schema={"a": pl.Int64}), incrowd.TableError).code == "no-rows"
    assert refused(pl.DataFrame(), incrowd.TableError).code == "empty"
    assert refused(pd.DataFrame({"a": []}), incrowd.TableError).code == "no-rows"
    assert refused(pa.table({"a": pa.array([], pa.string())}), incrowd.TableError).code == "no-rows"


def test_object_columns_of_mixed_types():
    frame = pd.DataFrame({"a": [1, 2], "b": pd.Series([SECRET, {"x": 1}], dtype=object)})
    error = refused(frame, incrowd.TableError)
    assert error.code == "mixed-column"
    assert "`b`" in error.message
    frame = pd.DataFrame({"a": pd.Series([SECRET, 7], dtype=object)})
    assert "int, str" in refused(frame, incrowd.TableError).message
    # Here, pyarrow quotes the cell.
    frame = pd.DataFrame({"a": pd.Series([7, SECRET], dtype=object)})
    with pytest.raises(pa.ArrowException, match=SECRET):
        pa.Table.from_pandas(frame)
    assert refused(frame, incrowd.TableError).code == "mixed-column"
    frame = pd.DataFrame([[1, 2], [1, 3]], columns=["a", "a"])
    assert refused(frame, incrowd.TableError).code == "duplicate-column"
    assert refused(pa.table([[1], [2]], names=["a", "a"]), incrowd.TableError).code == "duplicate-column"
    assert refused(pa.table([[1], [2]], names=["a", ""]), incrowd.TableError).code == "empty-column-name"


def test_nan_and_null():
    """In Arrow and Polars, NaN is a number of its own; in pandas it stands for null."""
    frame = pl.DataFrame({"a": [1.0, 1.0, float("nan"), float("nan"), None, None]})
    release = incrowd.anonymize(frame, quasi_identifiers="a", k=2)
    assert release.table["a"] == ["1.0", "1.0", "NaN", "NaN", None, None]
    excluded = incrowd.anonymize(frame, quasi_identifiers="a", k=2, missing_cells="exclude-row")
    assert (excluded.outcome.rows_excluded, len(excluded.table)) == (2, 4)
    both = incrowd.anonymize(frame, quasi_identifiers="a", k=2, missing_cells="exclude-row", missing_tokens=["NaN"])
    assert both.outcome.rows_excluded == 4
    of_pandas = incrowd.anonymize(frame.to_pandas(), quasi_identifiers="a", k=2, missing_cells="exclude-row")
    assert of_pandas.outcome.rows_excluded == 4


def test_categories_that_no_row_has():
    frame = pd.DataFrame({"a": pd.Categorical(["x", "x", "y", "y"], categories=["x", "y", SECRET])})
    release = incrowd.anonymize(frame, quasi_identifiers="a", k=2)
    assert release.levels == {"a": 0}
    assert set(release.to_pandas()["a"].cat.categories) == {"x", "y"}
    empty = pd.DataFrame({"a": pd.Categorical([None, None], categories=["x"])})
    assert incrowd.anonymize(empty, quasi_identifiers="a", k=2).table["a"] == [None, None]
    kept = incrowd.anonymize(frame.assign(b=[1, 1, 2, 2]), quasi_identifiers="b", keep="a", k=2)
    assert SECRET not in str(kept.to_arrow()["a"].chunk(0).dictionary)


def test_dates_with_time_zones():
    summer = dt.datetime(2024, 7, 1, 23, 30, tzinfo=dt.timezone.utc)
    frame = pd.DataFrame({"a": pd.Series([summer] * 4).dt.tz_convert("Asia/Tokyo"), "b": [1, 1, 2, 2]})
    release = incrowd.anonymize(frame, quasi_identifiers="b", keep="a", k=2)
    assert release.to_pandas()["a"].dt.tz.key == "Asia/Tokyo"
    assert (release.to_pandas()["a"] == frame["a"]).all()
    as_quasi = incrowd.anonymize(frame, quasi_identifiers="a", k=2, others="drop")
    assert as_quasi.table["a"] == ["2024-07-01T23:30:00Z"] * 4


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[SECRET], []]),
        pa.array([{"x": SECRET}, {"x": "y"}]),
        pa.array([[(SECRET, 1)], []], pa.map_(pa.string(), pa.int64())),
        pa.array([dt.timedelta(1), None]),
        pa.array([b"0123456789abcdef", None], pa.binary(16)),
        pa.array([1, 2], pa.int64()).cast(pa.decimal256(60, 0)),
        pa.RunEndEncodedArray.from_arrays([1, 2], pa.array([SECRET, "x"])),
    ],
    ids=["list", "struct", "map", "duration", "fixed", "decimal256", "runs"],
)
def test_nested_and_other_types_that_are_not_one_text(values):
    for keywords in ({}, {"quasi_identifiers": "b", "keep": "a"}):
        error = refused(pa.table({"a": values, "b": [1, 1]}), incrowd.TableError, **keywords)
        assert error.code == "unsupported-column-type"
        assert "`a`" in error.message


def test_bytes_that_are_no_text():
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"\xff\xfe")]
    )
    error = refused(pa.table({"a": broken}), incrowd.TableError)
    assert error.code == "not-utf8"


def test_arguments_of_wrong_types(patients):
    about = {"quasi_identifiers": "age", "others": "drop"}
    for wrong in (
        {"quasi_identifiers": 7},
        {"quasi_identifiers": [7]},
        {"quasi_identifiers": {"age", "zip"}},
        {"max_levels": {1}},
        {"max_levels": 1},
        {"threads": object()},
        {"k": "many", "privacy": 5},
        {"k": [5]},
        {"k": True},
        {"privacy": [5]},
        {"max_suppressed": [1]},
        {"job": 5},
        {"kk": 5},
        {"quasi_identifier": "age"},
    ):
        with pytest.raises(TypeError):
            incrowd.anonymize(patients, **{"k": 2, **about, **wrong})
    for wrong, code in (
        ({"k": 0}, "parameter-out-of-range"),
        ({"k": -3}, None),
        ({"k": 2.5}, None),
        ({"k": 10**30}, None),
        ({"k": "many"}, None),
        ({"t": float("nan")}, None),
        ({"max_suppressed": -1}, None),
        ({"max_suppressed": 1.5}, "budget"),
        ({"max_suppressed": "1 %%"}, None),
        ({"max_levels": [1, 2, 3]}, None),
        ({"max_levels": [999]}, None),
        ({"max_levels": {"zip": 1}}, "not-a-quasi-identifier"),
        ({"max_levels": {"age": 1}, "quasi_identifiers": ["age", "zip"]}, "level-count"),
        ({"max_suppressed": float("nan")}, "budget"),
        ({"max_suppressed": Decimal("inf")}, "budget"),
        ({"time_limit": float("nan")}, "time-limit"),
        ({"time_limit": float("inf")}, "time-limit"),
        ({"threads": -1}, "argument"),
        ({"threads": 2**64}, "argument"),
        ({"threads": "two"}, "argument"),
        ({"seed": 2**64}, "argument"),
        ({"others": "burn"}, "argument"),
        ({"metric": "beauty"}, None),
        ({"algorithm": "magic"}, None),
        ({"settings": {"magic": 1}}, None),
        ({"privacy": "k-anonimity(k=2)"}, None),
        ({"time_limit": "soon"}, None),
        ({"weights": {"age": float("inf")}}, "argument"),
        ({"hierarchies": {"age": "intervall:5"}}, None),
        ({"hierarchies": {"age": [["34"]]}}, None),
        ({"hierarchies": "/no/such/folder"}, None),
        ({"rules": "age"}, None),
    ):
        with pytest.raises(incrowd.IncrowdError) as raised:
            incrowd.anonymize(patients, **{"k": 2, **about, **wrong})
        assert code is None or raised.value.code == code, (wrong, raised.value)
        assert raised.value.hint


def test_numbers_of_other_libraries_are_numbers(patients):
    about = {"quasi_identifiers": ["age", "zip"], "others": "drop"}
    plain = incrowd.anonymize(
        patients, k=2, max_suppressed=1, max_levels=[3, 2], threads=2, seed=1, time_limit=60, **about
    )
    of_numpy = incrowd.anonymize(
        patients,
        k=np.int64(2),
        max_suppressed=np.int32(1),
        max_levels=np.array([3, 2]),
        threads=np.uint8(2),
        seed=np.int64(1),
        time_limit=np.float32(60),
        shuffle=np.bool_(False),
        **about,
    )
    assert of_numpy.table.to_dict() == plain.table.to_dict()
    assert of_numpy.outcome.privacy[0].model == "k-anonymity(k=2)"
    assert str(incrowd.KAnonymity(np.int64(5))) == "k-anonymity(k=5)"
    assert str(incrowd.TCloseness(np.float32(0.00001))) == "t-closeness(t=0.00001)"
    shares = (0.25, np.float64(0.25), np.float32(0.25), Decimal("0.25"), Fraction(1, 4))
    for share in shares:
        assert incrowd.Job(max_suppressed=share).to_dict()["privacy"]["max_suppressed"] == "25%"
        assert incrowd.simulate(domain=[2], k=2, rows=50, rows_needed=share).share == 0.25
    negotiation = incrowd.negotiate(patients, **about)
    by_name = negotiation.ask(k=np.int64(2), max_levels={"age": np.int64(3)}, max_suppressed=np.float64(0.1))
    assert by_name.is_exact == negotiation.ask(k=2, max_levels={"age": 3}, max_suppressed=0.1).is_exact
    with pytest.raises(incrowd.RequestError) as raised:
        negotiation.ask(k=2, max_suppressed=float("nan"))
    assert raised.value.code == "budget"


def test_more_threads_than_any_machine_has_are_not_started(patients):
    """So many could not be: without a limit, the memory that each asks for ends the interpreter."""
    for threads in (0, 1000, 2**64 - 1):
        release = incrowd.anonymize(patients, k=2, quasi_identifiers="age", others="drop", threads=threads)
        assert release.outcome.privacy[0].holds


def test_rows_of_a_column_of_structs_that_are_null():
    """What stands below such a row is not in the table, and must not come to light."""
    hidden = pa.array([False, True, True])
    structs = pa.StructArray.from_arrays([pa.array(["x", SECRET, SECRET])], ["a"], mask=hidden)
    column = pa.chunked_array([structs])
    assert refused(column, incrowd.TableError).code == "not-a-table"
    assert refused(pl.Series([{"a": "x"}, None]), incrowd.TableError).code == "not-a-table"
    table = pa.Table.from_struct_array(column)
    assert incrowd.anonymize(table, quasi_identifiers="a", k=1).table["a"] == ["x", None, None]
    whole = pa.chunked_array([structs.slice(0, 1)])
    assert incrowd.anonymize(whole, quasi_identifiers="a", k=1).table["a"] == ["x"]


def test_a_keyword_that_is_misspelt_is_named():
    with pytest.raises(TypeError, match=r"'quasi_identifier'; did you mean 'quasi_identifiers'\?"):
        incrowd.anonymize("t.csv", quasi_identifier="age")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(incrowd.FileError) as raised:
        incrowd.inspect(tmp_path / "none.csv")
    assert raised.value.code == "not-found"
    assert isinstance(raised.value, OSError)
    with pytest.raises(incrowd.IncrowdError):
        incrowd.Job.from_toml(tmp_path / "none.toml")
    with pytest.raises(incrowd.IncrowdError) as raised:
        incrowd.Job.from_text("[privacy]\nmodel = 5\n")
    assert raised.value.code == "job-file"


def test_rows_beyond_the_greatest_number_are_refused_at_once():
    """2^32 rows cost nothing where all are null."""
    error = refused(pa.table({"a": pa.nulls(2**32)}), incrowd.TableError)
    assert error.code == "too-many-rows"


MANY_STRINGS = """
import mmap, pyarrow as pa, incrowd
rows = 2**31 + 10
# Pages that were never written are all one page, so this takes no memory.
private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
zeros = mmap.mmap(-1, 8 * (rows + 1), flags=private, prot=mmap.PROT_READ)
def strings(kind):
    return pa.Array.from_buffers(kind, rows, [None, pa.py_buffer(zeros), pa.py_buffer(b"")])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such memory")
def test_two_to_the_31_strings_in_one_chunk_begin_and_end_as_others_do():
    """The last rows are looked at by themselves; from the first, counting goes on until it is stopped."""
    script = """
for kind in (pa.large_string(), pa.string(), pa.large_binary()):
    end = strings(kind).slice(2**31 - 990)
    found = incrowd.risk(pa.table({"a": end}), quasi_identifiers="a")
    print(found.rows, found.classes)
    stop = incrowd.Stop()
    try:
        incrowd.risk(pa.table({"a": strings(kind)}), quasi_identifiers="a", stop=stop, progress=lambda *_: stop.now())
    except incrowd.StoppedError as error:
        print(error.code)
"""
    done = subprocess.run([sys.executable, "-c", MANY_STRINGS + script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["1000", "1", "cancelled"] * 3, (done.returncode, done.stderr)


@pytest.mark.skipif("INCROWD_LONG" not in os.environ, reason="takes minutes; INCROWD_LONG=1 runs it")
@pytest.mark.timeout(3600)
def test_two_to_the_31_strings_in_one_chunk_are_counted():
    script = """
found = incrowd.risk(pa.table({"a": strings(pa.large_string())}), quasi_identifiers="a")
print(found.rows, found.classes)
"""
    done = subprocess.run([sys.executable, "-c", MANY_STRINGS + script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == [str(2**31 + 10), "1"], done.stderr


def test_long_texts():
    long = "x" * (3 << 20)
    found = incrowd.risk(pl.DataFrame({"a": [long, long, "y"]}), quasi_identifiers="a")
    assert (found.rows, found.classes) == (3, 2)
