"""Time to read the predictions of an OpenML run: this project compared with liac-arff."""

import io

import numpy as np
from kept import compare, released
from paired import median_seconds

from reproduction.openml.run_predictions import read_predictions_file

SIZES = (10**3, 10**4, 10**5)
COMPARED = 10**5  # rows
BUDGET = 2.0  # seconds per family and size

INDICES = ("repeat", "fold", "row_id")
CONFIDENCES = ("confidence.neg", "confidence.pos")


def weka(scores):
    header = _header(
        "@attribute {} {}", (*INDICES, *CONFIDENCES, "prediction", "correct"), "{neg,pos}"
    )
    return header + "".join(
        f"0,{row % 10},{row},{1 - score:.6f},{score:.6f},{_label(score)},neg\n"
        for row, score in enumerate(scores)
    )


def mlr(scores):
    header = _header(
        "@attribute '{}' {}", (*INDICES, "prediction", "truth", *CONFIDENCES), "{'neg','pos'}"
    )
    return header + "".join(
        f'0,{row % 10},{row},"{_label(score)}","neg",{1 - score:.15g},{score:.15g}\n'
        for row, score in enumerate(scores)
    )


def python(scores):
    names = ("repeat", "fold", "sample", "row_id", "prediction", "correct", *CONFIDENCES)
    rows = "".join(
        f"0,{row % 10},0,{row},{_label(score)},neg,{1 - score!r},{score!r}\n"
        for row, score in enumerate(scores)
    )
    return _header("@ATTRIBUTE {} {}", names, "{neg, pos}") + rows + "% "


FAMILIES = {"Weka": weka, "mlr": mlr, "Python": python}


def _header(attribute, names, labels):
    types = {name: labels for name in ("prediction", "correct", "truth")}
    lines = [attribute.format(name, types.get(name, "numeric")) for name in names]
    return "\n".join(["@relation x", *lines, "@data", ""])


def _label(score):
    return "pos" if score > 0.5 else "neg"


def readers(text):
    """Functions that read a file with liac-arff and with this project's reader."""
    import arff  # a dependency of the openml package, which no other benchmark needs

    content = text.encode()
    return [
        lambda: arff.loads(text),
        lambda: read_predictions_file(io.BytesIO(content), "benchmark"),
    ]


def comparisons():
    """This project's reader and liac-arff on large files."""
    rng = np.random.default_rng(0)
    for family, write in FAMILIES.items():
        theirs, ours = readers(write(rng.random(COMPARED).tolist()))
        yield compare(
            f"arff {family}",
            f"read {COMPARED:,} OpenML predictions of {family}",
            ("`read_predictions_file`", ours),
            (f"{released('liac-arff')}, without checks", theirs),
        )


def run():
    rng = np.random.default_rng(0)
    print("Reading a file of predictions: this project's reader, which also checks the values,")
    print("compared with arff.loads of liac-arff (medians of paired runs)\n")
    print("| family | rows | liac-arff, ms | ours, ms | ratio |")
    print("|---|---|---|---|---|")
    for family, write in FAMILIES.items():
        for n_rows in SIZES:
            functions = readers(write(rng.random(n_rows).tolist()))
            theirs, ours = median_seconds(functions, budget=BUDGET)
            print(
                f"| {family} | {n_rows:,} | {1e3 * theirs:.2f} | {1e3 * ours:.2f} | "
                f"{theirs / ours:.1f} |",
                flush=True,
            )
