"""Exceptions. Each has a ``code`` for programs, a ``message`` and a ``hint`` for people, and never quotes a cell."""

from __future__ import annotations

from ._hints import in_python

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
        # Not by `super()`: an OSError would take them for a number, a text and names of files.
        Exception.__init__(self, code, message, hint, place)
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
    RequestError: """
        address algorithm-unknown answers asked-too-soon bad-address budget budget-beyond-table certain-chance
        certificate-alone certificate-decides certificate-name certificate-twin choices-unfinished class-size
        column-has-no-hierarchy column-has-no-order column-not-in-original column-vanished delimiter dialogue-ended
        duplicate-parameter engine-not-built folds gate gate-figure gate-without-figure hierarchy-cuts-other
        hierarchy-empty hierarchy-flag hierarchy-lacks-values hierarchy-level-splits hierarchy-not-utf8
        hierarchy-one-column hierarchy-row-too-short hierarchy-spec-not-nested hierarchy-spec-parameter
        hierarchy-spec-unknown hierarchy-too-many-levels hierarchy-value-twice index-of-nothing intervals-too-narrow
        job-file lattice-too-large level-count level-values level-values-flag malformed-model match-any-refused
        max-levels memory-limit metric-column-unknown metric-option-invalid metric-option-unknown metric-spec-malformed
        metric-target-missing metric-unknown missing-parameter misspelt-rule model-needs-column model-not-annotated
        name-broken name-too-long negative-budget no-data no-parameters no-privacy-model no-quasi-identifiers no-role
        no-such-level no-such-value not-a-certificate not-a-choice not-a-quasi-identifier not-a-sensitive-column
        not-dates not-its-original not-negotiable not-numbers not-one-per-column not-one-query not-recognized
        nothing-to-judge nothing-to-partition nothing-to-simulate one-target-needed order-incomplete
        parameter-out-of-range partial-share-out-of-range partition-column-unknown partition-metric partition-setting
        partition-too-many-splits partition-too-wide population-elsewhere population-needed population-refused
        population-too-small population-unmatched population-unused property-flag repeats report-alone request-line
        requests requests-refused revealing-columns rows-not-given rule-column rule-contradictory rule-importance
        rule-malformed rule-not-numeric rule-outside rule-repeated rule-value script-goes-on server-not-built
        setting-not-read setting-out-of-range setting-unknown several-promises share simulated-rows sink-used
        spreadsheet-needs-text standard-input-twice standard-output-twice statement-refused steps-above-level
        steps-need-numbers study-too-large survival-nothing-found survival-rules survival-target target-is-query
        target-needed target-not-numeric threshold time-limit token-without-tls too-many-classes too-many-tuples
        tuples-not-held two-roles unknown-column unknown-command unknown-model unknown-name unknown-parameter
        unread-text values-outside-hierarchy weight-flag weights-all-zero weights-sum weights-twice work-limit
        wrong-number-of-levels
    """,
    TableError: """
        all-rows-excluded batches-differ broken-gzip broken-parquet cell-not-of-type cell-too-large dates-ambiguous
        duplicate-column empty empty-column-name header-is-row mixed-column names-alike needs-pyarrow no-rows
        no-values nul-text out-of-range not-a-table not-utf8 quote-never-closed ragged-row table-not-handed-over
        too-many-combinations too-many-rows unknown-format unsupported-column-type unusable-dialect without-parquet
    """,
    FileError: """
        already-exists connection-lost disk-full engine-full engine-stopped folder folder-not-made index-damaged
        index-stale index-version is-directory job-not-written no-driver no-hierarchy-folder no-right no-such-table
        not-connected not-found not-readable not-writable old-table-dropped old-table-stays overwrites-input
        path-not-replaced path-unfinished published-without publishing-unknown read result-too-large same-output
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
    """The exception for an error of the library; one that is not listed is about the request. Its hint names keywords instead
    of flags."""
    return _CLASS_OF_CODE.get(code, RequestError)(code, message, in_python(hint), place)
