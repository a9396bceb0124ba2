"""A release that breaks its promise cannot be had."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import polars as pl
import pyarrow as pa
import pytest
from conftest import LONG, ROLES

import incrowd

ALGORITHMS = ["optimal", "incognito", "samarati", "datafly", "mondrian", "finest", "ncp-cluster"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seed", range(4))
def test_every_release_of_a_random_table_keeps_its_promises(algorithm, seed):
    """Counted here, in plain Python, from the cells alone."""
    draw = random.Random(f"{algorithm} {seed}")
    rows = draw.randint(30, 300)
    table = pl.DataFrame(
        {
            "age": [draw.randint(1, 40) for _ in range(rows)],
            "city": [draw.choice("abcdefgh") for _ in range(rows)],
            "illness": [draw.choice(["flu", "cold", "ache", "burn"]) for _ in range(rows)],
        }
    )
    k, l = draw.randint(2, 8), draw.randint(1, 3)
    try:
        release = incrowd.anonymize(
            table,
            quasi_identifiers=["age", "city"],
            sensitive="illness",
            k=k,
            l=l,
            max_suppressed=0.1,
            algorithm=algorithm,
        )
    except incrowd.NoReleaseError:
        assert k == 8 or l == 3
        return
    cells = release.table.to_dict()
    classes = defaultdict(Counter)
    for age, city, illness in zip(cells["age"], cells["city"], cells["illness"], strict=True):
        classes[age, city][illness] += 1
    assert min(sum(of.values()) for of in classes.values()) >= k
    assert min(len(of) for of in classes.values()) >= l
    assert rows - len(release.table) <= rows / 10
    assert release.outcome.smallest_class == min(sum(of.values()) for of in classes.values())


def release_of_a_changing(table, numbers, **job):
    """The release of a table whose buffer of numbers is turned round while a search goes on that ends only when told to."""
    assert any(numbers.ctypes.data == table[name].chunk(0).buffers()[1].address for name in ("age", "number"))
    stop, changed = incrowd.Stop(), []

    def change(phase, done, total):
        if phase == "search":
            if not changed:
                numbers[:] = numbers[::-1].copy()
            changed.append(phase)
            stop.take_best()

    try:
        return incrowd.anonymize(table, progress=change, stop=stop, **{**LONG, **job})
    finally:
        assert changed


def sharing(frame, name, numbers):
    """The frame as an Arrow table, with a column that shares its memory with an array."""
    return frame.to_arrow().set_column(frame.columns.index(name), name, pa.array(numbers))


def test_cells_that_change_while_the_job_runs_are_published_as_they_were_counted(adult):
    frame = pl.read_csv(adult).select([*LONG["quasi_identifiers"], LONG["sensitive"]])
    ages = frame["age"].to_numpy().copy()
    release = release_of_a_changing(sharing(frame, "age", ages), ages)
    assert ages.tolist() == frame["age"].to_list()[::-1]
    seen = release.verify(original=frame, hierarchies=LONG["hierarchies"])
    assert seen.certificate_holds
    assert seen.is_safe


@pytest.mark.parametrize("job", [{"keep": "number"}, {"memory_limit": "1G"}])
def test_nothing_is_published_if_cells_change_that_are_looked_at_twice(adult, job):
    """Those of columns with more values than are remembered, and all if memory is limited."""
    frame = pl.read_csv(adult).select([*LONG["quasi_identifiers"], LONG["sensitive"]]).with_row_index("number")
    name = job.get("keep", "age")
    numbers = frame[name].to_numpy().copy()
    with pytest.raises(incrowd.CheckError) as raised:
        release_of_a_changing(sharing(frame, name, numbers), numbers, **job)
    assert raised.value.code == "input-changed"


def test_a_job_that_cannot_be_done_returns_nothing(patients):
    with pytest.raises(incrowd.NoReleaseError) as raised:
        incrowd.anonymize(patients, k=7, **ROLES)
    assert raised.value.code
    assert raised.value.hint


def test_an_offer_is_checked_like_any_release(patients):
    negotiation = incrowd.negotiate(patients, quasi_identifiers=["age", "zip"])
    answer = negotiation.ask(k=2, max_levels={"age": 0})
    offer = next(iter(answer.offers.values()))
    forged = incrowd.Offer({**offer.to_dict(), "levels": [0, 0], "rows_suppressed": 0}, answer)
    with pytest.raises(incrowd.NoReleaseError):
        forged.release(others="drop")
    assert offer.release(others="drop").outcome.privacy[0].holds


def test_a_certificate_is_checked_against_the_rows(patients):
    release = incrowd.anonymize(patients, k=2, **ROLES)
    assert release.verify(original=patients).certificate_holds
    other = incrowd.anonymize(patients, k=6, **ROLES)
    seen = incrowd.verify(other.table, certificate=release.certificate)
    assert seen.certificate_holds is False
    forged = release.certificate.to_dict()
    forged["reached"]["smallest_class"] = 6
    assert incrowd.verify(release.table, certificate=forged).certificate_holds is False
    with pytest.raises(incrowd.RequestError) as raised:
        incrowd.verify(release.table, certificate=release.certificate, k=2)
    assert raised.value.code == "certificate-decides"


def test_a_release_written_to_a_file_comes_with_its_certificate(patients, tmp_path):
    files = {"output": tmp_path / "safe.csv", "certificate": tmp_path / "safe.json", "report": tmp_path / "safe.html"}
    release = incrowd.anonymize(patients, k=2, **ROLES, **files)
    assert release.table is None
    assert all(path.stat().st_size > 50 for path in files.values())
    assert incrowd.verify(files["output"], certificate=files["certificate"], original=patients).certificate_holds
    with pytest.raises(incrowd.RequestError):
        release.to_arrow()
    in_memory = incrowd.anonymize(patients, k=2, **ROLES)
    in_memory.save_certificate(tmp_path / "memory.json")
    assert incrowd.verify(in_memory.table, certificate=tmp_path / "memory.json").certificate_holds
    assert (tmp_path / "memory.txt").read_text(encoding="utf-8").startswith("CERTIFICATE")
