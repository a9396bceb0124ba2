"""Results other than releases: the JSON of the command line as objects that a notebook shows."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from typing import Any, ClassVar

from ._html import card, facts, figure, grid, mapping
from ._picture import Picture
from ._record import Record
from .errors import RequestError

__all__ = [
    "Advice",
    "Comparison",
    "Evaluation",
    "Explanation",
    "Inspection",
    "Report",
    "Risks",
    "Simulation",
    "Study",
    "Verification",
]


class Report(Record):
    """What a command found. Its fields are those of ``--json``."""

    __slots__ = ()
    _title: ClassVar[str] = "Result"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.to_json(indent=2)})"

    def _repr_html_(self) -> str:
        return mapping(self._title, self.to_dict())


class Verification(Report):
    """Whether a published table is safe."""

    __slots__ = ()
    _title = "Verification"

    @property
    def is_safe(self) -> bool | None:
        """The verdict; none if no promise was named."""
        safe: bool | None = self["safe"]
        return safe

    @property
    def certificate_holds(self) -> bool | None:
        """Whether the certificate is true; none if none was given."""
        certificate = self.get("certificate")
        return None if certificate is None else bool(certificate["holds"])


class Risks(Report):
    """How easily people are found."""

    __slots__ = ()
    _title = "Risk"

    @property
    def is_within_gates(self) -> bool:
        """Whether no figure exceeds what it must not exceed."""
        return all(gate["holds"] for gate in self.get("gates") or ())


class _Drawn(Report):
    """A result with pictures, which are drawn when they are first asked for."""

    __slots__ = ("_draw", "_pictures")
    _draw: Callable[[str], object] | None
    _pictures: dict[str, str] | None
    _first: ClassVar[str] = ""

    @classmethod
    def of_run(cls, text: str, draw: Callable[[str], object]) -> Any:
        made = cls(json.loads(text))
        object.__setattr__(made, "_draw", draw)
        object.__setattr__(made, "_pictures", None)
        return made

    def _beside(self) -> dict[str, Any]:
        # What draws has the table, which stays here.
        return {"_draw": None, "_pictures": self._pictures}

    def plots(self) -> dict[str, Picture]:
        """All pictures by name. The first time, the command runs once more."""
        if self._pictures is None:
            object.__setattr__(self, "_pictures", self._draw_all())
        return {name: Picture(svg) for name, svg in (self._pictures or {}).items()}

    def _draw_all(self) -> dict[str, str]:
        if self._draw is None:
            raise RequestError(
                "no-table",
                "this result comes from another process and has no table to draw from",
                "call `plots()` there before it is sent",
            )
        found: dict[str, str] = {}
        with tempfile.TemporaryDirectory() as folder:
            self._draw(folder)
            for name in sorted(os.listdir(folder)):
                stem, suffix = os.path.splitext(name)
                if suffix == ".svg":
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        found[stem] = file.read()
        return found

    def plot(self, name: str | None = None) -> Picture:
        """One of the pictures; the one that says most when not given."""
        pictures = self.plots()
        if name is None and pictures:
            first = [it for it in pictures if it.endswith(self._first)]
            return pictures[first[0] if first else next(iter(pictures))]
        if name is None or name not in pictures:
            raise RequestError("unknown-name", f"there is no picture `{name}`", f"there are: {', '.join(pictures)}")
        return pictures[name]


class Study(_Drawn):
    """How suppression, height and privacy trade off."""

    __slots__ = ()
    _title = "Study"
    _first = "by-height"


class Simulation(_Drawn):
    """How many rows it takes."""

    __slots__ = ()
    _title = "Simulation"
    _first = "chance-by-rows"


class Evaluation(Report):
    """What a release is still worth."""

    __slots__ = ()
    _title = "Evaluation"


class Advice(Report):
    """Which algorithm suits."""

    __slots__ = ()
    _title = "Advice"

    @property
    def best(self) -> str | None:
        """The first choice."""
        ranked = self["ranked"]
        return ranked[0]["algorithm"] if ranked else None

    def _repr_html_(self) -> str:
        ranked = [[it["algorithm"], "; ".join(it["reasons"])] for it in self["ranked"]]
        excluded = [[it["algorithm"], "; ".join(it["reasons"])] for it in self["excluded"]]
        heads = ["algorithm", "reasons"]
        parts = [grid(heads, ranked)]
        if excluded:
            parts.append(f"<details><summary>{len(excluded)} excluded</summary>{grid(heads, excluded)}</details>")
        return card("Advice", *parts)


class Inspection(Report):
    """What is in a table."""

    __slots__ = ()
    _title = "Inspection"


class Comparison(Report):
    """How algorithms compare."""

    __slots__ = ("_picture",)
    _picture: str | None
    _title = "Comparison"

    @classmethod
    def of_answer(cls, text: str) -> Comparison:
        """From what the private module answers."""
        answer = json.loads(text)
        made = cls(answer["found"])
        picture = answer["picture"]
        object.__setattr__(made, "_picture", None if picture is None else picture["svg"])
        return made

    def _beside(self) -> dict[str, Any]:
        return {"_picture": self._picture}

    def plot(self) -> Picture:
        """What each algorithm loses, by the metric of the comparison."""
        if self._picture is None:
            raise RequestError("none-found", "no algorithm has a result, so there is nothing to draw", "see `.runs`")
        return Picture(self._picture)

    def _repr_html_(self) -> str:
        rows: list[list[object]] = []
        for run in self["runs"]:
            reached = run["reached"]
            if reached is None:
                rows.append([run["algorithm"], None, None, None, run["seconds"], run["failed"]["message"]])
            else:
                loss = reached["metrics"].get(self["metric"])
                rows.append(
                    [
                        run["algorithm"],
                        loss,
                        reached["rows_suppressed"],
                        reached["classes"],
                        run["seconds"],
                        reached["guarantee"],
                    ]
                )
        heads = ["algorithm", self["metric"], "rows suppressed", "classes", "seconds", ""]
        parts = [facts([("rows", self["rows_in"]), ("distinct tuples", self["tuples"])]), grid(heads, rows)]
        if self._picture is not None:
            parts.append(figure(self._picture))
        return card("Comparison", *parts)


class Explanation(Report):
    """What terms mean."""

    __slots__ = ()
    _title = "Explanation"

    def __str__(self) -> str:
        entries = self["entries"]
        if len(entries) > 3:
            return "\n".join(f"{it['name']}: {it['summary']}" for it in entries)
        return "\n\n".join(f"{it['name']} ({it['family']})\n{it['text']}" for it in entries)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return card(
            "Explanation",
            grid(["name", "kind", "meaning"], [[it["name"], it["family"], it["summary"]] for it in self["entries"]]),
        )
