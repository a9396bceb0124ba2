"""One job through the command line and through Python: one outcome, and the same cells."""

from __future__ import annotations

import csv
import itertools
import json
import subprocess
from pathlib import Path

import pyarrow.csv
import pytest

import incrowd
from incrowd import algorithms, metrics, models
from incrowd._hints import in_python

SHORT = {"quasi_identifiers": "-q", "sensitive": "-s", "k": "-k", "l": "-l", "t": "-t"}
FLAGS = {"properties": "--property", "rules": "--rule", "gates": "--gate", "tries": "--try", "privacy": "--privacy"}
"""Keywords that are flags of another name. These repeat rather than list their values."""
REPEATED = ("properties", "rules", "gates", "privacy", "hierarchies", "weights", "level_values")
TIMING = {"seconds", "seconds_read", "peak_memory_bytes", "output", "path", "plots"}


def arguments(keywords: dict) -> list[str]:
    """Keywords as flags."""
    flags: list[str] = []
    for name, value in keywords.items():
        flag = SHORT.get(name) or FLAGS.get(name) or "--" + name.replace("_", "-")
        if isinstance(value, incrowd.Algorithm):
            flags += ["--algorithm", value.name, *arguments(value.settings())]
        elif name == "settings":
            flags += arguments(value)
        elif name == "what":
            flags += [f"--{value}"]
        elif name == "may_suppress":
            flags += [flag, "yes" if value else "no"]
        elif isinstance(value, bool):
            flags += [flag] if value else []
        elif isinstance(value, dict):
            one = {"hierarchies": "--hierarchy", "weights": "--weight"}.get(name, flag)
            for key, item in value.items():
                text = "/".join(str(it) for it in item) if isinstance(item, list) else str(item)
                flags += [one, f"{key}={text}"]
        elif isinstance(value, list | tuple) and name in REPEATED:
            flags += [part for item in value for part in (flag, str(item))]
        elif isinstance(value, list | tuple):
            flags += [flag, ",".join(str(item) for item in value)]
        else:
            flags += [flag, str(value)]
    return flags


def plain(found: object) -> object:
    """All that is said, but for what time and place add."""
    if isinstance(found, dict):
        return {name: plain(value) for name, value in found.items() if name not in TIMING}
    if isinstance(found, list):
        return [plain(item) for item in found]
    return found


def in_order(found: object) -> str:
    """As text, so that the order of fields counts, on which the first metric depends."""
    return json.dumps(found, indent=1)


Q3 = ["age", "sex", "race"]
Q4 = ["age", "sex", "race", "marital-status"]
BASE = {"quasi_identifiers": Q3, "sensitive": ["salary-class"], "others": "drop"}
K5 = {**BASE, "k": 5, "max_suppressed": "2%"}
RESEARCH = {
    "quasi_identifiers": ["age", "education-num", "sex"],
    "target": ["salary-class"],
    "others": "drop",
    "k": 5,
    "max_suppressed": "5%",
    "rules": ["age: 27|28 = 25", "sex: Male != Female = 5"],
}

