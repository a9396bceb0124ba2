"""The notebook runs from top to bottom, and every cell shows what the text above it promises."""

from __future__ import annotations

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

NOTEBOOK = ROOT / "docs" / "notebooks" / "adult.ipynb"
SHOWN = {
    "adult.shape": ["(30162, 15)"],
    "incrowd.inspect(adult)": ["('age', '"],
    "incrowd.risk(adult": ["% of attempts succeed", "people are unique"],
    "release = incrowd.anonymize(": ["k-anonymity(k=10): kept", "<svg", "30,162", "smallest has"],
    "release.to_polars().head(3)": ["shape: (3, 5)"],
    'release.plot("age")': ["<svg"],
    "release.verify(": ["True True"],
    "negotiation.ask(k=10,": ["The request is not met as it is", "more suppression"],
    'answer.plot("curve")': ["<svg"],
    "for k in (2, 5, 10, 25, 50)": ["2 {'age'", "50 {'age'"],
    "incrowd.compare(": ["optimal", "datafly", "top-down", "mondrian", "<svg"],
    "incrowd.evaluate(": ["naive-bayes", "raw,", "released"],
    "incrowd.study(": ["<svg"],
    "incrowd.simulate(": ["rows", "<svg"],
}
"""By what is in the source of a cell: what its output must have."""


def shown_by(cell) -> str:
    """Everything that a cell shows, in all its forms."""
    parts = []
    for output in cell.outputs:
        assert output.output_type != "error"
        assert output.get("name") != "stderr", "nothing should warn"
        parts.append(str(output.get("text", "")))
        parts += [str(text) for text in output.get("data", {}).values()]
    return "".join(parts)


def test_the_notebook_runs_and_every_cell_shows_what_it_should():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    stored = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(stored) == len(SHOWN)
    fresh = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(fresh, timeout=300, resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    fresh = [cell for cell in fresh.cells if cell.cell_type == "code"]
    for begin, expected in SHOWN.items():
        [at] = [at for at, cell in enumerate(stored) if begin in cell.source]
        for text in expected:
            assert text in shown_by(fresh[at]), (begin, text)
            # Whoever reads the notebook without running it sees the same.
            assert text in shown_by(stored[at]), f"run the notebook and keep its outputs: {begin} lacks {text}"


def test_a_cell_that_fails_would_be_noticed():
    broken = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    with pytest.raises(Exception, match="ZeroDivisionError"):
        NotebookClient(broken, timeout=60).execute()
