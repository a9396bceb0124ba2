"""Hints of the library name flags of the command line; here they become the keywords that people of Python type."""

from __future__ import annotations

import functools
import json
import re
import shlex

__all__ = ["in_python"]

_OTHER_NAMES = {
    "-q": "quasi_identifiers",
    "-s": "sensitive",
    "-k": "k",
    "-l": "l",
    "-t": "t",
    "-o": "output",
    "--hierarchy": "hierarchies",
    "--weight": "weights",
    "--rule": "rules",
    "--property": "properties",
    "--gate": "gates",
    "--try": "tries",
}
"""Flags whose keyword is not their name with ``_`` for ``-``."""
_SWITCHES = {"--no-header": "header=False"}
_TRUTHS = ("header", "importance", "shuffle", "spreadsheet_safe", "trim", "whole_rows")
_LISTS = (
    *("quasi_identifiers", "sensitive", "identifying", "target", "keep", "missing_tokens"),
    *("columns", "algorithms", "parameters", "domain", "max_levels", "levels", "rules", "gates"),
)
_BY_NAME = ("hierarchies", "weights", "properties", "level_values")
_WITHOUT_KEYWORD = ("--force", "--replace", "--script", "--data-folder", "--port", "--batch")
_COMMANDS = (
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
)
_OTHER_PROGRAMS = ("cargo", "gzip", "iconv", "make")
_PLACEHOLDER = re.compile(r"[A-Z]+")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def in_python(hint: str) -> str:
    """A hint with the keywords of Python in place of flags.

    >>> in_python("give each a role (`-q`, `--identifying`), or pass `--others drop`")
    'give each a role (`quasi_identifiers=`, `identifying=`), or pass `others="drop"`'
    """
    return re.sub(r"`([^`]+)`", lambda span: f"`{_said(span[1])}`", hint)


def _said(span: str) -> str:
    try:
        words = shlex.split(span)
    except ValueError:
        return span
    if not words or words[0] in _OTHER_PROGRAMS:
        return span
    if words[0] == "incrowd":
        return _command(words[1:]) or span
    if words[0] in _COMMANDS and len(words) > 1 and words[1].startswith("--"):
        return f"{words[0]}({_keywords(words[1:], [])})"
    first_flag = next((at for at, word in enumerate(words) if _is_flag(word)), None)
    if first_flag is None:
        return span
    return _keywords(words[first_flag:], [json.dumps(word) for word in words[:first_flag]])


def _is_flag(word: str) -> bool:
    if word in _OTHER_NAMES:
        return True
    return re.fullmatch(r"--[a-z][a-z-]*", word) is not None and word not in _WITHOUT_KEYWORD


def _command(words: list[str]) -> str | None:
    """A call in place of a command; none if Python has none for it."""
    if not words:
        return None
    if words[0] == "hierarchy" and len(words) > 1 and words[1] in ("build", "check", "show"):
        # What `show` prints is what `check` returns.
        function = "hierarchy.build" if words[1] == "build" else "hierarchy.check"
        return f"incrowd.{function}({_arguments(words[2:])})"
    if words[0] in _COMMANDS:
        return f"incrowd.{words[0]}({_arguments(words[1:])})"
    return None


def _arguments(words: list[str]) -> str:
    at = next((at for at, word in enumerate(words) if _is_flag(word)), len(words))
    plain = ["..." if _PLACEHOLDER.fullmatch(word) else json.dumps(word) for word in words[:at]]
    return _keywords(words[at:], plain)


def _keywords(words: list[str], said: list[str]) -> str:
    at = 0
    while at < len(words):
        flag = words[at]
        end = at + 1
        while end < len(words) and not _is_flag(words[end]):
            end += 1
        keyword = _keyword(flag, " ".join(words[at + 1 : end]))
        begin = keyword.partition("{")[0] + "{"
        if said and keyword.startswith(begin) and said[-1].startswith(begin):
            # A flag is repeated where a keyword has one dictionary.
            keyword = f"{said.pop()[:-1]}, {keyword.removeprefix(begin)}"
        said.append(keyword)
        at = end
    return ", ".join(said)


def _keyword(flag: str, value: str) -> str:
    if flag in _SWITCHES:
        return _SWITCHES[flag]
    name = _OTHER_NAMES.get(flag) or flag[2:].replace("-", "_")
    if name == "data":
        # The table of `hierarchy check`.
        name = "table"
    kind = _settings().get(flag[2:])
    if kind is not None:
        shown = _value("", value) if value else "True" if kind == "flag" else "..."
        return f'settings={{"{flag[2:]}": {shown}}}'
    if not value:
        return f"{name}=True" if name in _TRUTHS else f"{name}="
    return f"{name}={_value(name, value)}"


def _value(name: str, text: str) -> str:
    if _PLACEHOLDER.fullmatch(text) or text == "COLUMN=NUMBER":
        return "..."
    if name in _BY_NAME and "=" in text:
        column, _, of = text.partition("=")
        parts = [_value("", part) for part in of.split("/")] if name == "level_values" else []
        shown = f"[{', '.join(parts)}]" if parts else _value("", of)
        return f"{{{json.dumps(column, ensure_ascii=False)}: {shown}}}"
    if name in _LISTS:
        items = [text] if name in ("rules", "gates") else text.split(",")
        return f"[{', '.join(_value('', item) for item in items)}]"
    return text if _NUMBER.fullmatch(text) else json.dumps(text, ensure_ascii=False)


@functools.cache
def _settings() -> dict[str, str]:
    """What can be set for single algorithms, and of which kind it is."""
    from . import _native

    registry: dict[str, list[dict[str, list[dict[str, str]]]]] = json.loads(_native.registry())
    return {setting["name"]: setting["kind"] for entry in registry["algorithms"] for setting in entry["settings"]}
