"""The notebook of examples/ runs, and prints what it was committed with."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
pytest.importorskip("xarray")

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "quakes.ipynb"


def printed(notebook):
    return ["".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")
            for cell in notebook.cells if cell.cell_type == "code"]


def pictures(notebook):
    return sum("image/png" in output.get("data", {}) for cell in notebook.cells if cell.cell_type == "code"
               for output in cell.outputs)


def test_quakes_notebook():
    notebook = nbformat.read(NOTEBOOK, 4)
    assert NOTEBOOK.stat().st_size < 400_000
    before, shown = printed(notebook), pictures(notebook)
    assert any(before) and shown >= 4, "commit the notebook with its outputs"
    client = nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3",
                                     resources={"metadata": {"path": str(NOTEBOOK.parent)}})
    client.execute()  # throws where a cell does
    assert printed(notebook) == before
    assert pictures(notebook) == shown
