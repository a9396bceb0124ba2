"""Tables in and out. Whatever can hand over an Arrow stream is a table, and so is a path."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from . import _native
from .errors import RequestError, TableError

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars

__all__ = ["ArrowStream", "Table", "TableLike"]


@runtime_checkable
class ArrowStream(Protocol):
    """Anything that hands over its rows by Arrow's C stream interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with the stream."""
        ...


TableLike: TypeAlias = "ArrowStream | polars.LazyFrame | duckdb.DuckDBPyRelation | str | os.PathLike[str]"
"""A table: a path, or anything with ``__arrow_c_stream__``, such as a pyarrow table, a Polars frame (lazy ones are
collected), a pandas frame, or a DuckDB relation."""


class Table:
    """A table in memory. Other libraries take it over as an Arrow stream, without copying it.

    >>> table = Table.from_dict({"age": [34, 36], "city": ["Oslo", None]})
    >>> len(table), table.column_names
    (2, ['age', 'city'])
    >>> table["age"]
    [34, 36]
    """

    __slots__ = ("_rows",)

    def __init__(self, native: _native.Table) -> None:
        self._rows = native

    @classmethod
    def from_dict(cls, columns: Mapping[str, Sequence[Any]]) -> Table:
        """A small table from lists of values, for examples and tests."""
        return cls(_native.Table.of_columns([(name, list(values)) for name, values in columns.items()]))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows, for libraries that read Arrow."""
        return self._rows.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """The columns, for libraries that read Arrow."""
        return self._rows.__arrow_c_schema__()

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return self._rows.num_rows

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return self._rows.column_names

    @property
    def column_types(self) -> dict[str, str]:
        """The Arrow type of each column, in words."""
        return dict(zip(self._rows.column_names, self._rows.column_types, strict=True))

    @property
    def nbytes(self) -> int:
        """The bytes that the values take."""
        return self._rows.nbytes

    def __len__(self) -> int:
        return self._rows.num_rows

    def __getitem__(self, column: str) -> list[Any]:
        return self._rows.column(column)

    def head(self, rows: int = 5) -> list[dict[str, str | None]]:
        """The first rows as texts."""
        names = self._rows.column_names
        return [dict(zip(names, row, strict=True)) for row in self._rows.head(rows)]

    def to_dict(self) -> dict[str, list[Any]]:
        """All columns as lists: numbers and truth values as such, everything else as text."""
        return {name: self._rows.column(name) for name in self._rows.column_names}

    def to_arrow(self) -> Any:
        """A pyarrow table, which shares the memory."""
        import pyarrow

        return pyarrow.table(self)  # pyright: ignore

    def to_polars(self) -> polars.DataFrame:
        """A Polars frame; generalized columns are categorical."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame; generalized columns are categorical."""
        return self.to_arrow().to_pandas()  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return text_table(self, 5)

    def _repr_html_(self) -> str:
        from ._html import rows_table

        return rows_table(self, 10)


def text_table(table: Table, rows: int) -> str:
    """The first rows in columns of text."""
    names = table.column_names
    shown = [["" if cell is None else cell for cell in row.values()] for row in table.head(rows)]
    widths = [
        max([len(name), *(len(row[at]) for row in shown)]) if shown else len(name) for at, name in enumerate(names)
    ]
    lines = ["  ".join(name.ljust(width) for name, width in zip(names, widths, strict=True)).rstrip()]
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in shown]
    rest = table.num_rows - len(shown)
    if rest > 0:
        lines.append(f"… {rest} more rows" if rest > 1 else "… 1 more row")
    return "\n".join(lines)


Rows: TypeAlias = "ArrowStream | list[ArrowStream] | tuple[ArrowStream | list[ArrowStream], dict[str, ArrowStream]]"
"""What hands over rows, or their parts in order; with texts by the name of a column, whose cells are codes of them."""


def stream_of(given: object, role: str) -> Rows:
    """What hands over the rows of a table that is not a path."""
    kind = type(given)
    module = kind.__module__.partition(".")[0]
    if module == "pandas" and kind.__name__ == "DataFrame":
        return _of_pandas(given)
    if module == "polars" and kind.__name__ == "LazyFrame":
        return _of_polars(given.collect())  # type: ignore[attr-defined] # pyright: ignore
    if module == "polars" and kind.__name__ == "DataFrame":
        return _of_polars(given)
    if isinstance(given, Table):
        return given._rows
    if isinstance(given, ArrowStream):
        if _null_rows(given) > 0:
            raise TableError(
                "not-a-table",
                f"{role} is {_a(kind.__name__)} whose rows are partly null, which a table cannot have",
                "make a table of its fields, such as with `pyarrow.Table.from_struct_array` or `.struct.unnest()`",
            )
        return given
    raise TableError(
        "not-a-table",
        f"{role} is {_a(kind.__name__)}, which is not a table",
        "pass a path, a pyarrow, Polars or pandas table, a DuckDB relation, or anything with `__arrow_c_stream__`",
    )


