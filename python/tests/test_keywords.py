"""What keywords mean: which win, which are refused, how numbers are written."""

from __future__ import annotations

import json
import subprocess
from decimal import Decimal

import pytest
from conftest import ROLES

import incrowd
from incrowd import algorithms, hierarchy


def test_keywords_win_over_the_levels_of_a_job():
    table = incrowd.Table.from_dict({"age": [31, 32, 41, 42], "sex": list("mmff")})
    mine = [["31", "mine"], ["32", "mine"], ["41", "mine"], ["42", "mine"]]
    sexes = [["m", "any"], ["f", "any"]]
    job = incrowd.Job(quasi_identifiers=["age", "sex"], hierarchies={"age": mine, "sex": sexes})
    assert job.anonymize(table, k=4).table["age"] == ["mine"] * 4
    by_rule = job.anonymize(table, k=2, hierarchies={"age": hierarchy.interval(10)}, max_levels=[1, 0])
    assert by_rule.table["age"] == ["[30-39]", "[30-39]", "[40-49]", "[40-49]"]
    # What the keyword does not name stays as the job says it, in this call and in the job.
    assert job.anonymize(table, k=4, hierarchies={"age": hierarchy.interval(100)}).table["sex"] == ["any"] * 4
    assert job.anonymize(table, k=4).table["age"] == ["mine"] * 4
    theirs = [[value, "theirs"] for value in ("31", "32", "41", "42")]
    assert job.anonymize(table, k=4, hierarchies={"age": theirs}).table["age"] == ["theirs"] * 4


