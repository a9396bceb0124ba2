"""Jobs that can be kept, shared and run again."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from . import _native
from ._record import Record

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._request import Columns, Format, Hierarchies, Output, Privacy, Research, Search
    from .release import Release

    class JobKeywords(Format, Columns, Hierarchies, Privacy, Search, Research, Output, total=False):
        """Everything a job can say."""


__all__ = ["Job"]


class Job:
    """What is asked of a table: roles, promises, how to search, where the release goes.

    >>> job = Job(quasi_identifiers=["age", "zip"], k=2, others="drop")
    >>> job.to_dict()["privacy"]["models"]
    ['k-anonymity(k=2)']

    Every function takes a job as ``job=``; its other keywords win over it.
    """

    def __init__(self, **keywords: Unpack[JobKeywords]) -> None:
        from ._request import Request

        request = Request(None, keywords)
        self._request: dict[str, Any] = {
            key: value
            for key, value in request._request.items()
            if key not in ("options", "flags", "is_whole_algorithm")
        }
        # Later keywords are laid over these, as flags are over a job file.
        self._request["base"] = request._request["flags"]
        self._tables = request.tables

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str]) -> Job:
        """Reads a job file, as ``incrowd init`` writes it. Paths in it are relative to its folder."""
        job = cls()
        job._request = {"file": os.fspath(path)}
        # Refused now rather than when it is run.
        job.to_dict()
        return job

    @classmethod
    def from_text(cls, text: str) -> Job:
        """Reads the text of a job file.

        >>> Job.from_text('[privacy]\\nmodels = ["k-anonymity(k=5)"]').to_dict()["privacy"]["models"]
        ['k-anonymity(k=5)']
        """
        job = cls()
        job._request = {"text": text}
        job.to_dict()
        return job

    def to_dict(self) -> dict[str, Any]:
        """The keys of the job file, but for those not given."""
        from ._request import as_json

        said: dict[str, Any] = json.loads(_native.job_of(as_json(self._request)))
        return _given(said)

    def anonymize(self, table: Any = None, **keywords: Any) -> Release:
        """The release of a table."""
        from ._commands import anonymize

        return anonymize(table, job=self, **keywords)

    def __repr__(self) -> str:
        return f"Job({Record(self.to_dict()).to_json()})"


def _given(said: dict[str, Any]) -> dict[str, Any]:
    kept = {key: _given(value) if isinstance(value, dict) else value for key, value in said.items()}  # pyright: ignore
    return {key: value for key, value in kept.items() if value not in (None, {}, [])}
