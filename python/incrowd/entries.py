"""Every model, metric and algorithm as a class. Generated from the registries by write_entries.py.

>>> str(KAnonymity(5)), str(TCloseness(0.2, column="disease"))
('k-anonymity(k=5)', 't-closeness(t=0.2,column=disease)')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

__all__ = [
    "Algorithm",
    "AlphaKAnonymity",
    "Ambiguity",
    "AverageClassSize",
    "AverageRisk",
    "BetaLikeness",
    "BottomUp",
    "ClassificationMetric",
    "Datafly",
    "DeltaDisclosure",
    "DeltaPresence",
    "Discernibility",
    "DistinctLDiversity",
    "DmStar",
    "EntropyLDiversity",
    "EuclideanCluster",
    "Finest",
    "FrequencyLDiversity",
    "Hdm",
    "Height",
    "Incognito",
    "KAnonymity",
    "KMap",
    "KlDivergence",
    "Loss",
    "Metric",
    "Model",
    "Mondrian",
    "MondrianInfogain",
    "MondrianLsd",
    "MuArgus",
    "Ncp",
    "NcpCluster",
    "NonUniformEntropy",
    "Optimal",
    "PSensitiveKAnonymity",
    "Partition",
    "Precision",
    "QueryError",
    "RecursiveClDiversity",
    "ResearchValue",
    "RvCluster",
    "RvClusterSuppress",
    "RvDistributed",
    "RvGlobal",
    "RvHybrid",
    "RvLocal",
    "Samarati",
    "SampleUniqueness",
    "TCloseness",
    "TopDown",
]


class _Entry:
    """A named thing with settings, written ``name(setting=value,...)``."""

    name: ClassVar[str]

    def settings(self) -> dict[str, Any]:
        """What is set, by the name that the command line has for it."""
        given: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type] # pyright: ignore
            value = getattr(self, field.name)
            if value is not None and value != field.default:
                given[field.name.rstrip("_").replace("_", "-")] = value
        return given

    def __str__(self) -> str:
        settings = [f"{name}={_quoted(_text(value))}" for name, value in self.settings().items()]
        return f"{self.name}({','.join(settings)})" if settings else self.name


class Model(_Entry):
    """A privacy model."""


class Metric(_Entry):
    """A utility metric."""


class Algorithm(_Entry):
    """An algorithm."""


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Real | Decimal) and not isinstance(value, Integral):
        return f"{Decimal(str(value)):f}"
    if isinstance(value, Mapping):
        return ";".join(f"{column}:{_of_column(of)}" for column, of in value.items())  # pyright: ignore
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ; ".join(str(item) for item in value)  # pyright: ignore
    return str(value)


def _of_column(of: Any) -> str:
    return _text(of) if not isinstance(of, Sequence) else "/".join(_text(number) for number in of)  # pyright: ignore


def _quoted(text: str) -> str:
    if any(sign in text for sign in ',()="'):
        return '"' + text.replace('"', '""') + '"'
    return text


@dataclass(frozen=True)
class KAnonymity(Model):
    """Every class has at least k rows."""

    name: ClassVar[str] = "k-anonymity"
    k: int
    """Rows a class must have."""


@dataclass(frozen=True)
class DistinctLDiversity(Model):
    """Every class has at least l distinct values of the sensitive column."""

    name: ClassVar[str] = "distinct-l-diversity"
    l: int
    """Distinct values a class must have."""
    column: str | None = None
    """The sensitive column it is about; every sensitive column when not given."""


@dataclass(frozen=True)
class EntropyLDiversity(Model):
    """The sensitive values of every class are spread at least as evenly as l equally frequent ones."""

    name: ClassVar[str] = "entropy-l-diversity"
    l: float | Decimal
    """Number of equally frequent values that a class must be as evenly spread as."""
    column: str | None = None
    """The sensitive column it is about; every sensitive column when not given."""


@dataclass(frozen=True)
class RecursiveClDiversity(Model):
    """The most frequent sensitive value is not too frequent, nor are the rare ones too rare."""

    name: ClassVar[str] = "recursive-cl-diversity"
    c: float | Decimal
    """How many times the tail the greatest count must stay below."""
    l: int
    """Where the tail starts, and the fewest values of a class."""
    column: str | None = None
    """The sensitive column it is about; every sensitive column when not given."""


@dataclass(frozen=True)
class FrequencyLDiversity(Model):
    """No value of the sensitive column makes up more than 1/l of a class."""

    name: ClassVar[str] = "frequency-l-diversity"
    l: float | Decimal
    """A value may make up at most 1/l of a class."""
    column: str | None = None
    """The sensitive column it is about; every sensitive column when not given."""


@dataclass(frozen=True)
class AlphaKAnonymity(Model):
    """Every class has at least k rows, and no sensitive value makes up more than a share alpha of it."""

    name: ClassVar[str] = "alpha-k-anonymity"
    alpha: float | Decimal
    """Greatest share of a value in a class."""
    k: int
    """Rows a class must have."""
    value: str | None = None
    """The value whose share is bounded; all values when not given."""
    column: str | None = None
    """The sensitive column it is about; every sensitive column when not given."""


@dataclass(frozen=True)
class PSensitiveKAnonymity(Model):
    """Every class has at least k rows and at least p distinct values of the sensitive column."""

    name: ClassVar[str] = "p-sensitive-k-anonymity"
    p: int
    """Distinct values a class must have."""
    k: int
    """Rows a class must have."""
    column: str | None = None
    """The sensitive column it is about; every sensitive column when not given."""


@dataclass(frozen=True)
class TCloseness(Model):
    """The sensitive values of every class are distributed nearly as in the table."""

    name: ClassVar[str] = "t-closeness"
    t: float | Decimal
    """Greatest distance of a class from the table."""
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    """How far apart two values are."""
    column: str | None = None
    """The sensitive column it is about; every sensitive column when not given."""


@dataclass(frozen=True)
class DeltaDisclosure(Model):
    """The share of every sensitive value in a class is within a factor of 2^delta of its share in the table."""

    name: ClassVar[str] = "delta-disclosure"
    delta: float | Decimal
    """What |log2(p/q)| must stay below."""
    absent: Literal["reject", "ignore"] = "reject"
    """What to do with a class that lacks a value of the table."""
    column: str | None = None
    """The sensitive column it is about; every sensitive column when not given."""


@dataclass(frozen=True)
class BetaLikeness(Model):
    """No sensitive value is more than 1 + beta times as frequent in a class as in the table."""

    name: ClassVar[str] = "beta-likeness"
    beta: float | Decimal
    """Greatest (p - q) / q of a value."""
    kind: Literal["basic", "enhanced"] = "basic"
    """Whether -ln q is a bound too."""
    column: str | None = None
    """The sensitive column it is about; every sensitive column when not given."""


@dataclass(frozen=True)
class KMap(Model):
    """At least k rows of the population match every class."""

    name: ClassVar[str] = "k-map"
    k: int
    """Rows of the population that must match a class."""


@dataclass(frozen=True)
class DeltaPresence(Model):
    """Of the rows of the population that match a class, a share between two bounds is in the table."""

    name: ClassVar[str] = "delta-presence"
    max: float | Decimal
    """Greatest share of the people who match a class that is in the table."""
    min: float | Decimal = 0
    """Least share of them."""


@dataclass(frozen=True)
class AverageRisk(Model):
    """Of those who look for a person that they know to be in the table, on average at most this share finds the right
    row."""

    name: ClassVar[str] = "average-risk"
    max: float | Decimal
    """Greatest mean chance of a published row to be found."""


@dataclass(frozen=True)
class SampleUniqueness(Model):
    """At most this share of the published rows is alone in its class."""

    name: ClassVar[str] = "sample-uniqueness"
    max: float | Decimal
    """Greatest share of the published rows that is alone in its class."""


@dataclass(frozen=True)
class Loss(Metric):
    """Share of its column's values that a cell could be (generalized loss, ILoss)."""

    name: ClassVar[str] = "loss"
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "maximum"] = "geometric-mean"
    """How the losses of the quasi-identifiers are combined."""
    weights: Mapping[str, float] | None = None
    """How much each quasi-identifier counts; 1 for those not named."""


