"""JSON as objects: ``outcome.privacy[0].holds`` as well as ``outcome["privacy"]``."""

from __future__ import annotations

import json
from collections.abc import ItemsView, Iterator, KeysView, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Record"]


class Record:
    """One object of a result. Fields are attributes and keys alike, and cannot be changed.

    >>> record = Record({"rows": 3, "classes": [{"size": 2}]})
    >>> record.classes[0].size, record["rows"]
    (2, 3)

    It is a mapping of fields. Only where a method has the name of a field, such as ``plots``, the field is that key.
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
            if name == "values":
                # Mappings have this method, and some results a field of that name.
                return self._all
            known = ", ".join(self._fields)
            raise AttributeError(f"there is no field {name!r}; there are: {known}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("results cannot be changed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def keys(self) -> KeysView[str]:
        """The names of the fields."""
        return self._fields.keys()

    def items(self) -> ItemsView[str, Any]:
        """The fields with their names."""
        return {name: self[name] for name in self}.items()

    def get(self, name: str, default: Any = None) -> Any:
        """A field, or the default if there is none of that name."""
        return self[name] if name in self._fields else default

    def _all(self) -> list[Any]:
        return [self[name] for name in self]

    def __len__(self) -> int:
        return len(self._fields)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record | Mapping) and dict(self._fields) == _plain(other)  # pyright: ignore

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.to_dict(), self._beside())

    def _beside(self) -> dict[str, Any]:
        """What goes along with the fields to another process."""
        return {}

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        # Nothing of it can be changed.
        return self

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


Mapping.register(Record)  # pyright: ignore


def _restored(kind: type[Record], fields: dict[str, Any], beside: dict[str, Any]) -> Record:
    made = kind.__new__(kind)
    for name, value in {"_fields": fields, **beside}.items():
        object.__setattr__(made, name, value)
    return made


def _plain(value: Record | Mapping[Any, Any]) -> dict[str, Any]:
    return value.to_dict() if isinstance(value, Record) else dict(value)