def _null_rows(given: object) -> int:
    """How many rows of a column of structs are null as a whole, by which the cells below would come to light."""
    nulls: object = getattr(given, "null_count", 0)
    if callable(nulls):
        nulls = nulls()
    return nulls if isinstance(nulls, int) else 0


def path_of(given: object) -> str | None:
    """The path that stands for a table; none if it is something else."""
    if isinstance(given, str):
        return given
    if isinstance(given, os.PathLike):
        path: object = os.fspath(given)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        if isinstance(path, str):
            return path
        raise RequestError("argument", "a path must be text, not bytes", "decode it with `os.fsdecode`")
    return None


def _a(word: str) -> str:
    return f"an {word}" if word[:1].lower() in "aeiou" else f"a {word}"


_LEAST_CHUNK = 4096
"""Rows of a chunk that is worth handing over by itself."""


_MOST_CATEGORIES = 1 << 16
"""Categories of a column whose texts are handed over apart from its cells."""


def _of_polars(frame: Any) -> Rows:
    """A Polars frame, with codes in place of categories and their texts apart.

    Handing over a column of categories, Polars numbers its cells anew, which takes as long as half of what is done to them
    afterwards. Releases of Polars that cannot say what a code means do it as they can.
    """
    import polars

    codes: list[Any] = []
    texts: dict[str, ArrowStream] = {}
    for column in frame.get_columns():
        if not isinstance(column.dtype, polars.Categorical):
            continue
        with contextlib.suppress(AttributeError, polars.exceptions.PolarsError):
            physical: Any = column.to_physical()
            greatest = physical.max()
            if greatest is None or greatest >= _MOST_CATEGORIES:
                continue
            known: Any = polars.Series("text", range(greatest + 1), dtype=physical.dtype)
            known = known.cat.to(column.dtype).cast(polars.String).rechunk()
            if known.null_count() == 0:
                codes.append(physical)
                texts[column.name] = known.to_frame()
    return (_in_chunks(frame.with_columns(codes)), texts) if codes else _in_chunks(frame)


def _in_chunks(frame: Any) -> ArrowStream | list[ArrowStream]:
    """A Polars frame chunk by chunk: handing it over as a whole, Polars would first copy it into one chunk."""
    lengths: set[tuple[int, ...]] = {tuple(column.chunk_lengths()) for column in frame.get_columns()}
    if len(lengths) != 1:
        whole: ArrowStream = frame
        return whole
    [chunks] = lengths
    if len(chunks) == 1 or frame.height < _LEAST_CHUNK * len(chunks):
        return frame  # type: ignore[no-any-return]
    ends = list(itertools.accumulate(chunks))
    return [frame.slice(end - length, length) for length, end in zip(chunks, ends, strict=True) if length > 0]


def _of_pandas(frame: Any) -> ArrowStream:
    """A pandas frame without its index, unless that has a name and so means something."""
    try:
        import pyarrow as library
    except ImportError:
        raise TableError(
            "needs-pyarrow",
            "a pandas frame can be read only if pyarrow is installed, since pandas hands it over that way",
            "install `incrowd[pandas]`, or write the frame to a file and pass its path",
        ) from None
    if len(set(frame.columns)) < len(frame.columns):
        raise TableError("duplicate-column", "two columns of the pandas frame have the same name", "rename one of them")
    has_names = any(name is not None for name in frame.index.names)
    pyarrow: Any = library
    with contextlib.suppress(pyarrow.ArrowException, TypeError, ValueError):
        table: ArrowStream = pyarrow.Table.from_pandas(frame, preserve_index=has_names)
        return table
    # Not raised while that one is handled: what pyarrow says quotes cells, and would go along as the context.
    raise _mixed(frame, pyarrow)


def _mixed(frame: Any, pyarrow: Any) -> TableError:
    for name, column in frame.items():
        try:
            pyarrow.array(column, from_pandas=True)
        except (pyarrow.ArrowException, TypeError, ValueError):
            kinds = sorted({type(value).__name__ for value in column})
            return TableError(
                "mixed-column",
                f"column `{name}` cannot be read: its values are of several kinds ({', '.join(kinds[:5])})",
                f"make them one kind, such as with `frame[{name!r}].astype(str)`",
            )
    return TableError(
        "mixed-column", "the pandas frame cannot be read as an Arrow table", "see `pyarrow.Table.from_pandas`"
    )
