"""Tables and the command line for all tests."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import incrowd

ROOT = Path(__file__).parent.parent.parent
ADULT = ROOT / "data" / "adult"


@pytest.fixture(scope="session")
def adult() -> Path:
    """The Adult table."""
    return ADULT / "adult.csv"


@pytest.fixture(scope="session")
def hierarchies() -> Path:
    """Its hierarchies."""
    return ADULT / "hierarchies"


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory, adult: Path) -> Path:
    """The first rows of it, where an algorithm takes long."""
    path = tmp_path_factory.mktemp("few") / "few.csv"
    with open(adult, encoding="utf-8") as file:
        lines = [next(file) for _ in range(1201)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def command_line() -> str:
    """The program, which `make python` builds from the same source."""
    path = os.environ.get("INCROWD") or shutil.which("incrowd")
    if path is None:
        pytest.skip("no command line to compare with; INCROWD=path names it")
    return path


@pytest.fixture
def patients() -> incrowd.Table:
    """A small table, without any other library."""
    return incrowd.Table.from_dict(
        {
            "name": ["Alva", "Bruno", "Dag", "Elif", "Finn", "Greta"],
            "age": [34, 36, 61, 64, 38, 66],
            "zip": ["45011", "45012", "45201", "45204", "45013", "45207"],
            "disease": ["asthma", "influenza", "diabetes", "influenza", "asthma", "stroke"],
        }
    )


ROLES = {"identifying": "name", "quasi_identifiers": ["age", "zip"], "sensitive": "disease"}