ANONYMIZE: dict[str, dict] = {
    # Every algorithm.
    "optimal": {**K5, "algorithm": algorithms.Optimal()},
    "samarati": {**K5, "algorithm": algorithms.Samarati()},
    "incognito": {**K5, "algorithm": algorithms.Incognito()},
    "datafly": {**K5, "algorithm": algorithms.Datafly()},
    "mu-argus": {**K5, "algorithm": algorithms.MuArgus()},
    "bottom-up": {**K5, "target": ["salary-class"], "sensitive": ["occupation"], "algorithm": "bottom-up"},
    "top-down": {**K5, "target": ["salary-class"], "sensitive": ["occupation"], "algorithm": "top-down"},
    "partition": {**K5, "quasi_identifiers": ["sex", "race"], "algorithm": algorithms.Partition()},
    "mondrian": {**K5, "algorithm": algorithms.Mondrian()},
    "mondrian-infogain": {
        **K5,
        "target": ["salary-class"],
        "sensitive": ["occupation"],
        "algorithm": "mondrian-infogain",
    },
    "mondrian-lsd": {**K5, "target": ["hours-per-week"], "algorithm": algorithms.MondrianLsd()},
    "finest": {**K5, "algorithm": algorithms.Finest()},
    "ncp-cluster": {**K5, "algorithm": algorithms.NcpCluster()},
    "euclidean-cluster": {**K5, "algorithm": algorithms.EuclideanCluster()},
    "rv-cluster": {**RESEARCH, "algorithm": "rv-cluster"},
    "rv-cluster-suppress": {**RESEARCH, "algorithm": "rv-cluster-suppress"},
    "rv-global": {**RESEARCH, "metric": "research-value", "algorithm": "rv-global"},
    "rv-local": {**RESEARCH, "metric": "research-value", "algorithm": "rv-local"},
    "rv-hybrid": {**RESEARCH, "metric": "research-value", "algorithm": algorithms.RvHybrid(strings=3)},
    "rv-distributed": {**RESEARCH, "metric": "research-value", "algorithm": "rv-distributed"},
    "auto": {**K5, "algorithm": "auto"},
    # Settings of algorithms, and kinds of recoding.
    "mondrian relaxed, means": {**K5, "algorithm": algorithms.Mondrian(numbers="mean", relaxed=True)},
    "mondrian medians": {**K5, "algorithm": algorithms.Mondrian(numbers="median")},
    "clusters that do not overlap": {**K5, "algorithm": algorithms.NcpCluster(disjoint=True)},
    "partition by scheme": {
        **K5,
        "quasi_identifiers": ["education-num", "sex"],
        "algorithm": algorithms.Partition(scheme=["ops"], search="top-down"),
    },
    # Every model.
    "k and l": {**BASE, "k": 4, "l": 2, "max_suppressed": "5%"},
    "t-closeness": {**BASE, "t": 0.3, "max_suppressed": 50},
    "entropy-l": {**BASE, "privacy": [models.EntropyLDiversity(1.5)], "max_suppressed": "20%"},
    "recursive-cl": {**BASE, "privacy": [models.RecursiveClDiversity(4, 2)], "max_suppressed": "20%"},
    "frequency-l": {**BASE, "privacy": [models.FrequencyLDiversity(1.2)], "max_suppressed": "20%"},
    "alpha-k": {**BASE, "privacy": [models.AlphaKAnonymity(0.9, 3)], "max_suppressed": "20%"},
    "p-sensitive-k": {**BASE, "privacy": [models.PSensitiveKAnonymity(2, 4)], "max_suppressed": "20%"},
    "t-closeness by column": {
        **BASE,
        "privacy": [models.TCloseness(0.4, column="salary-class")],
        "max_suppressed": "9%",
    },
    "t-closeness of ordered values": {
        **BASE,
        "sensitive": ["hours-per-week"],
        "privacy": [models.TCloseness(0.25, distance="ordered")],
        "max_suppressed": "9%",
    },
    "delta-disclosure": {**BASE, "privacy": [models.DeltaDisclosure(2)], "max_suppressed": "20%"},
    "beta-likeness": {**BASE, "privacy": [models.BetaLikeness(2, kind="enhanced")], "max_suppressed": "20%"},
    "k-map": {**BASE, "privacy": [models.KMap(9)], "population": "TABLE"},
    "delta-presence": {**BASE, "privacy": [models.DeltaPresence(1)], "population": "TABLE"},
    "average-risk": {**BASE, "privacy": [models.AverageRisk(0.05)], "max_suppressed": "5%"},
    "sample-uniqueness": {**BASE, "privacy": [models.SampleUniqueness(0.01)], "max_suppressed": "5%"},
    "two models": {**BASE, "privacy": [models.KAnonymity(5), models.DistinctLDiversity(2)], "max_suppressed": "5%"},
    # Every metric.
    **{
        f"by {metric.name}": {**K5, "metric": metric}
        for metric in (
            metrics.Loss(aggregate="sum"),
            metrics.Discernibility(),
            metrics.Hdm(),
            metrics.DmStar(),
            metrics.AverageClassSize(),
            metrics.NonUniformEntropy(),
            metrics.Precision(weights={"age": 2, "sex": 1, "race": 1}),
            metrics.Height(),
            metrics.Ncp(),
            metrics.Ambiguity(),
            metrics.KlDivergence(),
            metrics.QueryError(queries=20),
        )
    },
    "by classification-metric": {
        **K5,
        "sensitive": ["occupation"],
        "target": ["salary-class"],
        "metric": metrics.ClassificationMetric(),
    },
    "by research-value": {
        **RESEARCH,
        "metric": "research-value",
        "weights": {"age": 0.5, "sex": 0.25, "education-num": 0.25},
    },
    # What else can be said.
    "rules for levels": {**K5, "hierarchies": {"age": "interval:5,10,20@17", "race": "frequent:2,1"}},
    "levels bounded": {**K5, "max_levels": [4, 1, 1], "max_suppressed": "30%"},
    "suppressed rows as stars": {**K5, "suppressed": "star"},
    "shuffled": {**K5, "shuffle": True, "seed": 7},
    "missing cells excluded": {**K5, "missing_tokens": ["Black"], "missing_cells": "exclude-row"},
    "missing cells match any": {**K5, "missing_tokens": ["Black"], "missing_cells": "match-any"},
    "a sample": {**K5, "sample": 3},
    "limited work": {**K5, "quasi_identifiers": Q4, "work_limit": "10k"},
    "one thread, little memory": {**K5, "threads": 1, "memory_limit": "1M"},
    "kept columns": {**K5, "keep": ["relationship"]},
}

