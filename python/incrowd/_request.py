"""From keyword arguments to a request, in the words of the job file."""

from __future__ import annotations

import csv
import difflib
import inspect
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, TypeVar

from . import _native
from ._progress import Progress, reporter
from ._table import TableLike, path_of, stream_of
from .entries import Algorithm, Metric, Model, _text
from .errors import RequestError
from .hierarchy import Hierarchy

if TYPE_CHECKING:
    from .job import Job

__all__ = ["Columns", "Format", "Hierarchies", "Names", "Output", "Privacy", "Research", "Running", "Search"]

Names: TypeAlias = "str | Sequence[str]"
"""The name of a column, or several."""
Path: TypeAlias = "str | os.PathLike[str]"
Number: TypeAlias = "int | float | Decimal"


class Format(TypedDict, total=False):
    """How a file is read; tables in memory need none of it, but for missing cells."""

    delimiter: str
    """What separates cells, such as ``;`` or ``tab``; detected when not given."""
    quote: str
    """What surrounds cells that hold delimiters."""
    header: bool
    """Whether the first line names the columns."""
    trim: bool
    """Whether white space around cells is dropped."""
    missing_tokens: Names
    """Texts that mean "no value", beside the empty text and null."""
    missing_cells: Literal["own-value", "match-any", "exclude-row"]
    """What such cells mean."""


class Columns(TypedDict, total=False):
    """What the columns are."""

    quasi_identifiers: Names
    """Known to others; published generalized. Their order is the order of levels."""
    sensitive: Names
    """Must not be linked to a person; published as they are."""
    identifying: Names
    """Name a person; dropped."""
    target: Names
    """What analysts predict; published as they are."""
    keep: Names
    """Published as they are, whatever they give away."""
    others: Literal["keep", "drop"]
    """What happens to columns named nowhere; refused when not given."""


class Hierarchies(TypedDict, total=False):
    """How values may be generalized."""

    hierarchies: Path | Mapping[str, str | os.PathLike[str] | Hierarchy | Sequence[Sequence[str]]]
    """A folder with a file ``<column>.csv`` for each, or by column: a rule such as ``interval:5,10``, a file, a
    :class:`~incrowd.hierarchy.Hierarchy`, or rows of value and groups. Built from the data when not given."""
    unlisted: Literal["refuse", "suppress"]
    """What happens to values that their hierarchy does not list."""


class Privacy(TypedDict, total=False):
    """What to promise, and what may be given up for it."""

    k: int
    """k-anonymity: everyone is in a class of at least k rows."""
    l: int
    """Distinct l-diversity: every class has at least l different sensitive values."""
    t: Number
    """t-closeness: sensitive values are distributed in every class as in the table, but for t."""
    privacy: str | Model | Sequence[str | Model]
    """Any models, such as ``incrowd.EntropyLDiversity(3)`` or ``"entropy-l-diversity(l=3)"``; all must hold."""
    max_suppressed: int | float | str
    """Rows that may be left out: a number, a share such as ``"1%"``, or the same share as ``0.01``."""
    max_levels: Sequence[int] | Mapping[str, int]
    """The highest level allowed for each quasi-identifier."""
    population: TableLike
    """Everyone whom the rows could be about, for models about them."""


class Search(TypedDict, total=False):
    """How the best recoding is searched for."""

    metric: str | Metric
    """What is to be lost least."""
    algorithm: str | Algorithm
    """The algorithm, or ``auto``."""
    settings: Mapping[str, Any]
    """Settings of the algorithm by name."""
    seed: int
    """For what is drawn at random."""
    threads: int
    """Threads to use; all processors when not given. The result does not depend on it."""
    time_limit: str | float | timedelta
    """When to stop searching and take the best found: ``"30s"``, or seconds."""
    work_limit: str | int
    """The same by steps of work, such as ``"500M"``; ``"none"`` for no limit."""
    memory_limit: str
    """The memory that counting may take, such as ``"2G"``."""


