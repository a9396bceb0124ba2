"""What the package promises: classes for all entries, exceptions for all codes, types, examples."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import incrowd
from incrowd import errors

PACKAGE = ROOT / "python" / "incrowd"


def test_the_classes_of_entries_are_those_of_the_registries():
    spec = importlib.util.spec_from_file_location("write_entries", ROOT / "python" / "tools" / "write_entries.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    text = (PACKAGE / "entries.py").read_text(encoding="utf-8")
    assert text == tool.written(), "run python/tools/write_entries.py"
    for family, entries in json.loads(incrowd._native.registry()).items():
        module = getattr(incrowd, family)
        for entry in entries:
            assert tool.class_name(entry["name"]) in module.__all__
            if family == "models":
                assert tool.class_name(entry["name"]) in incrowd.__all__


def test_entries_are_written_as_the_command_line_takes_them():
    assert str(incrowd.KAnonymity(5)) == "k-anonymity(k=5)"
    assert str(incrowd.TCloseness(0.1, column="a,b")) == 't-closeness(t=0.1,column="a,b")'
    assert str(incrowd.metrics.Precision(weights={"age": 2})) == "precision(weights=age:2)"
    assert incrowd.algorithms.Mondrian(relaxed=True).settings() == {"relaxed": True}
    assert incrowd.KAnonymity(5) == incrowd.KAnonymity(k=5)
    with pytest.raises(TypeError):
        incrowd.KAnonymity()


def test_every_code_has_its_exception():
    page = (ROOT / "docs" / "error-codes.md").read_text(encoding="utf-8")
    codes = set(re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.M))
    assert len(codes) > 150
    own = {"needs-pyarrow", "not-a-table", "table-not-handed-over", "mixed-column", "internal"}
    strangers = set(errors._CLASS_OF_CODE) - codes - own
    assert not strangers, f"codes that no error has: {strangers}"
    undecided = codes - set(errors._CLASS_OF_CODE)
    assert not undecided, f"say in errors.py which exception these are: {undecided}"
    listed = [code for of_class in errors._CLASSES.values() for code in of_class.split()]
    assert len(listed) == len(set(listed)), "a code has one exception"
    assert isinstance(errors.of_code("cancelled", "", None, ""), incrowd.StoppedError)
    assert isinstance(errors.of_code("unknown-column", "", None, ""), incrowd.RequestError)
    guide = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    assert all(f"`{code}`" in guide for code in own | {"argument", "no-table"})


def test_help_lists_every_keyword():
    shown = str(inspect.signature(incrowd.anonymize))
    assert "ForwardRef" not in shown
    assert "k: 'int' = None" in shown
    for name in ("quasi_identifiers", "k", "max_suppressed", "algorithm", "output", "progress", "stop", "rules"):
        assert f"{name}:" in shown
    assert all(
        inspect.getdoc(getattr(incrowd, name)) for name in incrowd.__all__ if name not in ("__version__", "TableLike")
    )


def test_examples_of_docstrings_run():
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--doctest-modules",
            "-q",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            str(PACKAGE),
            "--pyargs",
            "incrowd",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


PAGES = ["docs/guide/python.md", "docs/guide/coming-from-other-tools.md", "python/README.md", "README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_pages_run(page, tmp_path, monkeypatch, adult, hierarchies):
    """All Python blocks of a page, one after the other, but for those of other tools; with what comments say they are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "adult.csv").write_bytes(adult.read_bytes())
    (tmp_path / "hierarchies").symlink_to(hierarchies)
    (tmp_path / "data").symlink_to(ROOT / "data")
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert blocks
    names: dict = {}
    said = 0
    for block in blocks:
        exec(compile(block, page, "exec"), names)
        for line in re.findall(r"^\S.*  # (?:True|False).*$", block, re.M):
            expression, _, comment = line.partition("  # ")
            assert str(eval(expression, names)) == re.match(r"\w+", comment).group(), line
            said += 1
        if "ipywidgets.interact" in block:
            # The slider swallows what is raised.
            with contextlib.redirect_stdout(io.StringIO()):
                names["show"](k=3, suppressed=0.5)
    assert said > 0 or page != PAGES[0]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def installed() -> Path:
    return Path(incrowd.__file__).parent


def test_mypy_finds_nothing():
    done = run("mypy", "--strict", "python/tests/typed_examples.py", str(PACKAGE))
    assert done.returncode == 0, done.stdout


def test_type_checkers_refuse_what_is_no_table(tmp_path):
    lines = {
        'incrowd.inspect("t.csv")': True,
        "incrowd.inspect(polars.DataFrame())": True,
        "incrowd.inspect(polars.LazyFrame())": True,
        "incrowd.inspect(pandas.DataFrame())": True,
        'incrowd.inspect(duckdb.sql("SELECT 1"))': True,
        "incrowd.inspect(incrowd.Table.from_dict({}))": True,
        "incrowd.inspect(7)": False,
        "incrowd.inspect([1, 2])": False,
        'incrowd.inspect({"a": [1]})': False,
    }
    path = tmp_path / "tables.py"
    path.write_text("import duckdb, pandas, polars\nimport incrowd\n" + "\n".join(lines), encoding="utf-8")
    done = run("mypy", str(path))
    refused = {
        int(line.split(":")[1]) - 3 for line in done.stdout.splitlines() if "error" in line and "tables.py:" in line
    }
    assert refused == {at for at, is_table in enumerate(lines.values()) if not is_table}, done.stdout


def test_the_metadata_is_whole():
    from importlib.metadata import metadata, requires

    about = metadata("incrowd")
    for field in ("Summary", "Author", "License-Expression", "Requires-Python", "Keywords"):
        assert about[field], field
    assert about["Description"].startswith("# incrowd")
    # Only what is tested.
    systems = [it for it in about.get_all("Classifier") if it.startswith("Operating System")]
    assert systems == ["Operating System :: POSIX :: Linux"]
    assert all("extra ==" in it for it in requires("incrowd")), "nothing is required"


def test_pyright_finds_nothing():
    done = run("pyright", "--pythonpath", sys.executable)
    assert done.returncode == 0, done.stdout


def test_the_stubs_are_those_of_the_module():
    done = run("mypy.stubtest", "incrowd._native", "--mypy-config-file", "pyproject.toml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_sources_are_in_order():
    for words in (["check"], ["format", "--check"]):
        done = run("ruff", *words, "python", "benchmarks/python", "docs/notebooks")
        assert done.returncode == 0, done.stdout


def test_the_package_says_that_it_has_types():
    assert (installed() / "py.typed").exists()
    assert incrowd.__version__
