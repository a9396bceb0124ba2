"""Exceptions. Each has a ``code`` for programs, a ``message`` and a ``hint`` for people, and never quotes a cell."""

from __future__ import annotations

__all__ = [
    "CheckError",
    "FileError",
    "IncrowdError",
    "NoReleaseError",
    "RequestError",
    "StoppedError",
    "TableError",
]


class IncrowdError(Exception):
    """Something was refused or failed. The other exceptions are special cases of this one.

    >>> import incrowd
    >>> try:
    ...     incrowd.explain("k-anonimity")
    ... except incrowd.IncrowdError as error:
    ...     print(error.code)
    unknown-name
    """

    code: str
    """A word for programs, listed with its meaning in the documentation; it stays the same."""
    message: str
    """What happened."""
    hint: str
    """What to do next."""
    place: str | None
    """Where it happened, such as a row of a file, if that is known."""

    def __init__(self, code: str, message: str, hint: str = "", place: str | None = None) -> None:
        super().__init__(code, message, hint, place)
        self.code = code
        self.message = message
        self.hint = hint
        self.place = place

    def __str__(self) -> str:
        lines = [self.message]
        if self.place:
            lines.append(f"  at:   {self.place}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class RequestError(IncrowdError, ValueError):
    """What was asked for cannot be understood, contradicts itself, or does not fit the table."""


class TableError(IncrowdError, ValueError):
    """A table cannot be read."""


class FileError(IncrowdError, OSError):
    """A file, or a table in a database, cannot be reached, read or written."""

    def __str__(self) -> str:
        return IncrowdError.__str__(self)


class NoReleaseError(IncrowdError):
    """No release that keeps the promises was found, or none is possible."""


class CheckError(IncrowdError):
    """A release was found but did not pass the independent check, so there is none."""


class StoppedError(IncrowdError):
    """The job was stopped, or ran out of time, memory or work before it had anything to show."""


_CLASSES: dict[type[IncrowdError], str] = {
    TableError: """
        all-rows-excluded batches-differ broken-gzip broken-parquet cell-not-of-type cell-too-large dates-ambiguous
        duplicate-column empty empty-column-name header-is-row mixed-column names-alike needs-pyarrow no-rows
        no-values nul-text out-of-range not-a-table not-utf8 quote-never-closed ragged-row table-not-handed-over
        too-many-combinations too-many-rows unknown-format unsupported-column-type unusable-dialect without-parquet
    """,
    FileError: """
        already-exists connection-lost disk-full engine-full engine-stopped folder folder-not-made index-damaged
        index-stale index-version is-directory job-not-written no-driver no-hierarchy-folder no-right no-such-table
        not-connected not-found not-readable not-writable overwrites-input publishing-unknown read same-output
        statement-failed target-exists target-in-use target-not-table unreadable write
    """,
    NoReleaseError: """
        no-solution none-found out-of-reach promise-beyond-table raised-too-far rows-out-of-reach
        too-many-to-suppress
    """,
    CheckError: """
        blank-rows check-failed draft-differs crowds-overlap input-changed internal release-promise-broken
        rows-apart rows-together
    """,
    StoppedError: """
        cancelled check-stopped memory-full not-tried time-up time-up-reading time-up-simulating time-up-writing
        work-done worker-lost
    """,
}
_CLASS_OF_CODE = {code: kind for kind, codes in _CLASSES.items() for code in codes.split()}


def of_code(code: str, message: str, place: str | None, hint: str) -> IncrowdError:
    """The exception for an error of the library; most are about the request."""
    return _CLASS_OF_CODE.get(code, RequestError)(code, message, hint, place)