@dataclass(frozen=True)
class Discernibility(Metric):
    """For each row the size of its class, or the number of all rows when suppressed (DM)."""

    name: ClassVar[str] = "discernibility"


@dataclass(frozen=True)
class Hdm(Metric):
    """For each cell the share of the other rows that its value was merged with (HDM)."""

    name: ClassVar[str] = "hdm"
    weights: Mapping[str, float] | None = None
    """How much each quasi-identifier counts; 1 for those not named."""


@dataclass(frozen=True)
class DmStar(Metric):
    """For each row the size of its class, suppressed or not (DM*)."""

    name: ClassVar[str] = "dm-star"


@dataclass(frozen=True)
class AverageClassSize(Metric):
    """Rows per class (AECS)."""

    name: ClassVar[str] = "average-class-size"
    k: int | None = None
    """Class size that the variant of LeFevre is relative to; without it, rows per class."""


@dataclass(frozen=True)
class NonUniformEntropy(Metric):
    """Bits needed to get from the published values back to the raw ones."""

    name: ClassVar[str] = "non-uniform-entropy"
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "maximum"] = "sum"
    """How the losses of the quasi-identifiers are combined."""
    weights: Mapping[str, float] | None = None
    """How much each quasi-identifier counts; 1 for those not named."""


@dataclass(frozen=True)
class Precision(Metric):
    """Mean share of its hierarchy that a cell was generalized by."""

    name: ClassVar[str] = "precision"
    aggregate: Literal["geometric-mean", "arithmetic-mean", "sum", "maximum"] = "arithmetic-mean"
    """How the losses of the quasi-identifiers are combined."""
    weights: Mapping[str, float] | None = None
    """How much each quasi-identifier counts; 1 for those not named."""


