"""Hints name keywords of Python, not flags of the command line."""

from __future__ import annotations

import inspect
import re

import pytest
from conftest import ROOT

import incrowd
from incrowd._hints import _WITHOUT_KEYWORD, in_python


@pytest.mark.parametrize(
    ("flag", "keyword"),
    [
        ("--max-levels", "max_levels="),
        ("-q", "quasi_identifiers="),
        ("-q age,sex", 'quasi_identifiers=["age", "sex"]'),
        ("-k 5", "k=5"),
        ("-o FILE", "output=..."),
        ("--max-levels 2,1,1", "max_levels=[2, 1, 1]"),
        ("--max-suppressed 321", "max_suppressed=321"),
        ("--rows-needed 95%", 'rows_needed="95%"'),
        ("--trim", "trim=True"),
        ("--no-header", "header=False"),
        ("--hierarchy", "hierarchies="),
        ("--hierarchy age=FILE", 'hierarchies={"age": ...}'),
        ("--weight age=0.4 --weight sex=0.6", 'weights={"age": 0.4, "sex": 0.6}'),
        ("--weight COLUMN=NUMBER", "weights=..."),
        ("--level-values age=1/0.8/0", 'level_values={"age": [1, 0.8, 0]}'),
        ("--rule 'age: 64|65 = 25'", 'rules=["age: 64|65 = 25"]'),
        ("--property overlap=no", 'properties={"overlap": "no"}'),
        ("--numbers interval", 'settings={"numbers": "interval"}'),
        ("--search bottom-up", 'settings={"search": "bottom-up"}'),
        ("--privacy 'k-map(k=5)'", 'privacy="k-map(k=5)"'),
        ("--attributes 12 --values 2", "attributes=12, values=2"),
        ("patients.csv -q age,sex", '"patients.csv", quasi_identifiers=["age", "sex"]'),
        ("incrowd explain", "incrowd.explain()"),
        ("incrowd explain models", 'incrowd.explain("models")'),
        ("incrowd inspect DATA", "incrowd.inspect(...)"),
        ("incrowd risk --population FILE", "incrowd.risk(population=...)"),
        (
            "incrowd hierarchy check age.csv --data t.csv --column age",
            'incrowd.hierarchy.check("age.csv", table="t.csv", column="age")',
        ),
        ("anonymize --certificate", "anonymize(certificate=)"),
        # What is no flag, or means another program, stays.
        ("-", "-"),
        ("1%", "1%"),
        ("age", "age"),
        ("it's", "it's"),
        ("--force", "--force"),
        ("iconv -f latin1 -t utf-8", "iconv -f latin1 -t utf-8"),
        ("cargo build --features server", "cargo build --features server"),
        ("incrowd init DATA", "incrowd init DATA"),
    ],
)
def test_flags_become_keywords(flag, keyword):
    assert in_python(f"see `{flag}`, or not") == f"see `{keyword}`, or not"


def test_every_flag_in_a_hint_becomes_a_keyword_that_exists():
    """All texts between backticks in the sources of hints, whether an error of Python can have them or not."""
    functions = [getattr(incrowd, name) for name in incrowd.__all__]
    functions += [incrowd.hierarchy.build, incrowd.hierarchy.check]
    keywords = {name for it in functions if inspect.isfunction(it) for name in inspect.signature(it).parameters}
    spans = set()
    for path in (ROOT / "crates").glob("*/src/error/hint.rs"):
        text = re.sub(r"\\\n\s*", "", path.read_text(encoding="utf-8"))
        spans |= set(re.findall(r"`((?:[^`\n{]|\{\w*\})*--?[a-z][^`\n]*)`", text))
    assert len(spans) > 50
    for span in spans:
        said = in_python(f"`{span}`")
        if any(span.startswith(word) for word in (*_WITHOUT_KEYWORD, "incrowd --", "cargo ", "iconv ", "gzip ")):
            continue
        if span.startswith("--") or re.match(r"-[a-z]\b", span):
            names = re.findall(r"(?:^`|, )(\w+)=", said)
            assert names, (span, said)
            assert set(names) <= keywords, (span, said)


def test_an_exception_has_the_hint_of_python(patients):
    with pytest.raises(incrowd.RequestError) as raised:
        incrowd.anonymize(patients, quasi_identifiers="age", k=2)
    assert raised.value.code == "no-role"
    assert "`quasi_identifiers=`" in raised.value.hint
    assert '`others="drop"`' in raised.value.hint
    assert "--" not in raised.value.hint


def test_an_exception_about_a_file_is_an_os_error_without_made_up_fields(tmp_path):
    with pytest.raises(OSError) as raised:
        incrowd.inspect(tmp_path / "none.csv")
    error = raised.value
    assert isinstance(error, incrowd.FileError)
    assert (error.errno, error.strerror, error.filename, error.filename2) == (None, None, None, None)
    assert error.args == (error.code, error.message, error.hint, error.place)
