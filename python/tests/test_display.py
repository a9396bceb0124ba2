"""How results look."""

from __future__ import annotations

import re
import xml.dom.minidom

import typed_examples
from conftest import ROLES

import incrowd


def test_typed_examples_run():
    typed_examples.run_all()


def test_a_release_shows_promise_loss_risk_and_rows(patients):
    release = incrowd.anonymize(patients, k=2, **ROLES)
    text = repr(release)
    for word in ("promise:", "k-anonymity(k=2): kept", "loss:", "risk:", "4501*"):
        assert word in text
    html = release._repr_html_()
    assert "<svg" in html
    assert "k-anonymity(k=2): kept" in html
    assert "Alva" not in html


def test_names_and_cells_are_escaped_in_html():
    name = "<script>alert(1)</script>"
    table = incrowd.Table.from_dict({name: ["<b>", "<b>"], "other": ["&", "&"]})
    release = incrowd.anonymize(table, quasi_identifiers=[name], sensitive="other", k=2)
    shown = release._repr_html_() + release.table._repr_html_()
    shown += (
        incrowd.inspect(table)._repr_html_() + incrowd.negotiate(table, quasi_identifiers=[name], k=2)._repr_html_()
    )
    shown += incrowd.compare(table, quasi_identifiers=[name], k=2, algorithms="optimal", others="drop")._repr_html_()
    assert "<script" not in shown
    assert "<b>&" not in shown.replace("&amp;", "&").replace("<b>columns", "")


def test_pictures_are_svg(patients, few, hierarchies):
    release = incrowd.anonymize(patients, k=2, **ROLES)
    negotiation = incrowd.negotiate(patients, quasi_identifiers=["age", "zip"])
    answer = negotiation.ask(k=2)
    about = {"quasi_identifiers": ["age", "sex"], "hierarchies": hierarchies}
    study = incrowd.study(few, **about)
    pictures = [
        release.plot(),
        release.plot("age"),
        answer.plot("curve"),
        answer.plot("lattice"),
        negotiation.plot("curve", k=3),
        *study.plots().values(),
        incrowd.compare(few, k=5, algorithms=["optimal", "datafly"], others="drop", **about).plot(),
        incrowd.simulate(domain=[2, 3], k=2, rows=50).plot(),
    ]
    assert len(pictures) > 9
    for picture in pictures:
        xml.dom.minidom.parseString(picture.svg)
        assert not re.search(r"<script|https?://(?!www\.w3\.org)", picture.svg)
    assert "curve" in str(list(study.plots()))


def test_a_negotiation_shows_the_lattice_and_the_curve(patients):
    negotiation = incrowd.negotiate(patients, quasi_identifiers=["age", "zip"])
    assert "<svg" not in negotiation._repr_html_()
    negotiation.ask(k=2)
    assert negotiation._repr_html_().count("<svg") == 2
    assert "6 rows" in repr(negotiation)


def test_every_result_shows_itself(patients, few):
    roles = {"quasi_identifiers": ["age", "sex"]}
    for found in (
        incrowd.inspect(few),
        incrowd.risk(few, **roles),
        incrowd.verify(few, k=2, **roles),
        incrowd.advise(few, k=2, **roles),
        incrowd.simulate(domain=[2, 3], k=2, rows=50),
        incrowd.explain("models"),
        incrowd.evaluate(few, target="salary-class", columns=["age"], folds=2),
        incrowd.hierarchy.build(few, "age"),
        incrowd.negotiate(few, **roles).ask(k=2),
    ):
        assert len(repr(found)) > 20
        assert found._repr_html_().count("<") > 5


def test_results_are_objects_and_mappings():
    found = incrowd.explain("k-anonymity")
    assert found.entries[0].name == found["entries"][0]["name"] == "k-anonymity"
    assert "entries" in dir(found)
    assert found.to_dict() == dict(found) == found
    for change in ("version", "other"):
        try:
            setattr(found, change, 2)
        except AttributeError:
            continue
        raise AssertionError("results can be changed")
    try:
        getattr(found, "entris")  # noqa: B009
    except AttributeError as error:
        assert "entries" in str(error)