class Research(TypedDict, total=False):
    """What experts say a release must keep."""

    rules: Names
    """Values to keep apart, such as ``"age: 64|65 = 25"``."""
    rule_base: float
    """Added to the importance of all rules and of those kept."""
    weights: Literal["equal", "auto"] | Mapping[str, float]
    """How much each quasi-identifier counts."""
    drop_associated: float
    """Of quasi-identifiers this associated, only the first counts."""
    granularity_exponent: float
    """Exponent of the detail that is left."""
    rule_exponent: float
    """Exponent of the share of rules kept."""
    level_values: Mapping[str, Sequence[float]]
    """The value of each level of single columns, from the raw values up."""


class Output(TypedDict, total=False):
    """Where the release goes, and how it looks."""

    output: Path
    """Write the release to this file instead of keeping it in memory."""
    certificate: Path
    """Write the certificate to this file, too."""
    report: Path
    """Write a page about the release for people."""
    suppressed: Literal["drop", "star"]
    """What is published of suppressed rows."""
    shuffle: bool
    """Whether rows are put in random order."""
    spreadsheet_safe: bool
    """In a CSV file, put an apostrophe before what a spreadsheet takes for a formula."""


class Agreed(Output, total=False):
    """What remains to be said of a release that was negotiated."""

    others: Literal["keep", "drop"]
    """What happens to columns named nowhere."""
    progress: Progress
    """Whether to show progress, or what to call with it."""
    stop: _native.Stop
    """Lets another thread stop the job."""


class Published(TypedDict, total=False):
    """How a table that may be a release is read."""

    threads: int
    """Threads to use; all processors when not given."""
    spreadsheet_safe: bool
    """Whether apostrophes before what a spreadsheet takes for a formula are taken away."""


class Numbers(TypedDict, total=False):
    """What the cells of a release alone do not say."""

    settings: Mapping[str, Any]
    """``{"numbers": "mean"}`` if means were published, or medians."""


class Drawing(TypedDict, total=False):
    """How random tables are drawn."""

    seed: int
    """For what is drawn at random."""
    threads: int
    """Threads to use; all processors when not given."""
    time_limit: str | float | timedelta
    """When to stop."""


class Running(TypedDict, total=False):
    """How a job is run."""

    job: Job | Path
    """A job, or a job file; other keywords win over it."""
    progress: Progress
    """Whether to show progress, or what to call with it."""
    stop: _native.Stop
    """Lets another thread stop the job."""


_ROLES = ("quasi_identifiers", "sensitive", "identifying", "target", "keep")
_MODELS = {"k": "k-anonymity", "l": "distinct-l-diversity", "t": "t-closeness"}

F = TypeVar("F", bound=Callable[..., Any])


def takes(*groups: type) -> Callable[[F], F]:
    """Declares the keywords of a function whose signature says ``**keywords``, so that ``help`` and editors list them, and
    refuses others as Python would."""
    known: dict[str, Any] = {}
    for group in groups:
        known.update(group.__annotations__)

    def declare(function: F) -> F:
        import functools

        signature = inspect.signature(function)
        own = [it for it in signature.parameters.values() if it.kind is not inspect.Parameter.VAR_KEYWORD]
        names = {it.name for it in own}

        @functools.wraps(function)
        def checked(*args: Any, **keywords: Any) -> Any:
            for name in keywords:
                if name not in known and name not in names:
                    near = difflib.get_close_matches(name, [*known, *names], 1)
                    hint = f"; did you mean {near[0]!r}?" if near else ""
                    raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}{hint}")
            return function(*args, **keywords)

        # As they were written: an annotation that is still to be looked up would be shown with everything about it.
        written = {name: getattr(kind, "__forward_arg__", kind) for name, kind in known.items()}
        keyword_only = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for name, kind in written.items()
            if name not in names
        ]
        checked.__signature__ = signature.replace(parameters=[*own, *keyword_only])  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return declare


