"""Every metric as a class."""

from .entries import (
    Ambiguity,
    AverageClassSize,
    ClassificationMetric,
    Discernibility,
    DmStar,
    Hdm,
    Height,
    KlDivergence,
    Loss,
    Metric,
    Ncp,
    NonUniformEntropy,
    Precision,
    QueryError,
    ResearchValue,
)

__all__ = [
    "Ambiguity",
    "AverageClassSize",
    "ClassificationMetric",
    "Discernibility",
    "DmStar",
    "Hdm",
    "Height",
    "KlDivergence",
    "Loss",
    "Metric",
    "Ncp",
    "NonUniformEntropy",
    "Precision",
    "QueryError",
    "ResearchValue",
]
