"""The interpreter is free while a job runs; Ctrl-C, other threads and forks do what they should."""

from __future__ import annotations

import copy
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pyarrow as pa
import pytest
from conftest import LONG, ROLES

import incrowd


def test_python_goes_on_while_a_job_runs(adult):
    stop = incrowd.Stop()
    counted = []

    def count():
        end = time.monotonic() + 0.5
        steps = 0
        while time.monotonic() < end:
            steps += 1
        counted.append(steps)
        stop.now()

    alone = threading.Thread(target=count)
    alone.start()
    alone.join()
    stop = incrowd.Stop()
    beside = threading.Thread(target=count)
    beside.start()
    with pytest.raises(incrowd.StoppedError):
        incrowd.anonymize(adult, stop=stop, threads=1, **LONG)
    beside.join()
    assert counted[1] > counted[0] / 20, counted


def test_another_thread_stops_a_job(adult):
    stop = incrowd.Stop()
    threading.Timer(0.3, stop.now).start()
    began = time.monotonic()
    with pytest.raises(incrowd.StoppedError) as raised:
        incrowd.anonymize(adult, stop=stop, **LONG)
    assert raised.value.code == "cancelled"
    assert time.monotonic() - began < 20
    assert stop.is_requested
    # From now on, it stops every job at once.
    with pytest.raises(incrowd.StoppedError):
        incrowd.anonymize(adult, stop=stop, **LONG)


def test_another_thread_asks_for_the_best_so_far(adult):
    stop, is_over = incrowd.Stop(), threading.Event()

    def ask():
        while not is_over.wait(0.02):
            stop.take_best()

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        release = incrowd.anonymize(adult, stop=stop, **LONG)
    finally:
        is_over.set()
        asking.join()
    assert release.outcome.privacy[0].holds


INTERRUPTED = """
import sys, threading, _thread, time, incrowd
threading.Timer(float(sys.argv[2]), _thread.interrupt_main).start()
began = time.monotonic()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - began < 20)
# The interpreter and the library are as they were.
table = incrowd.Table.from_dict({{"a": [1, 1]}})
print(incrowd.risk(table, quasi_identifiers="a").classes)
"""


@pytest.mark.parametrize("how", ["signal", "thread"])
def test_control_c_stops_a_job(adult, how):
    call = "incrowd.anonymize(sys.argv[1], progress=lambda *at: print('at', flush=True), **" + repr(LONG) + ")"
    script = INTERRUPTED.format(call=call)
    wait = "1" if how == "thread" else "60"
    if how == "signal":
        script = script.replace("threading.Timer(float(sys.argv[2]), _thread.interrupt_main).start()", "")
    running = subprocess.Popen([sys.executable, "-c", script, str(adult), wait], stdout=subprocess.PIPE, text=True)
    if how == "signal":
        assert running.stdout.readline() == "at\n"
        running.send_signal(signal.SIGINT)
    output, _ = running.communicate(timeout=60)
    lines = [line for line in output.splitlines() if line != "at"]
    assert lines == ["interrupted True", "1"]
    assert running.returncode == 0


PRODUCED = """
import time, pyarrow as pa
def batches():
    while True:
        yield pa.record_batch({{"a": [1, 2]}})
        print("at\\n", end="", flush=True)  # in one go: Ctrl-C may come between two writes
        {wait}
endless = pa.RecordBatchReader.from_batches(pa.schema({{"a": pa.int64()}}), batches())
"""


@pytest.mark.parametrize(
    "query",
    [
        "SELECT i % 7 AS a, sum(hash(i * j)) AS b FROM range(10000000) t(i), range(10000000) u(j) GROUP BY 1",
        "SELECT i AS a FROM range(10000000) t(i), range(10000000) u(j) WHERE hash(i * j) % 1000000007 = 5",
    ],
    ids=["before its first row", "between rows"],
)
def test_control_c_stops_a_query_of_duckdb(query):
    """Which takes days, and whose connection can be used afterwards."""
    begin = "import duckdb\nconnection = duckdb.connect()\nconnection.execute('SET enable_progress_bar = false')\n"
    begin += f"endless = connection.sql({query!r})\n"
    script = (
        begin + INTERRUPTED.format(call="incrowd.inspect(endless)") + "print(connection.sql('SELECT 2').fetchall())"
    )
    running = subprocess.run(
        [sys.executable, "-c", script, "", "2"], capture_output=True, text=True, timeout=120, check=False
    )
    assert running.stdout.splitlines() == ["interrupted True", "1", "[(2,)]"], running.stderr
    assert running.returncode == 0


