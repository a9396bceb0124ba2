"""How results look."""

from __future__ import annotations

import re
import xml.dom.minidom
from collections.abc import Mapping

import pyarrow.csv
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
    assert shown.count("&lt;b&gt;</td>") >= 2
    assert "<b></td>" not in shown
    assert "<td>&</td>" not in shown


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


def test_pictures_are_drawn_of_a_stream_that_can_be_read_once(few):
    about = {"quasi_identifiers": ["sex", "race"]}
    stop = incrowd.Stop()
    for command, more in ((incrowd.study, {}), (incrowd.simulate, {"k": 2, "rows": 50, "repeats": 50})):
        found = command(pyarrow.csv.open_csv(few), stop=stop, **about, **more)
        of_file = command(few, **about, **more)
        assert found.to_dict() == of_file.to_dict()
        pictures = {name: picture.svg for name, picture in of_file.plots().items()}
        assert pictures
        stop.now()
        # Whoever stopped the command does not mean its pictures, which come of the same rows.
        assert {name: picture.svg for name, picture in found.plots().items()} == pictures
        assert found.plot().svg in pictures.values()
        stop = incrowd.Stop()


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
    assert isinstance(found, Mapping)
    assert list(found.values()) == [found[name] for name in found]
    assert dict(found.items()) == {**found} == found
    assert (found.get("version"), found.get("other", 7), "version" in found, "other" in found) == (1, 7, True, False)
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


def test_every_field_is_an_attribute_and_a_key(few, patients):
    def look(found, path):
        if isinstance(found, incrowd.Record):
            for name in found:
                # Names of columns, models and the like are fields too, but not of every one can be an attribute.
                if name.isidentifier():
                    assert getattr(found, name) == found[name], (path, name)
                seen.add(name)
                look(found[name], (*path, name))
        elif isinstance(found, list):
            for item in found:
                look(item, path)

    seen = set()
    about = {"quasi_identifiers": ["age", "sex"]}
    release = incrowd.anonymize(patients, k=2, **ROLES)
    for found in (
        release.outcome,
        release.certificate,
        incrowd.hierarchy.build(few, "age").report,
        incrowd.simulate(domain=[2, 3], k=2, rows=50, rows_needed="90%"),
        incrowd.inspect(few),
        incrowd.risk(few, **about),
        incrowd.verify(few, k=2, **about),
        incrowd.advise(few, k=2, **about),
        incrowd.study(few, importance=True, **about),
        incrowd.compare(few, k=5, algorithms="optimal", others="drop", **about),
        incrowd.negotiate(few, **about).ask(k=2).outcome,
    ):
        look(found, (type(found).__name__,))
    assert "values" in seen
