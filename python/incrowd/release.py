"""Releases: a table that keeps its promises, with the proof."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from . import _native
from ._html import card, facts, few_digits, figure, rows_table, warnings
from ._picture import Picture
from ._record import Record
from ._table import Table, text_table
from .errors import RequestError

if TYPE_CHECKING:
    import pandas
    import polars

    from .results import Verification

__all__ = ["Release"]


class Release:
    """A table that keeps its promises, checked by code that shares nothing with the search for it.

    It hands over its rows as an Arrow stream, so that pyarrow, Polars, pandas and DuckDB read it as it is.
    """

    def __init__(self, native: _native.Release) -> None:
        self.table: Table | None = None if native.table is None else Table(native.table)
        """The rows; none if they were written to a file."""
        self.outcome: Record = Record.parse(native.outcome)
        """Everything that ``incrowd anonymize --json`` prints."""
        self.certificate: Record | None = None if native.certificate is None else Record.parse(native.certificate)
        """What was asked and reached, with hashes, for :func:`incrowd.verify`."""
        self.certificate_text: str | None = native.certificate_text
        """The certificate for people."""
        self._pictures: dict[str, str] = {it["name"]: it["svg"] for it in json.loads(native.pictures)}

    @property
    def rows_suppressed(self) -> int:
        """Rows that are not published."""
        return int(self.outcome["rows_suppressed"])

    @property
    def levels(self) -> dict[str, int] | None:
        """The level of each quasi-identifier; none where a column mixes levels."""
        levels = self.outcome["levels"]
        return None if levels is None else dict(levels)

    @property
    def metrics(self) -> dict[str, float]:
        """What the release costs, by every metric that applies; the one asked for comes first."""
        return dict(self.outcome["metrics"])

    @property
    def loss(self) -> float:
        """What it costs by the metric that was asked for."""
        return next(iter(self.metrics.values()))

    @property
    def highest_risk(self) -> float:
        """The chance to pick the right row of the smallest class."""
        return 1 / self.outcome["smallest_class"] if self.outcome["smallest_class"] else 0.0

    def _rows(self) -> Table:
        if self.table is None:
            raise RequestError(
                "no-table",
                "the release was written to a file and is not in memory",
                "read the file, or leave out `output`",
            )
        return self.table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows, for libraries that read Arrow."""
        return self._rows().__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """The rows as a pyarrow table."""
        return self._rows().to_arrow()

    def to_polars(self) -> polars.DataFrame:
        """The rows as a Polars frame."""
        return self._rows().to_polars()

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas frame."""
        return self._rows().to_pandas()

    def verify(self, original: Any = None, **keywords: Any) -> Verification:
        """Checks the rows against the certificate, and against the original if it is given."""
        from ._commands import verify

        return verify(self._rows(), original=original, certificate=self.certificate, **keywords)

    def save_certificate(self, path: str | os.PathLike[str]) -> None:
        """Writes the certificate as JSON, and a readable copy next to it as ``.txt``."""
        if self.certificate is None or self.certificate_text is None:
            raise RequestError("certificate-alone", "there is no certificate without a release", "make a release")
        place = os.fspath(path)
        stem, ending = os.path.splitext(place)
        if ending.lower() == ".txt":
            raise RequestError(
                "certificate-name",
                "a certificate cannot be named `*.txt`",
                "name it `*.json`; a readable copy is written next to it as `*.txt`",
                place,
            )
        readable = stem + ".txt"
        if not _may_be_replaced(readable, self.certificate_text.split("\n")[0]):
            raise RequestError(
                "certificate-twin",
                "the readable copy of the certificate would overwrite a file that is not a certificate",
                "move that file, or choose another name for the certificate: its readable copy has the same name with `.txt`",
                readable,
            )
        with open(place, "w", encoding="utf-8") as file:
            file.write(self.certificate.to_json(indent=2) + "\n")
        with open(readable, "w", encoding="utf-8") as file:
            file.write(self.certificate_text)

    def plot(self, column: str | None = None) -> Picture:
        """What is lost of each quasi-identifier, or one of them before and after."""
        name = "widths" if column is None else column
        if name not in self._pictures:
            known = [it for it in self._pictures if it != "widths"]
            raise RequestError(
                "unknown-name", f"there is no picture of `{name}`", f"quasi-identifiers are: {', '.join(known)}"
            )
        return Picture(self._pictures[name])

    def _summary(self) -> list[tuple[str, str]]:
        outcome = self.outcome
        promises = [f"{it['model']}: {'kept' if it['holds'] else 'broken'}" for it in outcome["privacy"]]
        metric, loss = next(iter(self.metrics.items()))
        rows = outcome["rows_out"]
        average = outcome["classes"] / rows if rows else 0.0
        return [
            ("promise", "; ".join(promises)),
            ("rows", f"{rows:,} of {outcome['rows_in']:,} ({self.rows_suppressed:,} suppressed)"),
            ("classes", f"{outcome['classes']:,}; the smallest has {outcome['smallest_class']:,} rows"),
            ("loss", f"{metric} {few_digits(loss)} ({outcome['guarantee']}, {outcome['algorithm']})"),
            ("risk", f"at most {few_digits(self.highest_risk)} to find a person, {few_digits(average)} on average"),
        ]

    def __repr__(self) -> str:
        lines = [f"{term + ':':9}{text}" for term, text in self._summary()]
        return "\n".join([*lines, "", text_table(self.table, 5)] if self.table is not None else lines)

    def _repr_html_(self) -> str:
        parts = [facts(self._summary()), warnings(self.outcome["warnings"])]
        if "widths" in self._pictures:
            parts.append(figure(self._pictures["widths"]))
        if self.table is not None:
            parts.append(rows_table(self.table, 5))
        return card("Release", *parts)


def _may_be_replaced(path: str, first_line: str) -> bool:
    """Whether there is no file, an empty one, or a readable certificate, which begins as all of them do."""
    if not os.path.isfile(path):
        return True
    expected = first_line.encode()
    with open(path, "rb") as file:
        return file.read(len(expected)) in (b"", expected)
