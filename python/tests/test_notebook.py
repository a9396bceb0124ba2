"""The notebook runs from top to bottom, and shows what it should."""

from __future__ import annotations

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output for output in outputs if output.get("name") == "stderr"], "nothing should warn"
    shown = "".join(
        str(output.get("data", {}).get("text/html", "")) + str(output.get("text", "")) for output in outputs
    )
    for expected in ("k-anonymity(k=10): kept", "The request is not met as it is", "mondrian", "<svg", "True"):
        assert expected in shown, expected
    drawn = [output for output in outputs if "image/svg+xml" in output.get("data", {})]
    assert len(drawn) >= 3


def test_there_is_a_notebook():
    assert NOTEBOOKS