@dataclass(frozen=True)
class Height(Metric):
    """Sum of the levels."""

    name: ClassVar[str] = "height"


@dataclass(frozen=True)
class Ncp(Metric):
    """Width of the published values (normalized certainty penalty)."""

    name: ClassVar[str] = "ncp"
    weights: Mapping[str, float] | None = None
    """How much each quasi-identifier counts; 1 for those not named."""


@dataclass(frozen=True)
class Ambiguity(Metric):
    """Average number of raw tuples that a published row could be."""

    name: ClassVar[str] = "ambiguity"


@dataclass(frozen=True)
class KlDivergence(Metric):
    """Divergence of the raw rows from what the release says of them, in bits per row (Kullback-Leibler)."""

    name: ClassVar[str] = "kl-divergence"


@dataclass(frozen=True)
class QueryError(Metric):
    """Mean relative error of random COUNT queries answered from the release."""

    name: ClassVar[str] = "query-error"
    queries: int = 100
    """How many queries are asked."""
    seed: int = 1
    """Decides which queries are asked."""


@dataclass(frozen=True)
class ClassificationMetric(Metric):
    """Share of rows that are suppressed or outside the majority of their class (CM)."""

    name: ClassVar[str] = "classification-metric"
    column: str | None = None
    """The target column; the one of `--target` when not given."""


@dataclass(frozen=True)
class ResearchValue(Metric):
    """What experts say a release is worth: weights of the columns, their detail, and the rules that survive."""

    name: ClassVar[str] = "research-value"
    rules: Sequence[str] | None = None
    """Values to be told apart, each with its importance."""
    base: float | Decimal = 0
    """What is added to the importance of all rules and of those kept, so that a value is left when every rule breaks."""
    weights: Mapping[str, float] | None = None
    """The share of each quasi-identifier; all together 1, and 0 for those not named."""
    weighting: Literal["equal", "auto"] = "equal"
    """How weights are chosen if none is given: all equal, or in proportion to 1 - mean association with the others."""
    drop_associated: float | Decimal | None = None
    """Of quasi-identifiers whose association is at least this, only the first counts; does not apply to given weights."""
    granularity_exponent: float | Decimal = 1
    """Exponent of the granularity."""
    rule_exponent: float | Decimal = 1
    """Exponent of the ratio of rules kept."""
    level_values: Mapping[str, Sequence[float]] | None = None
    """The value of each level of a quasi-identifier, in place of the one computed."""


