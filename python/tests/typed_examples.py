"""Examples that type checkers read, in their strictest mode; a test runs them, too."""

from __future__ import annotations

import incrowd


def patients() -> incrowd.Table:
    """A small table."""
    return incrowd.Table.from_dict({"age": [34, 36, 61, 64], "disease": ["asthma", "flu", "diabetes", "flu"]})


def make() -> incrowd.Release:
    """A release by keywords, with a typed model and algorithm."""
    release = incrowd.anonymize(
        patients(),
        quasi_identifiers=["age"],
        sensitive="disease",
        privacy=[incrowd.KAnonymity(2), incrowd.DistinctLDiversity(2)],
        algorithm=incrowd.algorithms.Optimal(),
        metric=incrowd.metrics.Ncp(),
        max_suppressed="1%",
        progress=False,
    )
    loss: float = release.loss
    levels: dict[str, int] | None = release.levels
    assert loss >= 0
    assert levels is not None
    return release


def check(release: incrowd.Release) -> bool:
    """A verdict."""
    seen = release.verify(original=patients())
    return seen.is_safe is True and seen.certificate_holds is True


def ask() -> list[int]:
    """Answers of a negotiation."""
    negotiation = incrowd.negotiate(patients(), quasi_identifiers="age")
    answers = [negotiation.ask(k=k, max_suppressed=0.1, max_levels={"age": 2}) for k in (1, 2)]
    return [len(answer.offers) for answer in answers]


def look() -> tuple[str | None, float, int]:
    """What can be asked of a table besides a release of it."""
    table = patients()
    best: str | None = incrowd.advise(table, quasi_identifiers="age", k=2, quality="good", use="any").best
    study: incrowd.Study = incrowd.study(table, quasi_identifiers=["age"], parameters=[2, 3], importance=True)
    pictures: dict[str, incrowd.Picture] = study.plots()
    chosen: list[str | incrowd.Algorithm] = ["optimal", incrowd.algorithms.Mondrian(numbers="interval")]
    compared: incrowd.Comparison = incrowd.compare(
        table, quasi_identifiers="age", others="drop", k=2, algorithms=chosen
    )
    judged: incrowd.Evaluation = incrowd.evaluate(table, make(), quasi_identifiers="age", target="disease", folds=2)
    simulated = incrowd.simulate(domain=[2, 7], k=5, rows=100, rows_needed=0.95, seed=1)
    share: float = simulated["share"]
    levels: incrowd.Hierarchy = incrowd.hierarchy.build(table, "age", incrowd.hierarchy.interval(10, 20))
    explained: incrowd.Explanation = incrowd.explain("k-anonymity")
    assert str(explained).startswith("k-anonymity")
    assert compared.plot().svg.startswith("<svg")
    assert judged.to_json()
    assert pictures
    return best, share, levels.height


def fail() -> str:
    """The code of an error."""
    try:
        incrowd.anonymize(patients(), quasi_identifiers="agee", k=2)
    except incrowd.IncrowdError as error:
        return error.code
    return ""


def run_all() -> None:
    """Everything above."""
    assert check(make())
    assert ask() == [1, 1]
    assert fail() == "unknown-column"
    assert look() == ("mondrian", 0.95, 3)
    job = incrowd.Job(quasi_identifiers="age", k=2, others="drop")
    assert job.anonymize(patients()).rows_suppressed == 0
    assert incrowd.risk(patients(), quasi_identifiers="age").is_within_gates
    picture: incrowd.Picture = make().plot("age")
    assert picture.svg.startswith("<svg")
