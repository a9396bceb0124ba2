"""Pictures as SVG."""

from __future__ import annotations

import os

__all__ = ["Picture"]


class Picture:
    """A self-contained SVG, which a notebook shows.

    >>> Picture("<svg></svg>").svg
    '<svg></svg>'
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg
        """The text of the picture."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Picture({len(self.svg)} characters of SVG)"
