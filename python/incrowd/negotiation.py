"""Negotiations: a table counted once, with many requests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._html import card, facts, few_digits, figure, grid
from ._picture import Picture
from ._progress import Progress, reporter
from ._record import Record
from ._request import Agreed, Request, as_json, budget, promises, takes
from .entries import Metric, Model
from .errors import RequestError
from .release import Release

if TYPE_CHECKING:
    from decimal import Decimal

    from typing_extensions import Unpack

__all__ = ["Answer", "Negotiation", "Offer"]


class Offer(Record):
    """A possible release and its cost."""

    __slots__ = ("_answer",)
    _answer: Answer

    def __init__(self, fields: Mapping[str, Any], answer: Answer) -> None:
        super().__init__(fields)
        object.__setattr__(self, "_answer", answer)

    def __reduce__(self) -> tuple[Any, ...]:
        # The negotiation that would make the release stays where it is.
        return Record, (self.to_dict(),)

    @takes(Agreed)
    def release(self, **output: Unpack[Agreed]) -> Release:
        """Makes it, checked like any other release. Takes what :func:`incrowd.anonymize` takes about the output, and
        ``others``, ``progress`` and ``stop``; everything else was agreed on."""
        return self._answer._negotiation._release(self._answer._wish, self, dict(output))  # pyright: ignore[reportPrivateUsage]


class Answer:
    """The best release that meets a request, or those that each relax one part of it."""

    def __init__(self, text: str, wish: str | None, negotiation: Negotiation) -> None:
        self._text: str | None = text
        self._read: dict[str, Any] = {}
        self._wish = wish
        self._negotiation = negotiation

    @property
    def _fields(self) -> dict[str, Any]:
        # Read when first looked at: whoever asks in a loop may look at little.
        text = self._text
        if text is not None:
            self._read = json.loads(text)
            self._text = None
        return self._read

    @property
    def outcome(self) -> Record:
        """Everything that ``incrowd negotiate --json`` prints."""
        return Record(self._fields)

    @property
    def is_exact(self) -> bool:
        """Whether the request can be met as it is."""
        return bool(self._fields["kind"] == "exact")

    @property
    def offers(self) -> dict[str, Offer]:
        """What can be had, by what gives way: ``exact``, or ``more_suppression``, ``higher_levels``, ``weaker_privacy``."""
        if self.is_exact:
            return {"exact": Offer(self._fields["answer"], self)}
        names = ("more_suppression", "higher_levels", "weaker_privacy")
        return {name: Offer(self._fields[name], self) for name in names if self._fields[name] is not None}

    @property
    def exact(self) -> Offer | None:
        """The release that meets the request; none if there is no such release."""
        return self.offers.get("exact")

    def _rows(self) -> list[list[object]]:
        rows: list[list[object]] = []
        for name, offer in self.offers.items():
            levels = ", ".join(f"{column} {level}" for column, level in offer["levels_by_name"].items())
            rows.append([name.replace("_", " "), offer["model"], levels, offer["rows_suppressed"], offer["classes"]])
        return rows

    def __repr__(self) -> str:
        lines = ["the request is met" if self.is_exact else "the request is not met as it is; instead:"]
        for name, model, levels, rows, classes in self._rows():
            lines.append(f"  {name}: {model}, {levels}; {rows} rows suppressed, {classes} classes")
        return "\n".join(lines)

    def plot(self, name: str = "curve") -> Picture:
        """The picture of this request; see :meth:`Negotiation.plot`."""
        return self._negotiation._picture(self._wish, name)  # pyright: ignore[reportPrivateUsage]

    def _repr_html_(self) -> str:
        title = "The request is met" if self.is_exact else "The request is not met as it is"
        heads = ["offer", "promise", "levels", "rows suppressed", "classes"]
        return card(title, grid(heads, self._rows()))


class Negotiation:
    """Answers requests about one table, from any thread. The table is read once; where its lattice is small
    enough to be annotated, an answer takes some tens of microseconds.

    >>> import incrowd
    >>> table = incrowd.Table.from_dict({"age": [34, 36, 61, 64], "sex": ["f", "f", "m", "f"]})
    >>> negotiation = incrowd.negotiate(table, quasi_identifiers=["age", "sex"])
    >>> negotiation.ask(k=2).is_exact
    True
    """

    def __init__(self, native: _native.Negotiation) -> None:
        self._native = native
        self._last: str | None = None

    @property
    def quasi_identifiers(self) -> dict[str, int]:
        """The quasi-identifiers, each with its highest level."""
        return dict(self._native.quasi_identifiers)

    @property
    def rows(self) -> int:
        """The rows of the table."""
        return self._native.rows

    def ask(
        self,
        *,
        k: int | None = None,
        l: int | None = None,
        t: float | Decimal | None = None,
        privacy: str | Model | None = None,
        max_suppressed: int | float | str | None = None,
        max_levels: Sequence[int] | Mapping[str, int] | None = None,
        metric: str | Metric | None = None,
        search: str | None = None,
        progress: Progress = None,
        stop: _native.Stop | None = None,
    ) -> Answer:
        """What can be had. What is not said is taken from the job; without anything, the request is that of the job.

        ``max_levels`` has a level for each quasi-identifier, or levels by name; those not named may rise as they like.
        """
        wish = _wish(k, l, t, privacy, max_suppressed, max_levels, metric, search)
        self._last = wish
        if progress is None and stop is None:
            return Answer(self._native.ask(wish), wish, self)
        with reporter(progress) as report:
            return Answer(self._native.ask(wish, report, stop), wish, self)

    def plot(self, name: str = "curve", **wish: Any) -> Picture:
        """A picture of a request, or of the last one asked: the ``curve`` of rows suppressed by parameter, or the
        ``lattice`` with the rows suppressed at every node, if it has no more than 150."""
        text = _wish_of(wish) if wish else self._last
        return self._picture(text, name)

    def _picture(self, wish: str | None, name: str) -> Picture:
        pictures = {it["name"]: it["svg"] for it in json.loads(self._native.draw(wish))}
        if name not in pictures:
            hint = "lattices of more than 150 nodes are not drawn" if name == "lattice" else "draw `curve` or `lattice`"
            raise RequestError("unknown-name", f"there is no picture `{name}`", hint)
        return Picture(pictures[name])

    def _release(self, wish: str | None, offer: Offer, output: dict[str, Any]) -> Release:
        request = Request(None, output)
        with reporter(request.progress) as report:
            made = self._native.release(wish, offer.to_json(), request.text, report, request.stop)
        return Release(made)

    def __repr__(self) -> str:
        columns = ", ".join(f"{name} 0-{height}" for name, height in self.quasi_identifiers.items())
        return f"Negotiation about {self.rows:,} rows; levels: {columns}"

    def _repr_html_(self) -> str:
        parts = [
            facts(
                [
                    ("rows", few_digits(self.rows)),
                    *((name, f"levels 0 to {it}") for name, it in self.quasi_identifiers.items()),
                ]
            )
        ]
        try:
            drawn: list[dict[str, str]] = json.loads(self._native.draw(self._last))
        except RequestError:
            # Nothing was asked yet, and the job promises nothing.
            drawn = []
        return card("Negotiation", *parts, *(figure(picture["svg"]) for picture in drawn))


def _wish(
    k: int | None,
    l: int | None,
    t: float | Decimal | None,
    privacy: str | Model | None,
    max_suppressed: int | float | str | None,
    max_levels: Sequence[int] | Mapping[str, int] | None,
    metric: str | Metric | None,
    search: str | None,
) -> str | None:
    wish: dict[str, Any] = {}
    if k is not None or l is not None or t is not None or privacy is not None:
        given = {
            name: value for name, value in (("k", k), ("l", l), ("t", t), ("privacy", privacy)) if value is not None
        }
        models = promises(given)
        if len(models) != 1:
            raise RequestError("several-promises", "one promise can be negotiated at a time", "ask for one of them")
        wish["model"] = models[0]
    if max_suppressed is not None:
        wish["max_suppressed"] = budget(max_suppressed)
    if max_levels is not None:
        wish["max_levels"] = dict(max_levels) if isinstance(max_levels, Mapping) else list(max_levels)
    if metric is not None:
        wish["metric"] = str(metric)
    if search is not None:
        wish["search"] = search
    return as_json(wish) if wish else None


def _wish_of(wish: dict[str, Any]) -> str | None:
    names = ("k", "l", "t", "privacy", "max_suppressed", "max_levels", "metric", "search")
    for name in wish:
        if name not in names:
            raise TypeError(f"plot() got an unexpected keyword argument {name!r}")
    return _wish(*(wish.get(name) for name in names))  # pyright: ignore
