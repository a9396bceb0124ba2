"""What keywords mean: which win, which are refused, how numbers are written."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from conftest import ROLES

import incrowd
from incrowd import hierarchy


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
