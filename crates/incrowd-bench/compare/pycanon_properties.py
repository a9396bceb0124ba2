"""Measures the nine properties pycanon knows of a table, and the CPU time each takes.

Usage: python pycanon_properties.py TABLE QUASI_IDENTIFIERS SENSITIVE   (columns separated by commas)

Prints one line per fact, separated by tabs: `version NAME VALUE`, `read SECONDS`, then `property NAME VALUE SECONDS`.
CPU time is that of the whole process, so threads of numpy count too. The file is read inside the clock; importing
pandas and pycanon is not, for a service would have them loaded.
"""

import platform
import sys
import time
from importlib.metadata import version

import pandas
from pycanon import anonymity

PROPERTIES = [
    ("k-anonymity", lambda *table: anonymity.k_anonymity(*table[:2])),
    ("alpha-k-anonymity", lambda *table: anonymity.alpha_k_anonymity(*table)[0]),
    ("distinct-l-diversity", anonymity.l_diversity),
    ("entropy-l-diversity", anonymity.entropy_l_diversity),
    ("recursive-cl-diversity", lambda *table: anonymity.recursive_c_l_diversity(*table)[0]),
    ("basic-beta-likeness", anonymity.basic_beta_likeness),
    ("enhanced-beta-likeness", anonymity.enhanced_beta_likeness),
    ("t-closeness", anonymity.t_closeness),
    ("delta-disclosure", anonymity.delta_disclosure),
]


def main(path, quasi_identifiers, sensitive):
    print("version", "python", platform.python_version(), sep="\t")
    for package in ["pycanon", "pandas", "numpy"]:
        print("version", package, version(package), sep="\t")
    start = time.process_time()
    table = pandas.read_csv(path)
    print("read", time.process_time() - start, sep="\t")
    for name, measure in PROPERTIES:
        start = time.process_time()
        value = measure(table, quasi_identifiers.split(","), sensitive.split(","))
        print("property", name, float(value), time.process_time() - start, sep="\t", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
