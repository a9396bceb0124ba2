"""How values may be generalized: rules that build levels, and levels built, read or written.

>>> import incrowd
>>> table = incrowd.Table.from_dict({"age": [34, 36, 61, 64]})
>>> levels = build(table, "age", interval(10, 20))
>>> levels.rows()[0]
['34', '[30-39]', '[20-39]', '*']
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._record import Record
from .entries import _text

if TYPE_CHECKING:
    from ._table import TableLike

__all__ = [
    "Hierarchy",
    "build",
    "check",
    "countries",
    "date",
    "education",
    "frequent",
    "icd10",
    "interval",
    "log",
    "mask",
    "order",
    "prefix",
    "quantile",
    "suppress",
    "uk_postcode",
    "us_states",
]


class Hierarchy:
    """The levels of a column: every value with its groups, from the finest up to ``*``."""

    def __init__(self, csv_text: str, report: Record | None = None) -> None:
        self._csv = csv_text
        self.report = report
        """How many groups every level has, with examples, if the levels were built or read."""

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[object]], level_names: Sequence[str] | None = None) -> Hierarchy:
        """Levels from rows of a value and its groups.

        >>> Hierarchy.from_rows([["Oslo", "Norway", "*"], ["Bergen", "Norway", "*"]]).height
        2
        """
        depth = len(rows[0]) if rows else 0
        header = list(level_names) if level_names is not None else [f"level {at}" for at in range(depth)]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([header, *([str(cell) for cell in row] for row in rows)])
        return cls(text.getvalue())

    @property
    def level_names(self) -> list[str]:
        """The names of the levels, raw values first."""
        return next(csv.reader(io.StringIO(self._csv)))

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.level_names) - 1

    def rows(self) -> list[list[str]]:
        """Every value with its groups."""
        return list(csv.reader(io.StringIO(self._csv)))[1:]

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """The levels as CSV, names first; also written to a file if one is given."""
        if path is not None:
            with open(path, "x", encoding="utf-8", newline="") as file:
                file.write(self._csv)
        return self._csv

    def __repr__(self) -> str:
        rows = self.rows()
        lines = ["  ".join(row) for row in [self.level_names, *rows[:5]]]
        return "\n".join(lines + ([f"… {len(rows) - 5} more values"] if len(rows) > 5 else []))

    def _repr_html_(self) -> str:
        from ._html import grid

        return grid(self.level_names, self.rows()[:10], len(self.rows()))


def build(table: TableLike, column: str, rule: str | None = None, *, examples: int = 5, **keywords: Any) -> Hierarchy:
    """Builds the levels of a column by a rule, or by the one that suits its values."""
    from ._request import Request

    request = Request(table, keywords, column=column, rule=None if rule is None else str(rule), examples=examples)
    return _of_answer(request.run("hierarchy"))


def check(
    file: str | os.PathLike[str],
    table: TableLike | None = None,
    column: str | None = None,
    *,
    examples: int = 5,
    **keywords: Any,
) -> Hierarchy:
    """Reads a hierarchy file, and compares it with a column of a table if one is given: ``.report.against_data``."""
    from ._request import Request

    path = os.fspath(file)
    name = column if column is not None else os.path.splitext(os.path.basename(path))[0]
    request = Request(table, keywords, column=name, file=path, examples=examples)
    return _of_answer(request.run("hierarchy"))


def _of_answer(text: str) -> Hierarchy:
    answer = json.loads(text)
    return Hierarchy(answer["csv"], Record(answer["report"]))


def _rule(name: str, numbers: Sequence[object] = (), origin: object = None) -> str:
    text = name if not numbers else f"{name}:{','.join(_text(number) for number in numbers)}"
    return text if origin is None else f"{text}@{_text(origin)}"


def interval(*widths: float, origin: float | None = None) -> str:
    """Intervals of these widths, each a multiple of the one before; they begin at ``origin``.

    >>> interval(5, 10, 20, origin=17)
    'interval:5,10,20@17'
    """
    return _rule("interval", widths, origin)


def quantile(*parts: int) -> str:
    """So many intervals with about equally many rows, level by level.

    >>> quantile(16, 8, 4)
    'quantile:16,8,4'
    """
    return _rule("quantile", parts)


def log(*steps: str | int) -> str:
    """Intervals that grow with the numbers, such as ``log("1-2-5", 10, 100)``."""
    return _rule("log", steps)


def frequent(*kept: int) -> str:
    """The most frequent values, so many at each level; all others together."""
    return _rule("frequent", kept)


def mask(characters: int = 1) -> str:
    """So many more characters hidden with each level, from the right.

    >>> mask(2)
    'mask:2'
    """
    return _rule("mask", [characters])


def prefix(*characters: int) -> str:
    """So many characters kept from the left, level by level."""
    return _rule("prefix", characters)


def date(*parts: str) -> str:
    """Dates by parts such as ``month`` and ``year``."""
    return _rule("date", parts)


def order() -> str:
    """Values in their order, two and two together, level by level."""
    return "order"


def suppress() -> str:
    """The value, or ``*``."""
    return "suppress"


def countries() -> str:
    """Countries by region and continent."""
    return "countries"


def us_states() -> str:
    """States of the USA by division and region."""
    return "us-states"


def education() -> str:
    """Degrees by kind of education."""
    return "education"


def icd10() -> str:
    """Diagnoses by block and chapter of ICD-10."""
    return "icd10"


def uk_postcode() -> str:
    """Postcodes of the UK by sector, district and area."""
    return "uk-postcode"
