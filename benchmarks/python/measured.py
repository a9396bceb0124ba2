"""Runs a piece of work in a process of its own and measures it."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path


def measure(script: Path, *words: str) -> dict:
    """Runs a script, which prints one line of JSON, and adds what the process took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run([sys.executable, str(script), *words], stdout=subprocess.PIPE, text=True, check=True)
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**json.loads(done.stdout.splitlines()[-1]), "process_seconds": seconds, "process_cpu": cpu}


class Clock:
    """Wall and CPU seconds of this process since it was made."""

    def __init__(self) -> None:
        self._wall = time.perf_counter()
        self._cpu = time.process_time()

    def read(self) -> dict[str, float]:
        """What has passed."""
        return {"seconds": time.perf_counter() - self._wall, "cpu": time.process_time() - self._cpu}


def resident() -> int:
    """The memory of this process now, in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak() -> int:
    """The most memory of this process so far, in bytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def reset_peak() -> None:
    """Forgets the most memory so far."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def table(heads: list[str], rows: list[list[object]]) -> str:
    """A table in Markdown."""
    shown = [[f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in shown)])


def record(folder: str | None, name: str, text: str, raw: list[dict]) -> None:
    """Keeps what was measured, with versions."""
    if folder is None:
        return
    from importlib.metadata import PackageNotFoundError, version

    versions = [f"python {sys.version.split()[0]}"]
    for package in ("incrowd", "polars", "pyarrow", "pandas", "anjana", "anonypy", "pycanon"):
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    command = " ".join(["python", *sys.argv])
    (place / f"{name}.md").write_text(f"Command: `{command}`\n\nVersions: {', '.join(versions)}\n\n{text}\n")
    (place / f"{name}.json").write_text(json.dumps(raw, indent=1) + "\n")