def test_another_thread_stops_a_query_of_duckdb():
    import duckdb

    stop = incrowd.Stop()
    timer = threading.Timer(1, stop.now)
    timer.start()
    endless = duckdb.connect().sql(
        "SELECT i AS a FROM range(10000000) t(i), range(10000000) u(j) WHERE hash(i * j) % 1000000007 = 5"
    )
    with pytest.raises(incrowd.StoppedError) as error:
        incrowd.inspect(endless, stop=stop)
    timer.join()
    assert error.value.code == "cancelled"


@pytest.mark.parametrize("wait", ["time.sleep(0.01)", "time.sleep(1000)", "pass"])
def test_control_c_stops_a_table_that_is_handed_over(wait):
    """Rows that never end, from a producer that waits, and from one that is always at work."""
    script = PRODUCED.format(wait=wait) + INTERRUPTED.format(call="incrowd.inspect(endless)")
    script = script.replace("threading.Timer(float(sys.argv[2]), _thread.interrupt_main).start()", "")
    running = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout.readline() == "at\n"
    running.send_signal(signal.SIGINT)
    output, complaints = running.communicate(timeout=60)
    lines = [line for line in output.splitlines() if line not in ("at", "")]
    assert lines == ["interrupted True", "1"], complaints
    assert running.returncode == 0


def test_another_thread_stops_a_table_that_is_handed_over():
    stop, began = incrowd.Stop(), threading.Event()

    def batches():
        while True:
            yield pa.record_batch({"a": [1, 2]})
            began.set()
            time.sleep(0.01)

    def stop_it():
        began.wait()
        stop.now()

    threading.Thread(target=stop_it, daemon=True).start()
    endless = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    # If nobody looked, the rows would never end, and the limit of all tests would tell.
    with pytest.raises(incrowd.StoppedError) as raised:
        incrowd.inspect(endless, stop=stop)
    assert raised.value.code == "cancelled"


def test_a_producer_bound_to_its_thread_is_read_on_it():
    import sqlite3

    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE t (a)")
        database.executemany("INSERT INTO t VALUES (?)", [(1,), (2,), (2,)])
        rows = database.execute("SELECT a FROM t")
        batches = (pa.record_batch({"a": list(row)}) for row in rows)
        reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches)
        assert incrowd.risk(reader, quasi_identifiers="a").classes == 2


def test_a_progress_function_that_raises_stops_the_job(adult):
    def raise_it(phase, done, total):
        raise LookupError(phase)

    with pytest.raises(LookupError):
        incrowd.anonymize(adult, progress=raise_it, **LONG)


def test_progress_is_told(adult):
    stop = incrowd.Stop()
    told = []

    def tell(phase, done, total):
        told.append((phase, done, total))
        if phase == "search":
            stop.now()

    with pytest.raises(incrowd.StoppedError):
        incrowd.anonymize(adult, progress=tell, stop=stop, **LONG)
    phases = [phase for phase, _, _ in told]
    assert phases[-1] == "search"
    assert set(phases) <= {"read", "search"}
    assert all(isinstance(done, int) for _, done, _ in told)


def test_progress_is_shown_by_tqdm(adult, capfd):
    stop = incrowd.Stop()
    shown = []

    def wait_for_it():
        while "searching" not in "".join(shown):
            time.sleep(0.05)
            shown.append(capfd.readouterr().err)
        stop.now()

    # If it is never shown, the search never ends, and the limit of all tests tells.
    threading.Thread(target=wait_for_it, daemon=True).start()
    with pytest.raises(incrowd.StoppedError):
        incrowd.anonymize(adult, progress=True, stop=stop, **LONG)


def test_many_threads_at_once_get_what_one_gets(few, hierarchies):
    table = pl.read_csv(few)
    wanted = {"quasi_identifiers": ["age", "sex", "race"], "others": "drop", "hierarchies": hierarchies}

    def job(k):
        return incrowd.anonymize(table, k=k, threads=2, **wanted).table.to_dict()

    alone = {k: job(k) for k in range(2, 10)}
    with ThreadPoolExecutor(16) as pool:
        together = list(pool.map(job, [2 + at % 8 for at in range(64)]))
    assert all(found == alone[2 + at % 8] for at, found in enumerate(together))


def test_many_threads_ask_one_negotiation(few, hierarchies):
    negotiation = incrowd.negotiate(few, quasi_identifiers=["age", "sex", "race"], hierarchies=hierarchies)

    def ask(k):
        said = negotiation.ask(k=k, max_suppressed="1%").outcome.to_dict()
        return {name: value for name, value in said.items() if name != "seconds"}

    alone = {k: ask(k) for k in range(2, 30)}
    with ThreadPoolExecutor(16) as pool:
        assert all(
            found == alone[2 + at % 28] for at, found in enumerate(pool.map(ask, [2 + at % 28 for at in range(500)]))
        )


