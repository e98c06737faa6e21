"""The examples of the documentation run as they stand."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import rheo

SAMPLES = Path(__file__).resolve().parents[1] / "samples"


@pytest.mark.parametrize(
    "module", ["rheo", *(f"rheo.{name}" for name in ("_flow", "_detection", "_tracking", "_stabilization"))]
)
def test_docstrings(module):
    results = doctest.testmod(importlib.import_module(module), extraglobs={"rheo": rheo})
    assert results.failed == 0 and results.attempted > 0


def test_everything_public_is_documented():
    for name in rheo.__all__:
        value = getattr(rheo, name)
        assert value.__doc__, name
        for member, function in vars(value).items() if isinstance(value, type) else ():
            if callable(function) and not member.startswith("_"):
                assert function.__doc__, f"{name}.{member}"


def test_notebook(monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    notebook = nbformat.read(SAMPLES / "flow.ipynb", as_version=4)
    client.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    printed = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
    assert "the square moves by" in printed and "event 1" in printed
