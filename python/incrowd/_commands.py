"""What people call. Each function is a command of the command line, with its flags as keywords."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

from . import _native
from ._record import Record
from ._request import (
    Columns,
    Drawing,
    Format,
    Hierarchies,
    Numbers,
    Output,
    Privacy,
    Published,
    Request,
    Research,
    Running,
    Search,
    names,
    percent,
    takes,
    texts,
)
from ._table import TableLike
from .entries import Algorithm
from .errors import RequestError
from .negotiation import Negotiation
from .release import Release
from .results import (
    Advice,
    Comparison,
    Evaluation,
    Explanation,
    Inspection,
    Risks,
    Simulation,
    Study,
    Verification,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    class TableKeywords(Format, Columns, Published, Running, total=False):
        """About a table."""

    class PublishedKeywords(Format, Columns, Hierarchies, Published, Running, total=False):
        """About a table that may be published."""

    class VerifyKeywords(PublishedKeywords, Privacy, Numbers, total=False):
        """About a published table and its promises."""

    class AskKeywords(Format, Columns, Hierarchies, Privacy, Search, Research, Running, total=False):
        """About a request."""

    class EvaluateKeywords(AskKeywords, total=False):
        """About a release to judge."""

        spreadsheet_safe: bool

    class AnonymizeKeywords(AskKeywords, Output, total=False):
        """About a release."""

    class SimulateKeywords(Format, Hierarchies, Drawing, Running, total=False):
        """About a simulation."""


__all__ = [
    "advise",
    "anonymize",
    "compare",
    "evaluate",
    "explain",
    "inspect",
    "negotiate",
    "risk",
    "simulate",
    "study",
    "verify",
]


@takes(Columns, Hierarchies, Privacy, Search, Research, Output, Format, Running)
def anonymize(
    table: TableLike | None = None, *, sample: int = 0, pictures: bool = True, **keywords: Unpack[AnonymizeKeywords]
) -> Release:
    """Finds the best release that keeps the promises, checks it, and returns it with its certificate.

    >>> import incrowd
    >>> patients = incrowd.Table.from_dict({
    ...     "age": [34, 36, 61, 64], "zip": ["45011", "45012", "45201", "45204"],
    ...     "disease": ["asthma", "influenza", "diabetes", "influenza"],
    ... })
    >>> release = incrowd.anonymize(patients, quasi_identifiers=["age", "zip"], sensitive="disease", k=2)
    >>> release.table["zip"]
    ['4501*', '4501*', '4520*', '4520*']
    >>> release.outcome.privacy[0].holds
    True

    Every column needs a role, unless ``others`` says what happens to the rest. ``sample`` rows are shown before and after in
    the outcome. Without ``pictures``, :meth:`Release.plot` has nothing to show, and a little time is saved.
    """
    return Release(Request(table, keywords, sample=sample, pictures=pictures).anonymize())


@takes(Columns, Hierarchies, Privacy, Format, Running, Published, Numbers)
def verify(
    table: TableLike | None = None,
    *,
    original: TableLike | None = None,
    certificate: str | os.PathLike[str] | Mapping[str, Any] | Record | None = None,
    **keywords: Unpack[VerifyKeywords],
) -> Verification:
    """Judges a published table, whatever tool made it.

    >>> import incrowd
    >>> published = incrowd.Table.from_dict({"age": ["30-39", "30-39", "60-69"]})
    >>> incrowd.verify(published, quasi_identifiers="age", k=2).is_safe
    False

    With ``certificate`` (a file, or what :attr:`Release.certificate` holds), roles and promises are those it states. With
    ``job`` too, what the certificate says was asked for is compared with that job.
    """
    known: dict[str, Any] = dict(keywords)
    _for_certificate(certificate, known)
    request = Request(table, known)
    request.option("original", request.name_of(original, "original"))
    if isinstance(certificate, Record):
        request.option("certificate_text", certificate.to_json())
    elif isinstance(certificate, Mapping):
        request.option("certificate_text", json.dumps(dict(certificate)))
    elif certificate is not None:
        request.option("certificate", os.fspath(certificate))
    return Verification.parse(request.run("verify"))


def _apart(given: Mapping[str, object], *pairs: tuple[str, str]) -> None:
    """Refuses keywords that contradict each other, as the command line refuses such flags."""
    for first, second in pairs:
        if given.get(first) not in (None, False) and given.get(second) not in (None, False):
            raise RequestError(
                "argument", f"`{first}` and `{second}` exclude each other", "leave out the one you do not mean"
            )


def _for_certificate(certificate: object, keywords: dict[str, Any]) -> None:
    roles = ("quasi_identifiers", "sensitive", "identifying", "target", "keep", "others")
    stated = (*roles, "k", "l", "t", "privacy", "max_suppressed")
    given = [name for name in stated if keywords.get(name) is not None]
    if certificate is not None and given:
        raise RequestError(
            "certificate-decides",
            f"roles and promises are those of the certificate, but `{given[0]}` is given",
            "leave it out, or leave out `certificate`",
        )


@takes(Columns, Hierarchies, Privacy, Search, Research, Format, Running)
def negotiate(
    table: TableLike | None = None,
    *,
    how: Literal["auto", "full", "partial", "partial-top", "lazy"] | None = None,
    partial: str | None = None,
    estimator: str | None = None,
    search: str | None = None,
    index: str | os.PathLike[str] | None = None,
    **keywords: Unpack[AskKeywords],
) -> Negotiation:
    """Counts a table once, to answer many requests about it; see :class:`Negotiation`.

    >>> import incrowd
    >>> table = incrowd.Table.from_dict({"age": [34, 36, 61, 64]})
    >>> negotiation = incrowd.negotiate(table, quasi_identifiers="age")
    >>> [negotiation.ask(k=k).exact.levels for k in (1, 2)]
    [[0], [2]]
    """
    path = None if index is None else os.fspath(index)
    request = Request(table, keywords, how=how, partial=partial, estimator=estimator, search=search, index=path)
    return Negotiation(request.negotiate())


@takes(Columns, Hierarchies, Privacy, Search, Research, Format, Running)
def study(
    table: TableLike | None = None,
    *,
    parameters: Sequence[int | float | str] | None = None,
    importance: bool = False,
    what: Literal["suppression", "schemes", "research-value"] | None = None,
    plot: str | os.PathLike[str] | None = None,
    **keywords: Unpack[AskKeywords],
) -> Study:
    """How suppression, height and privacy trade off over all combinations of levels.

    >>> import incrowd
    >>> table = incrowd.Table.from_dict({"age": [34, 36, 61, 64]})
    >>> found = incrowd.study(table, quasi_identifiers="age", parameters=[2])
    >>> [(it.height, it.min) for it in found.rows[:3]]
    [(0, 4), (1, 2), (2, 0)]

    ``what`` may be ``schemes`` (the time and cost of optimal partitions) or ``research-value`` (which patterns survive).
    """
    asked = None if parameters is None else texts(parameters)
    if importance and what in ("schemes", "research-value"):
        raise RequestError(
            "argument",
            f'`importance` and `what="{what}"` exclude each other',
            "the importance of levels is part of the study of suppression",
        )
    if what is None and any(keywords.get(name) is not None for name in Research.__annotations__):
        what = "research-value"

    request = Request(table, keywords, what=what or "suppression", parameters=asked, importance=importance)
    found: Study = Study.of_run(*request.run_to_draw("study", plot))
    return found


@takes(Columns, Hierarchies, Privacy, Search, Research, Format, Running)
def compare(
    table: TableLike | None = None,
    *,
    algorithms: str | Algorithm | Sequence[str | Algorithm] | None = None,
    report: str | os.PathLike[str] | None = None,
    **keywords: Unpack[AskKeywords],
) -> Comparison:
    """Runs several algorithms, or all, on one job; every result passes the same check as a release.

    >>> import incrowd
    >>> table = incrowd.Table.from_dict({"age": [34, 36, 61, 64]})
    >>> found = incrowd.compare(table, quasi_identifiers="age", k=2, algorithms=["optimal", incrowd.algorithms.Mondrian()])
    >>> [run.algorithm for run in found.runs]
    ['optimal', 'mondrian']

    Settings of algorithms, given as such or with the objects of ``algorithms``, hold for all that have them.
    """
    known: dict[str, Any] = dict(keywords)
    _apart({**known, "algorithms": algorithms}, ("algorithm", "algorithms"))
    named = None if algorithms is None else _to_compare(algorithms, known)
    request = Request(table, known, algorithms=named, report=None if report is None else os.fspath(report))
    return Comparison.of_answer(request.run("compare"))


def _to_compare(algorithms: object, keywords: dict[str, Any]) -> list[str]:
    """The names of algorithms. What is set of those that are objects becomes a setting of the comparison, which every
    algorithm that has it follows."""
    chosen: object = [algorithms] if isinstance(algorithms, Algorithm) else algorithms
    if not isinstance(chosen, str | set | frozenset) and hasattr(chosen, "__iter__"):
        given: list[Any] = list(chosen)  # pyright: ignore
        settings: dict[str, Any] = {}
        for one in given:
            if isinstance(one, Algorithm):
                settings.update(one.settings())
        kinds = {kind.name: kind for kind in Algorithm.__subclasses__()}
        for one in given:
            own = _settings_of(one if isinstance(one, Algorithm) else kinds.get(one))
            for name in own.keys() & settings.keys():
                if own[name] != settings[name]:
                    raise RequestError(
                        "argument",
                        f"the algorithms to compare differ in `{name}`, which is one setting for all that have it",
                        "compare them in calls of their own",
                    )
        if settings:
            keywords["settings"] = {**settings, **(keywords.get("settings") or {})}
        chosen = [one.name if isinstance(one, Algorithm) else one for one in given]
    return names("algorithms", chosen)  # pyright: ignore


def _settings_of(algorithm: Algorithm | type[Algorithm] | None) -> dict[str, Any]:
    if algorithm is None:
        return {}
    declared = fields(algorithm)  # type: ignore[arg-type] # pyright: ignore
    is_class = isinstance(algorithm, type)
    return {
        it.name.rstrip("_").replace("_", "-"): it.default if is_class else getattr(algorithm, it.name)
        for it in declared
    }


@takes(Columns, Hierarchies, Privacy, Search, Research, Format, Running, Published)
def evaluate(
    table: TableLike | None = None,
    release: TableLike | None = None,
    *,
    columns: str | Sequence[str] | None = None,
    folds: int | None = None,
    partitioning: int | None = None,
    **keywords: Unpack[EvaluateKeywords],
) -> Evaluation:
    """What a release is still worth: predictions, counts, distributions, associations.

    >>> import incrowd
    >>> table = incrowd.Table.from_dict({"age": [34, 36, 61, 64] * 5, "ill": ["no", "no", "yes", "yes"] * 5})
    >>> release = incrowd.anonymize(table, quasi_identifiers="age", target="ill", k=10)
    >>> incrowd.evaluate(table, release, quasi_identifiers="age", target="ill", folds=2).columns[1].distance
    0.0

    With ``release`` it judges that table; without, what the job would publish.
    """
    named = None if columns is None else names("columns", columns)
    request = Request(table, keywords, columns=named, folds=folds, partitioning=partitioning)
    request.option("release", request.name_of(release, "release"))
    return Evaluation.parse(request.run("evaluate"))


@takes(Columns, Hierarchies, Format, Running, Published)
def risk(
    table: TableLike | None = None,
    *,
    original: TableLike | None = None,
    population: TableLike | None = None,
    population_size: int | None = None,
    threshold: float | str | None = None,
    gates: str | Sequence[str] = (),
    **keywords: Unpack[PublishedKeywords],
) -> Risks:
    """How easily people in a table are found, raw or published.

    >>> import incrowd
    >>> table = incrowd.Table.from_dict({"age": [34, 34, 61]})
    >>> incrowd.risk(table, quasi_identifiers="age").prosecutor.highest
    1.0
    """
    _apart({"population": population, "population_size": population_size}, ("population", "population_size"))
    limit = None if threshold is None else texts([threshold])[0]
    request = Request(table, keywords, population_size=population_size, threshold=limit, gates=names("gates", gates))
    request.option("original", request.name_of(original, "original"))
    request.option("population", request.name_of(population, "population"))
    return Risks.parse(request.run("risk"))


@takes(Columns, Hierarchies, Privacy, Search, Research, Format, Running)
def advise(
    table: TableLike | None = None,
    *,
    use: Literal["any", "classification", "regression", "tables"] | None = None,
    quality: Literal["optimal", "good"] | None = None,
    generalization: Literal["full-domain", "cuts", "partitions", "regions"] | None = None,
    may_suppress: bool | None = None,
    properties: Mapping[str, str] | None = None,
    tries: int = 0,
    **keywords: Unpack[AskKeywords],
) -> Advice:
    """Which algorithm suits a table and what it is for; ``tries`` of the first are tried on a sample.

    >>> import incrowd
    >>> table = incrowd.Table.from_dict({"age": [34, 36, 61, 64]})
    >>> incrowd.advise(table, quasi_identifiers="age", k=2, quality="optimal").best
    'incognito'
    """
    wanted = [f"{name}={value}" for name, value in (properties or {}).items()]
    request = Request(
        table,
        keywords,
        use=use,
        quality=quality,
        generalization=generalization,
        may_suppress=may_suppress,
        properties=wanted,
        tries=tries,
    )
    return Advice.parse(request.run("advise"))


@takes(Hierarchies, Format, Running, Drawing)
def simulate(
    table: TableLike | None = None,
    *,
    quasi_identifiers: str | Sequence[str] | None = None,
    k: int | None = None,
    attributes: int | None = None,
    values: int | None = None,
    domain: Sequence[int] | None = None,
    whole_rows: bool = False,
    levels: Sequence[int] | None = None,
    rows: int | None = None,
    rows_needed: str | float | None = None,
    repeats: int | None = None,
    plot: str | os.PathLike[str] | None = None,
    **keywords: Unpack[SimulateKeywords],
) -> Simulation:
    """How many rows it takes before a table can be published at all.

    >>> import incrowd
    >>> incrowd.simulate(domain=[2, 7], k=5, rows_needed="95%", rows=100).rows_needed > 50
    True
    """
    asked: dict[str, Any] = {**keywords, "quasi_identifiers": quasi_identifiers, "k": k}
    if values is not None and attributes is None:
        raise RequestError(
            "argument", "`values` is how many each of the `attributes` has", "say how many attributes there are"
        )
    stated = {"table": table, "quasi_identifiers": quasi_identifiers, "whole_rows": whole_rows, "levels": levels}
    pairs = [(name, other) for name in stated for other in ("attributes", "domain")]
    _apart({**stated, "attributes": attributes, "domain": domain}, *pairs, ("attributes", "domain"))
    options: dict[str, Any] = {
        "attributes": attributes,
        "values": values,
        "domain": None if domain is None else list(domain),
        "whole_rows": whole_rows,
        "levels": None if levels is None else list(levels),
        "rows": rows,
        "rows_needed": percent(rows_needed) if _is_share(rows_needed) else rows_needed,
        "repeats": repeats,
    }

    found: Simulation = Simulation.of_run(*Request(table, asked, **options).run_to_draw("simulate", plot))
    return found


def _is_share(given: object) -> bool:
    return isinstance(given, Real | Decimal) and not isinstance(given, Integral)


@takes(Columns, Format, Running, Published)
def inspect(table: TableLike | None = None, **keywords: Unpack[TableKeywords]) -> Inspection:
    """What is in a table: types, missing and distinct values, what singles people out, proposed roles. Quotes no cells.

    >>> import incrowd
    >>> found = incrowd.inspect(incrowd.Table.from_dict({"age": [34, 36], "sex": ["f", "m"]}))
    >>> [column.name for column in found.columns]
    ['age', 'sex']
    """
    return Inspection.parse(Request(table, keywords).run("inspect"))


def explain(name: str | None = None) -> Explanation:
    """What a model, metric, algorithm or any other term means; without a name, everything there is.

    >>> import incrowd
    >>> incrowd.explain("k-anonymity").entries[0].family
    'model'
    """
    return Explanation.parse(_native.explain(name))
