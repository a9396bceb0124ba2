"""Tables and the command line for all tests."""

from __future__ import annotations

import os
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
    path = os.environ.get("INCROWD")
    if path is None or not os.access(path, os.X_OK):
        pytest.fail(
            f"there is no program to compare with: INCROWD is {path!r}; `make python` builds it and sets INCROWD"
        )
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

LEVELS_IN_FILES = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
LONG = {
    "quasi_identifiers": [*LEVELS_IN_FILES, "education-num", "relationship", "hours-per-week"],
    "sensitive": "salary-class",
    "others": "drop",
    "hierarchies": {
        **{column: str(ADULT / "hierarchies" / f"{column}.csv") for column in LEVELS_IN_FILES},
        "education-num": "order",
        "hours-per-week": "interval:2,4,8,16,32",
    },
    "t": 0.3,
    "max_suppressed": "30%",
    "work_limit": "none",
}
"""A search that never ends: distances do not survive merging, so little can be skipped in millions of nodes."""