OTHERS: dict[str, tuple[str, dict]] = {
    "inspect": ("inspect", {}),
    "inspect with roles": ("inspect", {"quasi_identifiers": Q3, "sensitive": ["salary-class"]}),
    "verify a raw table": ("verify", {"quasi_identifiers": Q3, "k": 2}),
    "measure all models": ("verify", {"quasi_identifiers": Q3, "sensitive": ["salary-class"]}),
    "negotiate": ("negotiate", {"quasi_identifiers": Q3, "k": 10, "max_suppressed": "1%", "max_levels": [1, 0, 0]}),
    "negotiate lazily": ("negotiate", {"quasi_identifiers": Q3, "k": 10, "how": "lazy"}),
    "negotiate l": ("negotiate", {"quasi_identifiers": Q3, "sensitive": ["salary-class"], "l": 2, "metric": "ncp"}),
    "study": ("study", {"quasi_identifiers": Q3, "importance": True}),
    "study parameters": ("study", {"quasi_identifiers": Q3, "parameters": [2, 7], "max_suppressed": "2%"}),
    "study what survives": (
        "study",
        {
            "quasi_identifiers": ["age", "education-num", "salary-class"],
            "target": ["salary-class"],
            "rules": ["age: 27|28 = 25"],
            "parameters": [3],
            "what": "research-value",
        },
    ),
    "study schemes": (
        "study",
        {"quasi_identifiers": ["sex", "race"], "parameters": [2, 5], "what": "schemes"},
    ),
    "compare": ("compare", {**K5, "algorithms": ["optimal", "datafly", "mondrian", "samarati"]}),
    "compare where some fail": ("compare", {**BASE, "k": 300, "algorithms": ["optimal", "datafly", "mondrian"]}),
    "evaluate a job": ("evaluate", {"quasi_identifiers": Q3, "target": ["salary-class"], "k": 5, "folds": 2}),
    "evaluate the raw table": (
        "evaluate",
        {"target": ["salary-class"], "columns": ["age", "education-num", "sex"], "partitioning": 2, "folds": 2},
    ),
    "risk": ("risk", {"quasi_identifiers": Q3, "sensitive": ["salary-class"], "threshold": 0.1}),
    "risk in a population": ("risk", {"quasi_identifiers": Q3, "population_size": 300_000}),
    "risk with gates": ("risk", {"quasi_identifiers": Q3, "gates": ["highest<=0.2", "uniques<=0.5"]}),
    "risk by register": ("risk", {"quasi_identifiers": Q3, "population": "TABLE"}),
    "advise": ("advise", {"quasi_identifiers": Q3, "k": 5}),
    "advise an expert": (
        "advise",
        {
            "quasi_identifiers": Q3,
            "k": 5,
            "use": "any",
            "quality": "optimal",
            "may_suppress": True,
            "properties": ["overlap=no"],
        },
    ),
    "simulate columns": ("simulate", {"domain": [2, 7, 16], "k": 5, "rows_needed": "95%", "rows": 3000}),
    "simulate attributes": ("simulate", {"attributes": 4, "values": 3, "k": 3, "rows": 900, "repeats": 60, "seed": 3}),
    "simulate a table": ("simulate", {"quasi_identifiers": ["sex", "race"], "k": 2, "whole_rows": True, "repeats": 50}),
    "explain": ("explain", {"name": "t-closeness"}),
    "explain everything": ("explain", {"name": None}),
}
WITHOUT_TABLE = ("simulate columns", "simulate attributes", "explain", "explain everything")


