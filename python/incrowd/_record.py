"""JSON as objects: ``outcome.privacy[0].holds`` as well as ``outcome["privacy"]``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Record"]


class Record(Mapping[str, Any]):
    """One object of a result. Fields are attributes and keys alike, and cannot be changed.

    >>> Record({"rows": 3, "classes": [{"size": 2}]}).classes[0].size
    2
    """

    __slots__ = ("_fields",)
    _fields: Mapping[str, Any]

    def __init__(self, fields: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_fields", fields)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads JSON."""
        return cls(json.loads(text))

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self._fields[name])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_fields":
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            known = ", ".join(self._fields)
            raise AttributeError(f"there is no field {name!r}; there are: {known}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("results cannot be changed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and dict(self._fields) == _plain(other)  # pyright: ignore

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[Record], tuple[dict[str, Any]]]:
        return Record, (self.to_dict(),)

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists."""
        return json.loads(json.dumps(dict(self._fields)))  # type: ignore[no-any-return]

    def to_json(self, indent: int | None = None) -> str:
        """The JSON, as the command line prints it."""
        return json.dumps(dict(self._fields), indent=indent, ensure_ascii=False)

    def __repr__(self) -> str:
        return f"Record({self.to_json()})"


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, list):
        return [_wrapped(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def _plain(value: Mapping[Any, Any]) -> dict[str, Any]:
    return value.to_dict() if isinstance(value, Record) else dict(value)
