"""Every model as a class."""

from .entries import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    KMap,
    Model,
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    SampleUniqueness,
    TCloseness,
)

__all__ = [
    "AlphaKAnonymity",
    "AverageRisk",
    "BetaLikeness",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "FrequencyLDiversity",
    "KAnonymity",
    "KMap",
    "Model",
    "PSensitiveKAnonymity",
    "RecursiveClDiversity",
    "SampleUniqueness",
    "TCloseness",
]
