"""Anonymizes tables about persons, with proof.

>>> import incrowd
>>> patients = incrowd.Table.from_dict({"age": [34, 36, 61, 64], "disease": ["asthma", "flu", "diabetes", "flu"]})
>>> release = incrowd.anonymize(patients, quasi_identifiers="age", sensitive="disease", k=2)
>>> release.table["age"]
['[30-39]', '[30-39]', '[60-69]', '[60-69]']

Tables are paths, or anything with ``__arrow_c_stream__``: pyarrow, Polars, pandas, DuckDB. Functions are the commands of the
command line, keywords its flags, results its JSON as objects. Errors are :class:`IncrowdError` with ``code``, ``message``
and ``hint``.
"""

from . import algorithms, hierarchy, metrics, models
from ._commands import (
    advise,
    anonymize,
    compare,
    evaluate,
    explain,
    inspect,
    negotiate,
    risk,
    simulate,
    study,
    verify,
)
from ._native import Stop, __version__
from ._picture import Picture
from ._record import Record
from ._table import ArrowStream, Table, TableLike
from .entries import Algorithm, Metric, Model
from .errors import (
    CheckError,
    FileError,
    IncrowdError,
    NoReleaseError,
    RequestError,
    StoppedError,
    TableError,
)
from .hierarchy import Hierarchy
from .job import Job
from .models import (
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
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    SampleUniqueness,
    TCloseness,
)
from .negotiation import Answer, Negotiation, Offer
from .release import Release
from .results import (
    Advice,
    Comparison,
    Evaluation,
    Explanation,
    Inspection,
    Report,
    Risks,
    Simulation,
    Study,
    Verification,
)

__all__ = [
    "Advice",
    "Algorithm",
    "AlphaKAnonymity",
    "Answer",
    "ArrowStream",
    "AverageRisk",
    "BetaLikeness",
    "CheckError",
    "Comparison",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Evaluation",
    "Explanation",
    "FileError",
    "FrequencyLDiversity",
    "Hierarchy",
    "IncrowdError",
    "Inspection",
    "Job",
    "KAnonymity",
    "KMap",
    "Metric",
    "Model",
    "Negotiation",
    "NoReleaseError",
    "Offer",
    "PSensitiveKAnonymity",
    "Picture",
    "Record",
    "RecursiveClDiversity",
    "Release",
    "Report",
    "RequestError",
    "Risks",
    "SampleUniqueness",
    "Simulation",
    "Stop",
    "StoppedError",
    "Study",
    "TCloseness",
    "Table",
    "TableError",
    "TableLike",
    "Verification",
    "__version__",
    "advise",
    "algorithms",
    "anonymize",
    "compare",
    "evaluate",
    "explain",
    "hierarchy",
    "inspect",
    "metrics",
    "models",
    "negotiate",
    "risk",
    "simulate",
    "study",
    "verify",
]