def test_stopping_one_question_stops_no_other(adult):
    """Two that never end, about one negotiation: the second goes on after the first was stopped."""
    keywords = {name: LONG[name] for name in ("quasi_identifiers", "sensitive", "hierarchies", "work_limit")}
    negotiation = incrowd.negotiate(adult, how="lazy", **keywords)
    stops = [incrowd.Stop(), incrowd.Stop()]
    told = [threading.Event(), threading.Event()]

    def ask(at):
        negotiation.ask(
            t=0.3,
            max_suppressed="30%",
            metric="ncp",
            stop=stops[at],
            progress=lambda *_: told[at].set(),
        )

    with ThreadPoolExecutor(2) as pool:
        try:
            asked = [pool.submit(ask, at) for at in range(2)]
            assert all(event.wait(250) for event in told)
            stops[0].now()
            with pytest.raises(incrowd.StoppedError):
                asked[0].result()
            for _ in range(3):
                told[1].clear()
                assert told[1].wait(60), "the other one does not go on"
            assert not asked[1].done()
        finally:
            [stop.now() for stop in stops]
        with pytest.raises(incrowd.StoppedError):
            asked[1].result()
    # And the negotiation goes on.
    assert incrowd.negotiate(adult, quasi_identifiers=["sex"]).ask(k=2).is_exact


def test_an_answer_that_was_stopped_does_not_end_the_negotiation(adult):
    columns = LONG["quasi_identifiers"]
    negotiation = incrowd.negotiate(adult, quasi_identifiers=columns, how="lazy")
    stop = incrowd.Stop()
    stop.now()
    with pytest.raises(incrowd.StoppedError):
        negotiation.ask(k=5, stop=stop)
    small = incrowd.negotiate(adult, quasi_identifiers=columns[:2])
    with pytest.raises(incrowd.StoppedError):
        small.ask(k=5, stop=stop)
    assert small.ask(k=5).offers


def _job(answers):
    table = incrowd.Table.from_dict({"age": [1, 1, 2, 2], "d": list("abcd")})
    answers.put(incrowd.anonymize(table, quasi_identifiers="age", sensitive="d", k=2).table["age"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_after_use_works(patients, adult):
    incrowd.anonymize(patients, k=2, **ROLES)
    incrowd.inspect(adult, threads=4)
    fork = multiprocessing.get_context("fork")
    answers = fork.Queue()
    children = [fork.Process(target=_job, args=(answers,)) for _ in range(3)]
    for child in children:
        child.start()
    assert [answers.get(timeout=60) for _ in children] == [["1", "1", "2", "2"]] * 3
    for child in children:
        child.join(60)
        assert child.exitcode == 0
    # And the parent goes on.
    assert incrowd.anonymize(patients, k=2, **ROLES).rows_suppressed == 0


def test_results_can_be_sent_to_other_processes(patients):
    import pickle

    release = incrowd.anonymize(patients, k=2, **ROLES)
    assert pickle.loads(pickle.dumps(release.outcome)) == release.outcome
    about = {"quasi_identifiers": ["age", "zip"]}
    study = incrowd.study(patients, parameters=[2], **about)
    for found in (
        release.verify(),
        incrowd.risk(patients, **about),
        incrowd.inspect(patients),
        incrowd.explain("k-anonymity"),
        incrowd.compare(patients, k=2, algorithms="optimal", others="drop", **about),
        incrowd.advise(patients, k=2, **about),
        study,
    ):
        again = pickle.loads(pickle.dumps(found))
        assert (type(again), again) == (type(found), found)
        assert again._repr_html_() == found._repr_html_()
        assert type(copy.copy(found)) is type(copy.deepcopy(found)) is type(found)
        assert copy.deepcopy(found) == found
    assert pickle.loads(pickle.dumps(release.verify())).is_safe
    compared = incrowd.compare(patients, k=2, algorithms="optimal", others="drop", **about)
    assert pickle.loads(pickle.dumps(compared)).plot().svg == compared.plot().svg
    # A study is drawn from its table, which is not sent.
    with pytest.raises(incrowd.RequestError) as raised:
        pickle.loads(pickle.dumps(study)).plot()
    assert raised.value.code == "no-table"
    assert study.plot().svg == pickle.loads(pickle.dumps(study)).plot().svg
    offer = incrowd.negotiate(patients, **about).ask(k=2).exact
    assert pickle.loads(pickle.dumps(offer)) == offer
    assert copy.deepcopy(offer).release(others="drop").rows_suppressed == 0
    error = incrowd.RequestError("code", "message", "hint", "place")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.code, again.hint, again.place) == (incrowd.RequestError, "code", "hint", "place")
    error = incrowd.FileError("code", "message", "hint", "place")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.code, again.hint, again.place) == (incrowd.FileError, "code", "hint", "place")
