"""How results look in a notebook. The only place where text becomes HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._table import Table

_STYLE = (
    "<style>.incrowd{font-family:system-ui,sans-serif;border:1px solid #c9d1d8;border-radius:8px;padding:12px 16px;"
    "max-width:900px;color:#1f2933;background:#fff}.incrowd h4{margin:0 0 6px}.incrowd dl{display:grid;"
    "grid-template-columns:max-content 1fr;gap:2px 14px;margin:6px 0}.incrowd dt{color:#5b6770}.incrowd dd{margin:0}"
    ".incrowd table{border-collapse:collapse;margin:6px 0}.incrowd td,.incrowd th{padding:2px 10px 2px 0;"
    "text-align:left;background:#fff;color:#1f2933}.incrowd th{color:#5b6770;font-weight:600}.incrowd .number{"
    "text-align:right}.incrowd .warning{color:#b5003c}.incrowd figure{margin:8px 0;overflow-x:auto}</style>"
)


def card(title: str, *parts: str) -> str:
    """A result with a frame around it."""
    return f'{_STYLE}<div class="incrowd"><h4>{escape(title)}</h4>{"".join(parts)}</div>'


def facts(given: Iterable[tuple[str, object]]) -> str:
    """Terms with what is to be said about them."""
    items = "".join(f"<dt>{escape(term)}</dt><dd>{escape(str(value))}</dd>" for term, value in given)
    return f"<dl>{items}</dl>"


def warnings(given: Sequence[str]) -> str:
    """What a reader should not miss."""
    return "".join(f'<p class="warning">{escape(text)}</p>' for text in given)


def figure(svg: str) -> str:
    """A picture, which is our own SVG."""
    return f"<figure>{svg}</figure>"


def grid(heads: Sequence[str], rows: Sequence[Sequence[object]], total: int | None = None) -> str:
    """Rows with heads; how many there are, if not all are shown."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in rows)
    rest = "" if total is None or total <= len(rows) else f"<p>{total - len(rows)} more rows</p>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cell(cell: object) -> str:
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return f"<td>{escape('' if cell is None else str(cell))}</td>"
    return f'<td class="number">{escape(few_digits(cell))}</td>'


def few_digits(number: float) -> str:
    """A number as people read it."""
    if float(number).is_integer():
        return f"{int(number):,}"
    return f"{number:.4g}"


def rows_table(table: Table, rows: int) -> str:
    """The first rows of a table."""
    shown = [list(row.values()) for row in table.head(rows)]
    return grid(table.column_names, shown, table.num_rows)


def mapping(title: str, fields: Mapping[str, Any]) -> str:
    """Any result: plain fields as terms, lists of objects as tables."""
    plain: list[tuple[str, object]] = []
    tables: list[str] = []
    for name, value in fields.items():
        if name == "version" or value in (None, [], {}):
            continue
        if isinstance(value, Mapping):
            tables.append(f"<b>{escape(_words(name))}</b>{_of_mapping(value)}")  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):  # pyright: ignore
            tables.append(f"<b>{escape(_words(name))}</b>{_of_records(value)}")  # pyright: ignore
        else:
            plain.append((_words(name), _inline(value)))
    return card(title, facts(plain), *tables)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return few_digits(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{_words(str(key))}: {_inline(item)}" for key, item in value.items() if item is not None)  # pyright: ignore
    if isinstance(value, list | tuple):
        return ", ".join(_inline(item) for item in value)  # pyright: ignore
    return "" if value is None else str(value)


def _of_mapping(value: Mapping[str, Any]) -> str:
    return facts((_words(key), _inline(item)) for key, item in value.items() if item is not None)


def _of_records(value: Sequence[Mapping[str, Any]]) -> str:
    heads = list(dict.fromkeys(key for item in value for key in item))
    rows: list[list[object]] = []
    for item in value[:50]:
        cells = (item.get(head) for head in heads)
        rows.append(
            [cell if isinstance(cell, int | float) and not isinstance(cell, bool) else _inline(cell) for cell in cells]
        )
    return grid([_words(head) for head in heads], rows, len(value))
