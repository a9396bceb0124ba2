"""Holds `incrowd evaluate` against scikit-learn: same rows, same folds, same features, other code.

    pip install scikit-learn
    cargo build --release -p incrowd-cli
    python benchmarks/evaluate/compare_with_scikit_learn.py target/release/incrowd

Reads published texts back itself, from the hierarchy files, and prints a table of accuracies and errors. Ends with code
1 if an accuracy is more than one point away, or an error more than one percent.
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import sklearn
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.tree import DecisionTreeClassifier

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data/adult/adult.csv"
HIERARCHIES = ROOT / "data/adult/hierarchies"
FOLDS, SEED = 5, 1
QUASI = ["age", "education", "marital-status", "race", "sex"]
CLASSES, NUMBER = "salary-class", "hours-per-week"
CASES = [
    ("full-domain, k = 5, 1 %", ["-k", "5", "--max-suppressed", "1%"]),
    ("full-domain, k = 5", ["-k", "5"]),
    ("top-down, k = 20", ["-k", "20", "--algorithm", "top-down"]),
    ("partition ops, k = 20, 1 %", ["-k", "20", "--max-suppressed", "1%", "--algorithm", "partition", "--scheme", "ops", "--work-limit", "20M"]),
]


def folds(rows):
    """The fold of every row: a shuffle by SplitMix64, dealt out in turn."""
    mask, state = (1 << 64) - 1, SEED
    order = list(range(rows))
    for at in range(rows - 1, 0, -1):
        state = (state + 0x9E3779B97F4A7C15) & mask
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
        other = (mixed ^ (mixed >> 31)) % (at + 1)
        order[at], order[other] = order[other], order[at]
    fold_of_row = numpy.empty(rows, int)
    for at, row in enumerate(order):
        fold_of_row[row] = at % FOLDS
    return fold_of_row


def is_number(text):
    try:
        return text.strip() != "" and numpy.isfinite(float(text))
    except ValueError:
        return False


class Column:
    """The values of a column and what its published texts stand for."""

    def __init__(self, name, raw):
        path = HIERARCHIES / f"{name}.csv"
        self.ways = []
        if name in QUASI and path.exists():
            self.ways = list(csv.reader(path.open()))[1:]
            self.values = [way[0] for way in self.ways]
        else:
            self.values = list(dict.fromkeys(raw))
        self.place = {value: at for at, value in enumerate(self.values)}
        self.is_numeric = all(is_number(value) for value in self.values)
        self.numbers = [float(value) for value in self.values] if self.is_numeric else None

    def meaning(self, text):
        for level in reversed(range(len(self.ways[0]) if self.ways else 0)):
            found = [at for at, way in enumerate(self.ways) if way[level] == text]
            if found:
                return found
        if text in self.place:
            return [self.place[text]]
        if text == "*":
            return list(range(len(self.values)))
        if text.startswith("{"):
            return [self.place[value] for value in text[1:-1].split(", ")]
        low, high = text[1:-1].split("-")
        low, high = float(low), float(high)
        return [at for at, number in enumerate(self.numbers) if low <= number <= high]

    def number(self, text):
        numbers = [self.numbers[at] for at in self.meaning(text)]
        return (min(numbers) + max(numbers)) / 2

    def shares(self, text):
        shares = numpy.zeros(len(self.values))
        meaning = self.meaning(text)
        shares[meaning] = 1 / len(meaning)
        return shares


class Features:
    """Numbers, and the shares of each text column."""

    def __init__(self, columns, table):
        self.numbers, self.shares = [], []
        for column, texts in zip(columns, table):
            known = {}
            of = column.number if column.is_numeric else column.shares
            encoded = [known[text] if text in known else known.setdefault(text, of(text)) for text in texts]
            (self.numbers if column.is_numeric else self.shares).append(numpy.array(encoded))
        rows = len(table[0])
        self.numbers = numpy.array(self.numbers).T if self.numbers else numpy.zeros((rows, 0))

    def groups(self, trained):
        """For a tree: the sets of values that texts of the rows stand for, a column for each."""
        sets = []
        for shares in self.shares:
            groups = numpy.unique((shares[trained] > 0).astype(float), axis=0)
            sets.append(groups.T)
        return sets

    def for_tree(self, sets):
        shares = [shares @ groups for shares, groups in zip(self.shares, sets)]
        return numpy.hstack([self.numbers, *shares])

    def for_sums(self, mean, deviation):
        scaled = (self.numbers - mean) / numpy.where(deviation > 0, deviation, numpy.inf)
        return numpy.hstack([scaled, *self.shares])


def tree(learned, trained, classes, raw, tested):
    sets = learned.groups(trained)
    model = DecisionTreeClassifier(criterion="entropy", max_depth=8, min_samples_leaf=5, random_state=0)
    model.fit(learned.for_tree(sets)[trained], classes[trained])
    return model.predict(raw.for_tree(sets)[tested])


def moments(learned, trained):
    return learned.numbers[trained].mean(0), learned.numbers[trained].std(0)


def logistic(learned, trained, classes, raw, tested):
    of = moments(learned, trained)
    model = LogisticRegression(C=1, solver="newton-cholesky")
    model.fit(learned.for_sums(*of)[trained], classes[trained])
    return model.predict(raw.for_sums(*of)[tested])


def bayes(learned, trained, classes, raw, tested):
    # Without variance, scikit-learn divides by zero; a number that is always the same tells nothing anyway.
    varies = learned.numbers[trained].std(0) > 0
    prior = MultinomialNB(alpha=1).fit(numpy.ones((trained.sum(), 1)), classes[trained])
    score = numpy.tile(prior.class_log_prior_, (tested.sum(), 1))
    if varies.any():
        numbers = GaussianNB().fit(learned.numbers[trained][:, varies], classes[trained])
        score = numbers.predict_joint_log_proba(raw.numbers[tested][:, varies])
    for shares, of_raw in zip(learned.shares, raw.shares):
        part = MultinomialNB(alpha=1).fit(shares[trained], classes[trained])
        score += part.predict_joint_log_proba(of_raw[tested]) - part.class_log_prior_
    return prior.classes_[score.argmax(1)]


def linear(learned, trained, numbers, raw, tested):
    of = moments(learned, trained)
    model = Ridge(alpha=1, tol=1e-10).fit(learned.for_sums(*of)[trained], numbers[trained])
    return model.predict(raw.for_sums(*of)[tested])


MODELS = {"decision-tree": tree, "logistic-regression": logistic, "naive-bayes": bayes}


def table(path, names):
    rows = list(csv.reader(path.open()))
    return [[row[rows[0].index(name)] for row in rows[1:]] for name in names]


def main():
    incrowd = str(Path(sys.argv[1]).resolve())
    names = list(QUASI)
    raw = table(DATA, names)
    classes, numbers = (numpy.array(column) for column in table(DATA, [CLASSES, NUMBER]))
    numbers = numbers.astype(float)
    columns = [Column(name, texts) for name, texts in zip(names, raw)]
    raw_features = Features(columns, raw)
    fold_of_row = folds(len(classes))
    worst, lines = 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        for case, flags in CASES:
            release = Path(folder) / "release.csv"
            roles = ["-q", ",".join(QUASI), "--hierarchies", str(HIERARCHIES)]
            make = [incrowd, "anonymize", str(DATA), *roles, "--target", CLASSES, "--keep", NUMBER, "--others", "drop"]
            make += ["--suppressed", "star"]
            subprocess.run([*make, *flags, "-o", str(release), "--quiet"], check=True)
            judge = [incrowd, "evaluate", str(DATA), str(release), *roles, "--target", f"{CLASSES},{NUMBER}"]
            judge += ["--folds", str(FOLDS), "--seed", str(SEED), "--json"]
            found = json.loads(subprocess.run(judge, check=True, capture_output=True).stdout)
            # Suppressed rows are `*` everywhere, so that all others have the place of their raw row.
            published = numpy.array(table(release, [CLASSES])[0]) != "*"
            assert found["rows_released"] == published.sum()
            everywhere = numpy.ones(len(classes), bool)
            sides = {
                "raw": (raw_features, everywhere),
                "release": (Features(columns, table(release, names)), published),
            }
            for side, (features, is_known) in sides.items():
                right = dict.fromkeys(MODELS, 0)
                squares = 0.0
                for fold in range(FOLDS):
                    trained, tested = (fold_of_row != fold) & is_known, fold_of_row == fold
                    for model, predict in MODELS.items():
                        predicted = predict(features, trained, classes, raw_features, tested)
                        right[model] += (predicted == classes[tested]).sum()
                    predicted = linear(features, trained, numbers, raw_features, tested)
                    squares += ((predicted - numbers[tested]) ** 2).sum()
                for at, model in enumerate(MODELS):
                    ours = 100 * found["classification"][at]["accuracy"][side]
                    theirs = 100 * right[model] / len(classes)
                    lines.append((case, side, model, f"{ours:.2f} %", f"{theirs:.2f} %", f"{ours - theirs:+.2f}"))
                    worst = max(worst, abs(ours - theirs))
                ours = found["regression"][0]["rmse"][side]
                theirs = (squares / len(classes)) ** 0.5
                lines.append((case, side, "linear", f"{ours:.4f}", f"{theirs:.4f}", f"{ours - theirs:+.4f}"))
                worst = max(worst, 100 * abs(ours - theirs) / theirs)
    print(f"scikit-learn {sklearn.__version__}, {len(classes)} rows, {FOLDS} folds, seed {SEED}")
    print(f"features {', '.join(names)}; targets {CLASSES} and {NUMBER}\n")
    print("| release | learned from | model | incrowd | scikit-learn | difference |")
    print("|---|---|---|--:|--:|--:|")
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print(f"\nThe greatest difference is {worst:.3f} points (of an error: percent).")
    sys.exit(1 if worst > 1 else 0)


main()
