"""Runs a piece of work in a process of its own, measures it, and records the figures."""

from __future__ import annotations

import csv
import json
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


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
    """Wall and CPU seconds of this process, all its threads, since it was made."""

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


def machine() -> str:
    """What it was measured on, and how busy that was."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = ", ".join(f"{load:.2f}" for load in os.getloadavg())
    lines = [f"model: {model}", f"cores: {os.cpu_count()}", f"memory: {memory:.1f} GiB"]
    lines += [
        f"system: {platform.system()} {platform.machine()}",
        f"load: {load} (over 1, 5 and 15 minutes at the end)",
    ]
    return "\n".join(lines)


def versions() -> str:
    """What was measured."""
    from importlib.metadata import PackageNotFoundError, version

    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    lines = [f"python {platform.python_version()}"]
    for package in ("incrowd", "polars", "pyarrow", "pandas", "anjana", "anonypy", "pycanon"):
        try:
            found = f"{package} {version(package)}"
        except PackageNotFoundError:
            continue
        lines.append(f"{found} (commit {commit.stdout.strip()})" if package == "incrowd" else found)
    return "\n".join(lines)


def record(folder: str | None, name: str, text: str, raw: list[dict]) -> None:
    """Keeps what was measured, with the command, the versions and the machine."""
    if folder is None:
        return
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    script, *words = sys.argv
    words = [Path(word).name if os.path.isabs(word) else word for word in words]
    command = " ".join(["python", f"benchmarks/python/{Path(script).name}", *words])
    about = f"`{command}`\n\n{lines_of(machine())}\n\n{lines_of(versions())}"
    (place / f"{name}.md").write_text(f"# {name.replace('-', ' ')}\n\n{about}\n\n{text}\n", encoding="utf-8")
    keys = list(dict.fromkeys(key for row in raw for key in row))
    with open(place / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, keys)
        writer.writeheader()
        writer.writerows(raw)


def lines_of(text: str) -> str:
    """Lines that stay lines in Markdown."""
    return text.replace("\n", "  \n")