def said(command_line: str, *words: str) -> tuple[int, dict]:
    done = subprocess.run([command_line, *words, "--json"], capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_the_list_is_long_enough_and_names_everything():
    assert len(ANONYMIZE) + len(OTHERS) >= 60
    registry = json.loads(incrowd._native.registry())
    named = {"models": set(), "metrics": set(), "algorithms": set()}
    for keywords in ANONYMIZE.values():
        flags = arguments(keywords)
        for flag, value in itertools.pairwise(flags):
            family = {"--privacy": "models", "--metric": "metrics", "--algorithm": "algorithms"}.get(flag)
            if family is not None:
                named[family].add(value.partition("(")[0])
            elif flag in ("-k", "-l", "-t"):
                named["models"].add({"-k": "k-anonymity", "-l": "distinct-l-diversity", "-t": "t-closeness"}[flag])
    for family, entries in registry.items():
        assert {entry["name"] for entry in entries} - named[family] == set(), family


@pytest.mark.parametrize("name", ANONYMIZE)
def test_releases_are_the_same(name, command_line, few, tmp_path: Path):
    keywords = {key: str(few) if value == "TABLE" else value for key, value in ANONYMIZE[name].items()}
    output = tmp_path / "out.csv"
    code, expected = said(command_line, "anonymize", str(few), *arguments(keywords), "-o", str(output))
    assert code == 0, expected
    release = incrowd.anonymize(few, **keywords)
    assert in_order(plain(release.outcome.to_dict())) == in_order(plain(expected))
    with open(output, encoding="utf-8", newline="") as file:
        heads, *rows = csv.reader(file)
    shown = [[cell or "" for cell in row.values()] for row in release.table.head(10**6)]
    assert release.table.column_names == heads
    assert shown == rows
    # The same from a table in memory.
    table = pyarrow.csv.read_csv(few)
    again = incrowd.anonymize(table, **keywords)
    assert plain(again.outcome.to_dict()) == plain(expected)
    assert [[cell or "" for cell in row.values()] for row in again.table.head(10**6)] == rows


@pytest.mark.parametrize("name", OTHERS)
def test_other_commands_say_the_same(name, command_line, few):
    command, keywords = OTHERS[name]
    keywords = {key: str(few) if value == "TABLE" else value for key, value in keywords.items()}
    data = [] if name in WITHOUT_TABLE else [str(few)]
    if command == "explain":
        words = [] if keywords["name"] is None else [keywords["name"]]
        assert incrowd.explain(**keywords).to_dict() == said(command_line, "explain", *words)[1]
        return
    code, expected = said(command_line, command, *data, *arguments(keywords))
    if "properties" in keywords:
        keywords["properties"] = dict(it.split("=") for it in keywords["properties"])
    if command == "negotiate":
        # Python prepares for many questions, a single command for one.
        expected.pop("lattice"), expected.pop("nodes_visited")
    call = getattr(incrowd, command)
    for table in [few, pyarrow.csv.read_csv(few)] if data else [None]:
        found = call(table, **keywords)
        if command == "negotiate":
            answer = found.ask()
            assert answer.is_exact == (code == 0)
            found = answer.outcome
        said_here = found.to_dict()
        if command == "negotiate":
            said_here.pop("lattice"), said_here.pop("nodes_visited")
        if table is few or table is None:
            assert in_order(plain(said_here)) == in_order(plain(expected))
        else:
            # Of a table in memory, only the fingerprint is another, and commands cannot name it.
            wanted = in_order(without_fingerprints(plain(expected)))
            assert in_order(without_fingerprints(plain(said_here))) == wanted.replace(f" {few} ", " ")
    if command == "verify":
        assert (found.is_safe is False) == (code == 1)
    if command == "risk":
        assert found.is_within_gates == (code == 0)


def test_a_release_is_judged_the_same(command_line, few, hierarchies, tmp_path):
    """With its original and its certificate, by every command that takes a release."""
    keywords = {**K5, "hierarchies": hierarchies}
    output, certificate = tmp_path / "out.csv", tmp_path / "out.json"
    flags = ["--hierarchies", str(hierarchies)]
    words = ["anonymize", str(few), *arguments(K5), *flags, "-o", str(output), "--certificate", str(certificate)]
    assert said(command_line, *words)[0] == 0
    roles = {"quasi_identifiers": Q3, "sensitive": ["salary-class"]}
    judged = [
        ("verify", [output], {**roles, "k": 5}, {"original": few, "hierarchies": hierarchies}),
        ("verify", [output], {}, {"certificate": certificate}),
        ("verify", [output], {}, {"certificate": certificate, "original": few, "hierarchies": hierarchies}),
        ("risk", [output], roles, {"original": few, "hierarchies": hierarchies}),
        ("evaluate", [few, output], {**roles, "folds": 2}, {"hierarchies": hierarchies}),
    ]
    raw = pyarrow.csv.read_csv(few)
    release = incrowd.anonymize(raw, **keywords)
    for command, tables, plain_keywords, paths in judged:
        words = [str(path) for path in tables]
        words += [*arguments(plain_keywords), *arguments({name: str(path) for name, path in paths.items()})]
        _, expected = said(command_line, command, *words)
        call = getattr(incrowd, command)
        assert plain(call(*tables, **plain_keywords, **paths).to_dict()) == plain(expected), (command, paths)
        # The same of tables in memory, whose fingerprints are others.
        if "certificate" in paths:
            at_hand = {
                **paths,
                "certificate": release.certificate,
                **({"original": raw} if "original" in paths else {}),
            }
            assert call(release.table, **at_hand).certificate_holds
        else:
            at_hand = {**paths, **({"original": raw} if "original" in paths else {})}
            tables_at_hand = [release.table] if command != "evaluate" else [raw, release.table]
            found = call(*tables_at_hand, **plain_keywords, **at_hand).to_dict()
            assert without_fingerprints(plain(found)) == without_fingerprints(plain(expected)), (command, paths)


def without_fingerprints(found: object) -> object:
    """All that is said, but for what a table in memory has instead of a file."""
    if isinstance(found, dict):
        left_out = ("sha256", "bytes", "input", "original", "release", "name")
        return {name: without_fingerprints(value) for name, value in found.items() if name not in left_out}
    if isinstance(found, list):
        return [without_fingerprints(item) for item in found]
    return found


def test_a_certificate_is_compared_with_the_job_as_the_command_line_does(command_line, few, hierarchies, tmp_path):
    text = f"""
[data]
path = "{few}"
[columns]
quasi_identifiers = ["age", "sex"]
others = "drop"
hierarchies = "{hierarchies}"
[privacy]
models = ["k-anonymity(k=9)"]
[output]
path = "{tmp_path / "o.csv"}"
certificate = "{tmp_path / "o.json"}"
"""
    path = tmp_path / "job.toml"
    path.write_text(text, encoding="utf-8")
    assert said(command_line, "anonymize", "--job", str(path))[0] == 0
    weaker = tmp_path / "weaker.toml"
    weaker.write_text(text.replace("k=9", "k=3"), encoding="utf-8")
    for job, holds in ((path, True), (weaker, False)):
        certificate = ["--certificate", str(tmp_path / "o.json")]
        _, expected = said(command_line, "verify", "--job", str(job), *certificate)
        assert expected["certificate"]["holds"] is holds
        for given in (job, incrowd.Job.from_toml(job), incrowd.Job.from_text(job.read_text(encoding="utf-8"))):
            found = incrowd.verify(tmp_path / "o.csv", certificate=tmp_path / "o.json", job=given)
            assert found.certificate_holds is holds
            assert plain(found.to_dict()["certificate"]) == plain(expected["certificate"])
    about = {"quasi_identifiers": ["age", "sex"], "others": "drop", "hierarchies": hierarchies}
    for k, holds in ((9, True), (3, False)):
        job = incrowd.Job(k=k, **about)
        found = incrowd.verify(tmp_path / "o.csv", certificate=tmp_path / "o.json", original=few, job=job)
        assert found.certificate_holds is holds, found.certificate
        assert not [it for it in found.certificate.unchecked if it.field == "request"]


def test_levels_are_the_same(command_line, few, hierarchies, tmp_path):
    for rule in (None, "interval:5,10", "quantile:8,4", "suppress"):
        words = [] if rule is None else ["--rule", rule]
        path = tmp_path / f"{rule}.csv"
        _, expected = said(command_line, "hierarchy", "build", str(few), "--column", "age", *words, "-o", str(path))
        found = incrowd.hierarchy.build(few, "age", rule)
        assert in_order(found.report.to_dict()) == in_order(expected)
        assert found.to_csv() == path.read_text(encoding="utf-8")
    file = str(hierarchies / "age.csv")
    _, expected = said(command_line, "hierarchy", "check", file, "--data", str(few))
    assert incrowd.hierarchy.check(file, few).report.to_dict() == expected


def test_a_job_file_says_the_same(command_line, few, hierarchies, tmp_path):
    text = f"""
[data]
path = "{few}"
[columns]
quasi_identifiers = ["age", "sex"]
others = "drop"
hierarchies = "{hierarchies}"
[privacy]
models = ["k-anonymity(k=9)"]
max_suppressed = "1%"
"""
    path = tmp_path / "job.toml"
    path.write_text(text, encoding="utf-8")
    _, expected = said(command_line, "anonymize", "--job", str(path), "-o", str(tmp_path / "o.csv"))
    for job in (incrowd.Job.from_toml(path), incrowd.Job.from_text(text), path):
        assert plain(incrowd.anonymize(job=job).outcome.to_dict()) == plain(expected)
    keywords = {
        "quasi_identifiers": ["age", "sex"],
        "others": "drop",
        "hierarchies": hierarchies,
        "max_suppressed": "1%",
    }
    job = incrowd.Job(k=9, **keywords)
    assert plain(job.anonymize(few).outcome.to_dict()) == plain(expected)
    # Keywords win over the job.
    _, expected = said(command_line, "anonymize", "--job", str(path), "-k", "20", "-o", str(tmp_path / "p.csv"))
    assert plain(incrowd.anonymize(job=path, k=20).outcome.to_dict()) == plain(expected)
    assert plain(job.anonymize(few, k=20).outcome.to_dict()) == plain(expected)


def test_errors_are_the_same(command_line, few):
    for keywords in (
        {"quasi_identifiers": ["agee"], "k": 5},
        {"quasi_identifiers": ["age"], "k": 0},
        {"quasi_identifiers": ["age"]},
        {"quasi_identifiers": ["age"], "k": 5},
        {"quasi_identifiers": ["age"], "k": 5000, "others": "drop"},
        {"quasi_identifiers": ["age"], "k": 5, "others": "drop", "algorithm": "optimall"},
        {"quasi_identifiers": ["age"], "k": 5, "others": "drop", "metric": "nc"},
    ):
        code, expected = said(command_line, "anonymize", str(few), *arguments(keywords))
        assert code == 2
        with pytest.raises(incrowd.IncrowdError) as raised:
            incrowd.anonymize(few, **keywords)
        error = raised.value
        wanted = expected["error"]
        assert (error.code, error.message, error.place) == (wanted["code"], wanted["message"], wanted["place"])
        assert error.hint == in_python(wanted["hint"])
        assert "`-" not in error.hint, "flags mean nothing in Python"
