"""Progress of a job, by tqdm if it is there."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Generator
from typing import Any, TypeAlias

__all__ = ["Progress"]

Progress: TypeAlias = "bool | Callable[[str, int, int | None], object] | None"
"""Whether to show how far a job is, or what to call with the phase, what is done of it, and all there is to do (bytes while
reading and writing, nodes while searching; none if not known). When not given, it is shown by tqdm if that is installed and
somebody watches."""

_DELAY = 0.5
"""Seconds before anything is shown: most jobs are over by then."""
_NAMES = {"read": "reading", "search": "searching", "write": "writing", "simulate": "simulating"}


@contextlib.contextmanager
def reporter(progress: Progress) -> Generator[Callable[[str, int, int | None], object] | None, None, None]:
    """What to call for a job that runs meanwhile."""
    if callable(progress):
        yield progress
        return
    bars = _Bars.of(progress)
    try:
        yield bars
    finally:
        if bars is not None:
            bars.close()


def _is_watched() -> bool:
    if "ipykernel" in sys.modules:
        return True
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


class _Bars:
    """One bar for each phase."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._shown_from = time.monotonic() + _DELAY
        self._phase: str | None = None
        self._bar: Any = None

    @classmethod
    def of(cls, progress: bool | None) -> _Bars | None:
        if progress is False or (progress is None and not _is_watched()):
            return None
        try:
            from tqdm.auto import tqdm  # pyright: ignore
        except ImportError:
            return None
        return cls(tqdm)

    def __call__(self, phase: str, done: int, total: int | None) -> None:
        if time.monotonic() < self._shown_from:
            return
        if phase != self._phase:
            self.close()
            self._phase = phase
            unit = "B" if phase in ("read", "write") else " steps"
            self._bar = self._tqdm(total=total, desc=_NAMES.get(phase, phase), unit=unit, unit_scale=True, leave=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
