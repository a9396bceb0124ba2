"""The private half of the package: requests and results as JSON, tables as Arrow streams. Written by hand; tests compare it
with the module."""

from collections.abc import Callable
from typing import Any, final

__version__: str
__all__ = [
    "Negotiation",
    "Release",
    "Stop",
    "Table",
    "__version__",
    "anonymize",
    "explain",
    "job_of",
    "registry",
    "run",
]

@final
class Table:
    @staticmethod
    def of_columns(columns: list[tuple[str, list[Any]]]) -> Table: ...
    @staticmethod
    def of_stream(producer: object, stop: Stop | None = None) -> Table: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    @property
    def num_rows(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    @property
    def column_types(self) -> list[str]: ...
    def head(self, rows: int) -> list[list[str | None]]: ...
    def column(self, name: str) -> list[Any]: ...
    def __len__(self) -> int: ...

@final
class Stop:
    """Lets another thread stop jobs: pass it as ``stop=``, and call :meth:`now`."""

    def __new__(cls) -> Stop: ...
    def now(self) -> None: ...
    def take_best(self) -> bool: ...
    @property
    def is_requested(self) -> bool: ...

@final
class Release:
    @property
    def table(self) -> Table | None: ...
    @property
    def outcome(self) -> str: ...
    @property
    def certificate(self) -> str | None: ...
    @property
    def certificate_text(self) -> str | None: ...
    @property
    def pictures(self) -> str: ...

@final
class Negotiation:
    def __new__(
        cls,
        request: str,
        tables: dict[str, object],
        progress: Callable[[str, int, int | None], object] | None = None,
        stop: Stop | None = None,
    ) -> Negotiation: ...
    def ask(
        self,
        wish: str | None = None,
        progress: Callable[[str, int, int | None], object] | None = None,
        stop: Stop | None = None,
    ) -> str: ...
    def draw(self, wish: str | None = None) -> str: ...
    def release(
        self,
        wish: str | None,
        offer: str,
        request: str,
        progress: Callable[[str, int, int | None], object] | None = None,
        stop: Stop | None = None,
    ) -> Release: ...
    @property
    def quasi_identifiers(self) -> list[tuple[str, int]]: ...
    @property
    def rows(self) -> int: ...

def anonymize(
    request: str,
    tables: dict[str, object],
    progress: Callable[[str, int, int | None], object] | None = None,
    stop: Stop | None = None,
) -> Release: ...
def run(
    command: str,
    request: str,
    tables: dict[str, object],
    progress: Callable[[str, int, int | None], object] | None = None,
    stop: Stop | None = None,
) -> str: ...
def explain(name: str | None = None) -> str: ...
def job_of(request: str) -> str: ...
def registry() -> str: ...