@dataclass(frozen=True)
class Optimal(Algorithm):
    """The safe full-domain recoding with the lowest loss, proven over the whole lattice."""

    name: ClassVar[str] = "optimal"


@dataclass(frozen=True)
class Samarati(Algorithm):
    """Every safe full-domain recoding of the lowest height, found by binary search over heights; the best one is
    published."""

    name: ClassVar[str] = "samarati"


@dataclass(frozen=True)
class Incognito(Algorithm):
    """Every safe full-domain recoding, found by joining those of fewer attributes; the best one is published."""

    name: ClassVar[str] = "incognito"


@dataclass(frozen=True)
class Datafly(Algorithm):
    """Raises the attribute with the most distinct values, step by step, until few enough rows are left to suppress."""

    name: ClassVar[str] = "datafly"


@dataclass(frozen=True)
class MuArgus(Algorithm):
    """Lets the data holder raise one attribute at a time and decide when to suppress the rest."""

    name: ClassVar[str] = "mu-argus"
    script: Sequence[str] | None = None
    """The choices to make: columns to raise by one level, one after the other, then `suppress`, as in
    age,age,zip,suppress; without it you are asked in a terminal, and elsewhere the choices are automatic."""


@dataclass(frozen=True)
class BottomUp(Algorithm):
    """A cut through every hierarchy that still predicts the target: from raw values upward, for classification (BUG)."""

    name: ClassVar[str] = "bottom-up"


@dataclass(frozen=True)
class TopDown(Algorithm):
    """A cut through every hierarchy that still predicts the target: from `*` downward, for classification (TDS)."""

    name: ClassVar[str] = "top-down"


@dataclass(frozen=True)
class Partition(Algorithm):
    """The partition of every column's values with the lowest cost under a scheme for each column, proven."""

    name: ClassVar[str] = "partition"
    scheme: Sequence[str] | None = None
    """Which partitions are allowed: bhs, ghs, gops, gsps, ops or sps, for all columns or as in age=ops,race=sps; ops
    when not given."""
    coarse: Sequence[str] | None = None
    """Steps that the numbers of a column are put in before the search, as in age=5@17: steps of 5 from 17."""
    order: Sequence[str] | None = None
    """Order of the values of a column, as in size=small;medium;large; when not given, numbers and dates are ordered by
    size, text as its hierarchy file or rule orders it, else by its bytes."""
    search: Literal["bottom-up", "top-down", "boundaries", "auto"] = "auto"
    """How to search: bottom-up from the raw values, top-down from one block, by deciding about single boundaries
    between neighboring values (discernibility and k-anonymity, schemes that join neighbors), or auto."""
    without_pruning: (
        Sequence[
            Literal[
                "cost-bound",
                "useless-applicators",
                "useful-applicators",
                "seeding",
                "delayed-expansion",
                "least-bound-first",
                "arranged-applicators",
                "tighter-bounds",
                "program",
                "all",
            ]
        ]
        | None
    ) = None
    """Pruning rules to switch off, or all; they change the time it takes, not the result."""


@dataclass(frozen=True)
class Mondrian(Algorithm):
    """Regions instead of levels: cuts the table in two at the median, again and again, while both sides stay safe."""

    name: ClassVar[str] = "mondrian"
    numbers: Literal["interval", "mean", "median"] = "interval"
    """What is published of the numbers of a class: the interval they lie in, their mean, or their median; dates stay
    intervals."""
    relaxed: bool = False
    """Divide rows that are equal at the median, so that both sides of a cut have equally many."""


@dataclass(frozen=True)
class MondrianInfogain(Algorithm):
    """Regions for classification: a side counts the more, the more its column says about the targets."""

    name: ClassVar[str] = "mondrian-infogain"
    numbers: Literal["interval", "mean", "median"] = "interval"
    """What is published of the numbers of a class: the interval they lie in, their mean, or their median; dates stay
    intervals."""
    relaxed: bool = False
    """Divide rows that are equal at the median, so that both sides of a cut have equally many."""