class Request:
    """What a call asks, ready to be handed over."""

    def __init__(self, table: object, keywords: Mapping[str, Any], **options: Any) -> None:
        given = {name: value for name, value in keywords.items() if value is not None}
        self.progress: Progress = given.pop("progress", None)
        self.stop: _native.Stop | None = given.pop("stop", None)
        self.tables: dict[str, object] = {}
        self._request: dict[str, Any] = {"options": {name: it for name, it in options.items() if it is not None}}
        self._take_job(given.pop("job", None))
        self._request["flags"] = flags = _flags(given, self)
        if table is not None:
            path = path_of(table)
            if path is None:
                self.tables["table"] = stream_of(table, "the table")
            else:
                flags["data"]["path"] = path

    def _take_job(self, job: object) -> None:
        from .job import Job

        if job is None:
            return
        if not isinstance(job, Job):
            path = path_of(job)
            if path is None:
                raise TypeError("`job` must be an incrowd.Job or the path of a job file")
            job = Job.from_toml(path)
        self._request.update(job._request)
        self.tables.update(job._tables)

    def name_of(self, table: object, role: str) -> str | None:
        """What stands for another table in the request: its path, or its name among the tables at hand."""
        if table is None:
            return None
        path = path_of(table)
        if path is not None:
            return path
        name = f"at hand: {role}"
        self.tables[name] = stream_of(table, f"the {role}")
        return name

    def option(self, name: str, value: Any) -> None:
        """Adds what only one command takes."""
        if value is not None:
            self._request["options"][name] = value

    @property
    def text(self) -> str:
        """The request as JSON."""
        return as_json(self._request)

    def run(self, command: str) -> str:
        """Runs a command; its result as JSON."""
        with reporter(self.progress) as report:
            return _native.run(command, self.text, self.tables, report, self.stop)

    def run_to_draw(self, command: str, folder: Path | None) -> tuple[str, Callable[[str], object]]:
        """Runs a command that can write pictures to a folder; its result as JSON, and what writes them to another one, by
        running it again on the same rows. Those of a stream are kept for that."""
        self.tables = {name: _native.Table.of_stream(rows, self.stop) for name, rows in self.tables.items()}
        self.option("plot", None if folder is None else os.fspath(folder))
        request, tables, progress = self._request, self.tables, self.progress

        def draw(into: str) -> object:
            text = as_json({**request, "options": {**request["options"], "plot": into}})
            # Nobody who watched or stopped the first run waits for this one.
            with reporter(None if callable(progress) else progress) as report:
                return _native.run(command, text, tables, report)

        return self.run(command), draw

    def anonymize(self) -> _native.Release:
        """Makes a release."""
        with reporter(self.progress) as report:
            return _native.anonymize(self.text, self.tables, report, self.stop)

    def negotiate(self) -> _native.Negotiation:
        """Begins a negotiation."""
        with reporter(self.progress) as report:
            return _native.Negotiation(self.text, self.tables, report, self.stop)


def as_json(given: object) -> str:
    """What is handed over, with the numbers of other libraries as those of Python."""
    try:
        return json.dumps(given, allow_nan=False, default=_plain)
    except ValueError:
        raise RequestError("argument", "an argument is not a number (NaN) or infinite", "use a number") from None


def _plain(value: object) -> object:
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real | Decimal):
        return float(value)
    if type(value).__name__ in ("bool", "bool_"):
        # The truth values of numpy are not those of Python.
        return bool(value)
    raise TypeError(f"an argument has a part of type {type(value).__name__}, which means nothing here")


def _flags(given: dict[str, Any], request: Request) -> dict[str, Any]:
    data = _picked(given, ("delimiter", "quote", "header", "trim", "missing_cells"))
    if "missing_tokens" in given:
        data["missing_tokens"] = names("missing_tokens", given.pop("missing_tokens"))
    columns: dict[str, Any] = {role: names(role, given.pop(role)) for role in _ROLES if role in given}
    columns.update(_picked(given, ("others", "unlisted")))
    flags: dict[str, Any] = {"data": data, "columns": columns}
    _take_hierarchies(given.pop("hierarchies", None), flags, request)
    flags["privacy"] = _privacy(given, request)
    flags["search"] = _search(given, request)
    if "rules" in given:
        request._request["rules"] = names("rules", given.pop("rules"))
    weights = given.pop("weights", None)
    if isinstance(weights, Mapping):
        flags["weights"] = {str(column): _number("weights", weight) for column, weight in weights.items()}  # pyright: ignore
    elif weights is not None:
        flags["search"]["weights"] = weights
    if "level_values" in given:
        flags["level_values"] = {name: list(values) for name, values in given.pop("level_values").items()}
    output = _picked(given, ("suppressed", "shuffle", "spreadsheet_safe"))
    for name, key in (("output", "path"), ("certificate", "certificate"), ("report", "report")):
        if name in given:
            output[key] = os.fspath(given.pop(name))
    flags["output"] = output
    if given:
        raise TypeError(f"unexpected keyword argument {next(iter(given))!r}")
    return flags


