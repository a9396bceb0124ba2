"""Writes python/incrowd/entries.py from the registries: a class for every model, metric and algorithm.

Run it after an entry or a setting has changed; a test compares the file with what this would write.
"""

from __future__ import annotations

import json
import keyword
import subprocess
import sys
import textwrap
from pathlib import Path

from incrowd import _native

TARGET = Path(__file__).parent.parent / "incrowd" / "entries.py"

HEADER = '''"""Every model, metric and algorithm as a class. Generated from the registries by write_entries.py.

>>> str(KAnonymity(5)), str(TCloseness(0.2, column="disease"))
('k-anonymity(k=5)', 't-closeness(t=0.2,column=disease)')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

__all__ = [
{exported}
]


class _Entry:
    """A named thing with settings, written ``name(setting=value,...)``."""

    name: ClassVar[str]

    def settings(self) -> dict[str, Any]:
        """What is set, by the name that the command line has for it."""
        given: dict[str, Any] = {{}}
        for field in fields(self):  # type: ignore[arg-type] # pyright: ignore
            value = getattr(self, field.name)
            if value is not None and value != field.default:
                given[field.name.rstrip("_").replace("_", "-")] = value
        return given

    def __str__(self) -> str:
        settings = [f"{{name}}={{_quoted(_text(value))}}" for name, value in self.settings().items()]
        return f"{{self.name}}({{','.join(settings)}})" if settings else self.name


class Model(_Entry):
    """A privacy model."""


class Metric(_Entry):
    """A utility metric."""


class Algorithm(_Entry):
    """An algorithm."""


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Real | Decimal) and not isinstance(value, Integral):
        return f"{{Decimal(str(value)):f}}"
    if isinstance(value, Mapping):
        return ";".join(f"{{column}}:{{_of_column(of)}}" for column, of in value.items())  # pyright: ignore
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ; ".join(str(item) for item in value)  # pyright: ignore
    return str(value)


def _of_column(of: Any) -> str:
    return _text(of) if not isinstance(of, Sequence) else "/".join(_text(number) for number in of)  # pyright: ignore


def _quoted(text: str) -> str:
    if any(sign in text for sign in ',()="'):
        return '"' + text.replace('"', '""') + '"'
    return text
'''

KINDS = {
    "count": "int",
    "number": "float | Decimal",
    "flag": "bool",
    "text": "str",
    "texts": "Sequence[str]",
    "rules": "Sequence[str]",
    "weights": "Mapping[str, float]",
    "numbers-by-level": "Mapping[str, Sequence[float]]",
    "words-by-column": "Sequence[str]",
    "steps-by-column": "Sequence[str]",
    "order-by-column": "Sequence[str]",
}


def class_name(name: str) -> str:
    """``k-anonymity`` as ``KAnonymity``."""
    return "".join(part.capitalize() for part in name.split("-"))


def kind_of(setting: dict) -> str:
    words = ", ".join(json.dumps(word) for word in setting["words"])
    match setting["kind"]:
        case "word":
            return f"Literal[{words}]"
        case "words":
            return f"Sequence[Literal[{words}]]"
        case kind:
            return KINDS[kind]


def default_of(setting: dict) -> str:
    given = setting["default"]
    if given is None:
        return "None"
    if setting["kind"] == "flag":
        return str(given == "true")
    if setting["kind"] in ("count", "number"):
        return given
    return json.dumps(given)


def field_name(name: str) -> str:
    name = name.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def lines_of(text: str, indent: str) -> list[str]:
    wrapped = textwrap.wrap(text, 116 - len(indent))
    return [f'{indent}"""{wrapped[0]}', *(indent + line for line in wrapped[1:])]


def docstring(text: str, indent: str) -> list[str]:
    lines = lines_of(text.replace("\\", "\\\\"), indent)
    lines[-1] += '"""'
    return lines


def class_of(entry: dict, base: str) -> list[str]:
    lines = ["", "", "@dataclass(frozen=True)", f"class {class_name(entry['name'])}({base}):"]
    lines += docstring(sentence(entry["summary"]), "    ")
    lines += ["", f'    name: ClassVar[str] = "{entry["name"]}"']
    # What must be given comes first.
    for setting in sorted(entry["settings"], key=lambda it: not it["required"]):
        kind = kind_of(setting)
        if setting["required"]:
            lines.append(f"    {field_name(setting['name'])}: {kind}")
        else:
            default = default_of(setting)
            kind = f"{kind} | None" if default == "None" else kind
            lines.append(f"    {field_name(setting['name'])}: {kind} = {default}")
        lines += docstring(sentence(setting["help"]), "    ")
    return lines


def written() -> str:
    """The text of the file."""
    registry = json.loads(_native.registry())
    families = (("models", "Model"), ("metrics", "Metric"), ("algorithms", "Algorithm"))
    named = [class_name(entry["name"]) for family, _ in families for entry in registry[family]]
    exported = "\n".join(f'    "{name}",' for name in sorted([*named, "Model", "Metric", "Algorithm"]))
    lines = [HEADER.format(exported=exported).rstrip()]
    for family, base in families:
        for entry in registry[family]:
            lines += class_of(entry, base)
    text = "\n".join(lines) + "\n"
    words = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"]
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    TARGET.write_text(written(), encoding="utf-8")
    sys.exit(0)