@dataclass(frozen=True)
class MondrianLsd(Algorithm):
    """Regions for regression: a side counts the more, the more the targets depend on its column."""

    name: ClassVar[str] = "mondrian-lsd"
    numbers: Literal["interval", "mean", "median"] = "interval"
    """What is published of the numbers of a class: the interval they lie in, their mean, or their median; dates stay
    intervals."""
    relaxed: bool = False
    """Divide rows that are equal at the median, so that both sides of a cut have equally many."""


@dataclass(frozen=True)
class Finest(Algorithm):
    """The finest release: classes grown tuple by tuple and then improved, for the least width of published values."""

    name: ClassVar[str] = "finest"
    numbers: Literal["interval", "mean", "median"] = "interval"
    """What is published of the numbers of a class: the interval they lie in, their mean, or their median; dates stay
    intervals."""


@dataclass(frozen=True)
class NcpCluster(Algorithm):
    """Clusters instead of cuts: merges the smallest unsafe class with the one that loses least, until all are safe."""

    name: ClassVar[str] = "ncp-cluster"
    numbers: Literal["interval", "mean", "median"] = "interval"
    """What is published of the numbers of a class: the interval they lie in, their mean, or their median; dates stay
    intervals."""
    disjoint: bool = False
    """Whether the published values of one column must be disjoint or equal, so that every raw value is published in
    one way only."""


@dataclass(frozen=True)
class EuclideanCluster(Algorithm):
    """Clusters by plain distance: merges the smallest unsafe class with the one that gives the least sum of ranges."""

    name: ClassVar[str] = "euclidean-cluster"
    numbers: Literal["interval", "mean", "median"] = "interval"
    """What is published of the numbers of a class: the interval they lie in, their mean, or their median; dates stay
    intervals."""
    disjoint: bool = False
    """Whether the published values of one column must be disjoint or equal, so that every raw value is published in
    one way only."""


@dataclass(frozen=True)
class RvCluster(Algorithm):
    """Clusters for experts: merges the smallest unsafe class with the one that keeps most research value, rules first."""

    name: ClassVar[str] = "rv-cluster"
    numbers: Literal["interval", "mean", "median"] = "interval"
    """What is published of the numbers of a class: the interval they lie in, their mean, or their median; dates stay
    intervals."""
    disjoint: bool = False
    """Whether the published values of one column must be disjoint or equal, so that every raw value is published in
    one way only."""


@dataclass(frozen=True)
class RvClusterSuppress(Algorithm):
    """Clusters for experts, and suppresses rows where a rule would be broken for their sake."""

    name: ClassVar[str] = "rv-cluster-suppress"
    numbers: Literal["interval", "mean", "median"] = "interval"
    """What is published of the numbers of a class: the interval they lie in, their mean, or their median; dates stay
    intervals."""
    disjoint: bool = False
    """Whether the published values of one column must be disjoint or equal, so that every raw value is published in
    one way only."""


@dataclass(frozen=True)
class RvGlobal(Algorithm):
    """The safe combination of levels with the greatest research value, proven; and the next best ones it met."""

    name: ClassVar[str] = "rv-global"
    strings: int = 10
    """How many of the safe combinations of levels that were met are listed, the best first."""


@dataclass(frozen=True)
class RvLocal(Algorithm):
    """Halves the levels of all columns together: a few looks, and no column is spared at the expense of another."""

    name: ClassVar[str] = "rv-local"
    strings: int = 10
    """How many of the safe combinations of levels that were met are listed, the best first."""


@dataclass(frozen=True)
class RvHybrid(Algorithm):
    """`rv-local` first, for a good combination of levels after a few looks; then `rv-global` on what is left."""

    name: ClassVar[str] = "rv-hybrid"
    strings: int = 10
    """How many of the safe combinations of levels that were met are listed, the best first."""


@dataclass(frozen=True)
class RvDistributed(Algorithm):
    """Splits the columns into small sets, finds out which combinations of levels each set rules out, then searches the
    rest."""

    name: ClassVar[str] = "rv-distributed"
    strings: int = 10
    """How many of the safe combinations of levels that were met are listed, the best first."""