def test_an_offer_takes_only_what_was_not_agreed_on(patients, tmp_path):
    negotiation = incrowd.negotiate(patients, quasi_identifiers=["age", "zip"])
    offer = negotiation.ask(k=2).exact
    for agreed in ("k", "l", "t", "privacy", "max_suppressed", "quasi_identifiers", "hierarchies", "metric", "job"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{agreed}'"):
            offer.release(others="drop", **{agreed: 1})
    with pytest.raises(TypeError, match="did you mean 'output'"):
        offer.release(outputs="x.csv")
    release = offer.release(others="drop", output=tmp_path / "safe.csv", progress=False, stop=incrowd.Stop())
    assert release.outcome.privacy[0].holds
    assert (tmp_path / "safe.csv").exists()


def test_a_certificate_is_compared_with_a_job(patients):
    job = incrowd.Job(k=2, **ROLES)
    release = job.anonymize(patients)
    assert incrowd.verify(release.table, certificate=release.certificate, job=job, original=patients).certificate_holds
    other = incrowd.Job(k=3, **ROLES)
    seen = incrowd.verify(release.table, certificate=release.certificate, job=other, original=patients)
    assert seen.certificate_holds is False
    assert "request.privacy" in str(seen.certificate.to_dict()["mismatches"])
    levels = {"age": hierarchy.build(patients, "age", hierarchy.interval(10, 20, 40)), "zip": hierarchy.mask()}
    with_levels = incrowd.Job(k=2, hierarchies=levels, **ROLES)
    release = with_levels.anonymize(patients)
    about = {"certificate": release.certificate, "original": patients}
    assert incrowd.verify(release.table, job=with_levels, **about).certificate_holds
    assert not incrowd.verify(release.table, job=job, **about).certificate_holds


def test_an_algorithm_as_an_object_wins_over_the_settings_of_a_job():
    ages = [31, 32, 41, 42, 43, 44]
    table = incrowd.Table.from_dict({"age": ages, "sex": list("mmffff")})
    about = {"quasi_identifiers": ["age", "sex"], "k": 2}
    job = incrowd.Job(algorithm=algorithms.Mondrian(numbers="mean", relaxed=True), **about)
    assert "-" not in "".join(job.anonymize(table).table["age"])
    of_job = job.anonymize(table).table.to_dict()
    plain = incrowd.anonymize(table, algorithm=algorithms.Mondrian(), **about).table.to_dict()
    assert of_job != plain
    for same in (algorithms.Mondrian(), algorithms.Mondrian(numbers="interval", relaxed=False)):
        assert incrowd.anonymize(table, job=job, algorithm=same).table.to_dict() == plain
    # Another algorithm has none of the settings, rather than being refused for them.
    assert incrowd.anonymize(table, job=job, algorithm=algorithms.Optimal()).outcome.algorithm == "optimal"
    # By its name alone it says nothing of settings, as on the command line; and the job is as it was.
    assert incrowd.anonymize(table, job=job, algorithm="mondrian").table.to_dict() == of_job
    assert incrowd.anonymize(table, job=job, settings={"relaxed": True}).table.to_dict() == of_job


def test_levels_by_name_are_those_of_the_quasi_identifiers_wherever_they_are_named(patients, tmp_path):
    columns = {"quasi_identifiers": ["age", "zip"], "others": "drop"}
    expected = incrowd.anonymize(patients, k=2, max_levels=[4, 0], max_suppressed=6, **columns).levels
    other = incrowd.anonymize(patients, k=2, max_suppressed=6, **columns).levels
    assert expected["zip"] == 0 != other["zip"]
    asked = {"k": 2, "max_suppressed": 6}
    by_name = {"zip": 0, "age": 4}
    text = '[columns]\nquasi_identifiers = ["age", "zip"]\nothers = "drop"\n'
    (tmp_path / "job.toml").write_text(text, encoding="utf-8")
    for job in (tmp_path / "job.toml", incrowd.Job.from_text(text), incrowd.Job(**columns)):
        assert incrowd.anonymize(patients, job=job, max_levels=by_name, **asked).levels == expected
    job = incrowd.Job(max_levels=by_name, **asked)
    assert "max_levels" not in job.to_dict().get("privacy", {})
    assert job.anonymize(patients, **columns).levels == expected
    assert incrowd.Job(max_levels=by_name, **columns).to_dict()["privacy"]["max_levels"] == [4, 0]
    # What is not named is as the job says it; a list says everything.
    job = incrowd.Job(max_levels=[4, 1], **columns, **asked)
    assert job.anonymize(patients, max_levels={"zip": 0}).levels == expected
    job = incrowd.Job(max_levels={"age": 4, "zip": 1}, **columns, **asked)
    assert job.anonymize(patients, max_levels={"zip": 0}).levels == expected
    assert job.anonymize(patients, max_levels=[4, 0]).levels == expected
    with pytest.raises(incrowd.RequestError, match="`zip`") as raised:
        incrowd.anonymize(patients, max_levels={"age": 4}, **columns, **asked)
    assert raised.value.code == "level-count"


def test_keywords_that_contradict_each_other_are_refused(patients, few):
    about = {"quasi_identifiers": "age"}
    wrong = [
        lambda: incrowd.risk(few, population=few, population_size=9000, **about),
        lambda: incrowd.simulate(few, domain=[2], k=2, rows=50),
        lambda: incrowd.simulate(patients, attributes=2, k=2, rows=50),
        lambda: incrowd.simulate(attributes=2, domain=[2], k=2, rows=50),
        lambda: incrowd.simulate(values=3, domain=[2], k=2, rows=50),
        lambda: incrowd.simulate(few, values=3, k=2, **about),
        lambda: incrowd.simulate(domain=[2], whole_rows=True, k=2, rows=50),
        lambda: incrowd.simulate(domain=[2], levels=[1], k=2, rows=50),
        lambda: incrowd.simulate(domain=[2], k=2, rows=50, **about),
        lambda: incrowd.compare(patients, algorithm="optimal", algorithms=["datafly"], k=2, **about),
        lambda: incrowd.study(patients, what="schemes", importance=True, **about),
        lambda: incrowd.study(patients, what="research-value", importance=True, **about),
    ]
    for call in wrong:
        with pytest.raises(incrowd.RequestError) as raised:
            call()
        assert (raised.value.code, bool(raised.value.hint)) == ("argument", True)
    # An algorithm of the job is no contradiction: keywords win.
    job = incrowd.Job(algorithm="optimal", others="drop")
    found = incrowd.compare(patients, job=job, algorithms=["datafly"], k=2, **about)
    assert [run.algorithm for run in found.runs] == ["datafly"]


def test_algorithms_are_compared_by_name_and_as_objects(few):
    about = {"quasi_identifiers": ["age", "sex"], "k": 5, "others": "drop"}

    def runs(chosen, **keywords):
        found = incrowd.compare(few, algorithms=chosen, **about, **keywords).to_dict()["runs"]
        return [{name: run[name] for name in ("algorithm", "reached", "failed")} for run in found]

    def without_time(found):
        return [(run["algorithm"], run["reached"]["metrics"], run["reached"]["classes"]) for run in found]

    by_name = without_time(runs(["optimal", "ncp-cluster"]))
    assert without_time(runs([algorithms.Optimal(), algorithms.NcpCluster()])) == by_name
    assert without_time(runs(algorithms.Optimal())) == by_name[:1]
    apart = without_time(runs(["optimal", "ncp-cluster"], settings={"disjoint": True}))
    assert apart != by_name
    assert without_time(runs(["optimal", algorithms.NcpCluster(disjoint=True)])) == apart
    for differing in (
        [algorithms.NcpCluster(), algorithms.NcpCluster(disjoint=True)],
        [algorithms.Mondrian(numbers="mean"), "ncp-cluster"],
    ):
        with pytest.raises(incrowd.RequestError) as raised:
            runs(differing)
        assert raised.value.code == "argument"
    for wrong in (7, [7], {"optimal"}):
        with pytest.raises(TypeError):
            runs(wrong)


def test_what_is_verified_is_the_table_that_was_given(patients, tmp_path, command_line):
    """With a job, too: its output is judged only if nothing else is given, and its data never."""
    safe, unsafe = tmp_path / "safe.csv", tmp_path / "unsafe.csv"
    safe.write_text("age\n1\n1\n1\n", encoding="utf-8")
    unsafe.write_text("age\n1\n2\n", encoding="utf-8")
    roles = '[columns]\nquasi_identifiers = ["age"]\n[privacy]\nmodels = ["k-anonymity(k=2)"]\n'
    with_output, without = tmp_path / "with.toml", tmp_path / "without.toml"
    with_output.write_text(f'[data]\npath = "{unsafe}"\n{roles}[output]\npath = "{safe}"\n', encoding="utf-8")
    without.write_text(f'[data]\npath = "{unsafe}"\n{roles}', encoding="utf-8")

    def said(*words):
        done = subprocess.run([command_line, "verify", *words, "--json"], capture_output=True, text=True, check=False)
        return json.loads(done.stdout)

    for table, rows, is_safe in ((None, 3, True), (unsafe, 2, False), (safe, 3, True)):
        expected = said(*([] if table is None else [str(table)]), "--job", str(with_output))
        for job in (with_output, incrowd.Job.from_toml(with_output)):
            found = incrowd.verify(table, job=job)
            assert (found.rows, found.is_safe) == (expected["rows"], expected["safe"]) == (rows, is_safe)
    at_hand = incrowd.verify(incrowd.Table.from_dict({"age": [1, 2, 3, 4]}), job=with_output)
    assert (at_hand.rows, at_hand.is_safe) == (4, False)
    assert incrowd.verify(unsafe, job=without).rows == 2
    assert said("--job", str(without))["error"]["code"] == "no-data"
    with pytest.raises(incrowd.RequestError) as raised:
        incrowd.verify(job=without)
    assert raised.value.code == "no-data"


def test_a_certificate_is_saved_over_nothing_but_certificates(patients, tmp_path):
    release = incrowd.anonymize(patients, k=2, **ROLES)
    for name in ("c.txt", "c.TXT"):
        with pytest.raises(incrowd.RequestError) as raised:
            release.save_certificate(tmp_path / name)
        assert raised.value.code == "certificate-name"
    foreign = tmp_path / "notes.txt"
    foreign.write_text("mine", encoding="utf-8")
    with pytest.raises(incrowd.RequestError) as raised:
        release.save_certificate(tmp_path / "notes.json")
    assert (raised.value.code, raised.value.place) == ("certificate-twin", str(foreign))
    assert foreign.read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt"]
    (tmp_path / "empty.txt").touch()
    for _ in range(2):
        release.save_certificate(tmp_path / "empty.json")
        assert (tmp_path / "empty.txt").read_text(encoding="utf-8") == release.certificate_text
    assert json.loads((tmp_path / "empty.json").read_text(encoding="utf-8")) == release.certificate.to_dict()


def test_small_numbers_are_written_without_exponents(patients):
    assert incrowd.Job(t=0.00001).to_dict()["privacy"]["models"] == ["t-closeness(t=0.00001)"]
    assert incrowd.Job(t=Decimal("1E-7")).to_dict()["privacy"]["models"] == ["t-closeness(t=0.0000001)"]
    release = incrowd.anonymize(patients, t=0.00001, **ROLES)
    assert release.outcome.privacy[0].model.startswith("t-closeness(t=0.00001")
    roles = {"quasi_identifiers": "age", "sensitive": "disease"}
    study = incrowd.study(patients, privacy="t-closeness", parameters=[0.00001, Decimal("1E-6"), 1], **roles)
    assert study.to_dict()
    assert incrowd.risk(patients, quasi_identifiers="age", threshold=0.00001).to_dict()


def test_shares_are_those_that_were_typed(monkeypatch):
    asked = []
    run = incrowd._native.run

    def overheard(command, request, *others):
        asked.append(json.loads(request)["options"]["rows_needed"])
        return run(command, request, *others)

    monkeypatch.setattr(incrowd._native, "run", overheard)
    for share in ("29%", 0.29, 0.07, 0.00001):
        incrowd.simulate(domain=[2, 7], k=5, rows=100, rows_needed=share)
    assert asked == ["29%", "29%", "7%", "0.001%"]
    assert incrowd.Job(max_suppressed=0.29).to_dict()["privacy"]["max_suppressed"] == "29%"
    assert incrowd.Job(max_suppressed=0.00001).to_dict()["privacy"]["max_suppressed"] == "0.001%"


def test_every_rule_that_builds_levels_is_understood(patients, adult):
    of_numbers = [hierarchy.interval(10, 20), hierarchy.interval(0.00001, origin=0.5), hierarchy.quantile(4, 2)]
    of_numbers += [hierarchy.log("1-2-5"), hierarchy.order(), hierarchy.suppress(), hierarchy.frequent(2, 1)]
    for rule in of_numbers:
        assert hierarchy.build(patients, "age", rule).height >= 1, rule
    for rule in (hierarchy.mask(), hierarchy.mask(2), hierarchy.prefix(3, 1)):
        assert hierarchy.build(patients, "zip", rule).height >= 2, rule
    assert hierarchy.build(adult, "native-country", hierarchy.countries()).height == 3
    assert hierarchy.build(adult, "education", hierarchy.education()).height >= 2
    days = incrowd.Table.from_dict({"born": ["1980-01-31", "1981-02-28"]})
    assert hierarchy.build(days, "born", hierarchy.date("month", "year")).height == 3