def _picked(given: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {key: given.pop(key) for key in keys if key in given}


def names(what: str, given: object) -> list[str]:
    """One text or several."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, set | frozenset):
        raise TypeError(f"`{what}` must be a list: a set has no order, so that two runs could differ")
    if not hasattr(given, "__iter__"):
        raise TypeError(f"`{what}` must be a text or a list of texts, not {type(given).__name__}")
    listed: list[object] = list(given)  # pyright: ignore
    for name in listed:
        if not isinstance(name, str):
            raise TypeError(f"`{what}` must be texts; one of them is of type {type(name).__name__}")
    return listed  # type: ignore[return-value] # pyright: ignore


def _number(what: str, given: object) -> int | float:
    if isinstance(given, bool) or not isinstance(given, Real | Decimal):
        raise TypeError(f"`{what}` must be numbers, not {type(given).__name__}")
    return int(given) if isinstance(given, Integral) else float(given)


def _take_hierarchies(given: Any, flags: dict[str, Any], request: Request) -> None:
    if given is None:
        return
    if not isinstance(given, Mapping):
        flags["columns"]["hierarchies"] = os.fspath(given)
        return
    sources: dict[str, str] = {}
    levels: dict[str, Any] = {}
    for column, source in given.items():  # pyright: ignore
        if isinstance(source, Hierarchy):
            levels[column] = {"csv": source.to_csv(), "has_names": True}
        elif isinstance(source, str | os.PathLike):
            sources[column] = os.fspath(source)  # pyright: ignore
        else:
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows([[str(cell) for cell in row] for row in source])  # pyright: ignore
            levels[column] = {"csv": text.getvalue(), "has_names": False}
    flags["hierarchies"] = sources
    # Levels at hand win over what a file says; those of a job must not win over what a keyword says.
    of_job: dict[str, Any] = request._request.get("levels", {})
    kept = {column: it for column, it in of_job.items() if column not in sources}
    request._request["levels"] = {**kept, **levels}


def budget(given: object) -> int | str:
    """How many rows may be suppressed, as the job file says it."""
    if isinstance(given, bool) or not isinstance(given, Real | str | Decimal):
        raise TypeError(f"`max_suppressed` must be a number or a share such as '1%', not {type(given).__name__}")
    if isinstance(given, Integral):
        return int(given)
    if not isinstance(given, str):
        share = decimal(given)
        if share.is_nan() or not 0 <= share <= 1:
            raise RequestError(
                "budget",
                f"`max_suppressed={given}` is neither a number of rows nor a share",
                "use a whole number of rows such as 321, a share such as '1%', or the same share as 0.01",
            )
        return percent(share)
    return given


def percent(share: object) -> str:
    """A share as the library reads it, without the noise of binary fractions.

    >>> percent(0.29), percent(0.00001)
    ('29%', '0.001%')
    """
    return f"{(decimal(share) * 100).normalize():f}%"


def decimal(number: object) -> Decimal:
    """A number with the digits that it is shown with.

    >>> decimal(0.1), decimal(7)
    (Decimal('0.1'), Decimal('7'))
    """
    try:
        return Decimal(str(number))
    except InvalidOperation:
        # Such as a fraction.
        return Decimal(str(float(number)))  # type: ignore[arg-type] # pyright: ignore


def texts(numbers: Sequence[object]) -> list[str]:
    """Numbers as the library reads them, without exponents.

    >>> texts([2, 0.00001, "3"])
    ['2', '0.00001', '3']
    """
    return [_text(number) for number in numbers]


def promises(given: dict[str, Any]) -> list[str]:
    """The models that short keywords and ``privacy`` name."""
    models: list[str] = []
    for name, model in _MODELS.items():
        if name in given:
            value = given.pop(name)
            if isinstance(value, bool) or not isinstance(value, Real | str | Decimal):
                raise TypeError(f"`{name}` must be a number, not {type(value).__name__}")
            models.append(f"{model}({name}={_text(value)})")
    more = given.pop("privacy", None)
    if isinstance(more, str | Model):
        more = [more]
    elif more is not None and not isinstance(more, Sequence):
        raise TypeError(f"`privacy` must be a model or a list of models, not {type(more).__name__}")
    chosen: list[object] = list(more or ())  # pyright: ignore
    for one in chosen:
        if not isinstance(one, str | Model):
            raise TypeError(f"`privacy` must be models; one of them is of type {type(one).__name__}")
        models.append(str(one))
    return models


def _privacy(given: dict[str, Any], request: Request) -> dict[str, Any]:
    privacy: dict[str, Any] = {}
    models = promises(given)
    if models:
        privacy["models"] = models
    if "max_suppressed" in given:
        privacy["max_suppressed"] = budget(given.pop("max_suppressed"))
    if "max_levels" in given:
        _take_levels(given.pop("max_levels"), privacy, request)
    if "population" in given:
        privacy["population"] = request.name_of(given.pop("population"), "population")
    return privacy


def _take_levels(given: Any, privacy: dict[str, Any], request: Request) -> None:
    if isinstance(given, Mapping):
        # Which quasi-identifiers there are may be said by a job file, so their order is found out where that is read.
        of_job: dict[str, Any] = request._request.get("max_levels", {})
        by_name: dict[str, Any] = dict(given)  # pyright: ignore
        request._request["max_levels"] = {**of_job, **by_name}
        return
    if isinstance(given, str | set | frozenset) or not hasattr(given, "__iter__"):
        raise TypeError(f"`max_levels` must be a list of levels, or levels by name, not {type(given).__name__}")  # pyright: ignore
    privacy["max_levels"] = list(given)
    request._request.pop("max_levels", None)


def _search(given: dict[str, Any], request: Request) -> dict[str, Any]:
    plain = ("seed", "threads", "drop_associated", "rule_base", "granularity_exponent", "rule_exponent")
    search = _picked(given, plain)
    metric = given.pop("metric", None)
    if metric is not None:
        search["metric"] = str(metric)
    algorithm = given.pop("algorithm", None)
    settings = dict(given.pop("settings", None) or {})
    if isinstance(algorithm, Algorithm):
        settings = {**algorithm.settings(), **settings}
        algorithm = algorithm.name
        # What it leaves out has its default, whatever a job says.
        request._request["is_whole_algorithm"] = True
    if algorithm is not None:
        search["algorithm"] = algorithm
    for name, value in settings.items():
        key = name.replace("-", "_")
        if key in search:
            raise RequestError("argument", f"`{name}` is not a setting of an algorithm", "pass it as a keyword")
        search[key] = [str(item) for item in value] if isinstance(value, list | tuple) else value  # pyright: ignore
    if "time_limit" in given:
        search["time_limit"] = _time(given.pop("time_limit"))
    for name in ("work_limit", "memory_limit"):
        if name in given:
            search[name] = str(given.pop(name))
    return search


def _time(given: object) -> str:
    if isinstance(given, bool):
        raise TypeError("`time_limit` must be seconds or a text such as '30s', not bool")
    if isinstance(given, timedelta):
        given = given.total_seconds()
    if isinstance(given, Real | Decimal):
        seconds = decimal(given)
        if not seconds.is_finite():
            raise RequestError(
                "time-limit",
                f"`time_limit={given}` is not a time",
                "use seconds, or a text such as '30s'; without it there is no limit",
            )
        return f"{round(seconds * 1000)}ms"
    return str(given)
