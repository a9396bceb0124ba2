"""Servers that are measured from outside: their processor time, their greatest memory, and the bytes between them and a client."""

from __future__ import annotations

import glob
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

AS_POSTGRES = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
BIN = (sorted(glob.glob("/usr/lib/postgresql/*/bin")) or [""])[-1]


class Wire:
    """Passes bytes between a client and a server, and counts them."""

    def __init__(self, port: int) -> None:
        self.to_engine = self.from_engine = 0
        self.port = port
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.door.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self.door.accept()
            engine = socket.create_connection(("127.0.0.1", self.port))
            for source, target, counter in [(client, engine, "to_engine"), (engine, client, "from_engine")]:
                threading.Thread(target=self._carry, args=(source, target, counter), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, counter: str) -> None:
        try:
            while piece := source.recv(1 << 20):
                setattr(self, counter, getattr(self, counter) + len(piece))
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def family(process: int) -> list[str]:
    """A process and its children, theirs, and so on."""
    found, waiting = [], [str(process)]
    while waiting:
        each = waiting.pop()
        found.append(each)
        # Any of its threads may have started some.
        for children in glob.glob(f"/proc/{each}/task/*/children"):
            try:
                with open(children) as file:
                    waiting += file.read().split()
            except OSError:
                continue
    return found


def memory_of(process: int) -> int:
    """The memory of a process and its children in bytes; what they share counts once."""
    total = 0
    for each in family(process):
        try:
            with open(f"/proc/{each}/smaps_rollup") as file:
                total += next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
        except (OSError, StopIteration):
            continue
    return total


def processor_time_of(process: int) -> float:
    """The processor time in seconds of a process and its children so far, also of those that have ended."""
    ticks = 0
    for each in family(process):
        try:
            with open(f"/proc/{each}/stat") as file:
                # The name of a program may contain spaces.
                ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


class Server:
    """A server process. Its processor time is known when it has ended, its memory is looked at five times a second."""

    def __init__(self, words: list[str], port: int, environment: dict[str, str] | None = None) -> None:
        self.words, self.port, self.environment = words, port, {**os.environ, **(environment or {})}
        self.cpu, self.memory = 0.0, 0
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._look)

    def __enter__(self) -> Server:
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(self.words, stdout=quiet, stderr=quiet, env=self.environment)
        while not self.answers():
            if self.process.poll() is not None:
                raise SystemExit(f"{self.words[0]} does not start")
            time.sleep(0.1)
        self.wire = Wire(self.port)
        self._watch.start()
        return self

    def answers(self) -> bool:
        """Whether it can be asked."""
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except OSError:
            return False
        return True

    def stop(self) -> None:
        """Asks it to end."""
        self.process.terminate()

    def _look(self) -> None:
        while not self._ended.wait(0.2):
            self.memory = max(self.memory, memory_of(self.process.pid))

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._watch.join()
        self.stop()
        _, _, used = os.wait4(self.process.pid, 0)
        self.cpu = used.ru_utime + used.ru_stime

    def figures(self) -> dict[str, float]:
        """What is known when it has ended."""
        return {
            "CPU server s": self.cpu,
            "memory server MB": self.memory / 1e6,
            "MB from engine": self.wire.from_engine / 1e6,
            "MB to engine": self.wire.to_engine / 1e6,
        }


class Family(Server):
    """A server of several processes that do not wait for each other when they end."""

    def __enter__(self) -> Server:
        # A session of its own can be ended as a whole.
        self.words = ["setsid", *self.words]
        return super().__enter__()

    def __exit__(self, *ending: object) -> None:
        used = processor_time_of(self.process.pid)
        super().__exit__(*ending)
        self.cpu = used

    def stop(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)


class PostgreSQL(Server):
    """With its files in a folder."""

    def __init__(self, folder: str, port: int) -> None:
        settings = ["listen_addresses=127.0.0.1", f"port={port}", "fsync=off", "max_wal_size=8GB", "shared_buffers=1GB", "work_mem=256MB"]
        self.folder, self.data = folder, os.path.join(folder, "data")
        words = [*AS_POSTGRES, *_program("postgres"), "-D", self.data, "-k", folder]
        super().__init__([*words, *(word for it in settings for word in ("-c", it))], port)

    def create(self) -> None:
        """Its first files."""
        os.makedirs(self.folder, exist_ok=True)
        if AS_POSTGRES:
            shutil.chown(self.folder, "postgres")
        words = [*AS_POSTGRES, *_program("initdb"), "--no-sync", "-A", "trust", "-U", "postgres", "-D", self.data]
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)

    def answers(self) -> bool:
        return not subprocess.run([*_program("pg_isready"), "-q", "-h", self.folder, "-p", str(self.port)]).returncode

    def stop(self) -> None:
        words = [*AS_POSTGRES, *_program("pg_ctl"), "-D", self.data, "-m", "fast", "-w", "stop"]
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)

    def execute(self, sql: str) -> None:
        """Runs a statement."""
        words = [*_program("psql"), "-X", "-q", "-h", self.folder, "-p", str(self.port), "-U", "postgres", "-c", sql]
        subprocess.run(words, check=True)


def _program(name: str) -> list[str]:
    return [os.path.join(BIN, name)]


def postgres_version() -> str:
    """What the server says of itself."""
    said = subprocess.run([*_program("postgres"), "--version"], stdout=subprocess.PIPE, text=True, check=True)
    return said.stdout.strip().removeprefix("postgres (").replace(")", "")
