"""Labels of metrics, texts of corrections and of reasons: every name in a table has its words."""

import ast
from pathlib import Path

import pytest

import reproduction.openml
from reproduction.claims.catalogue import CLAIMS
from reproduction.openml.reasons import REASONS
from reproduction.ranking.rank_correlation import CORRECTIONS as NAMES
from reproduction.report.corrections import CORRECTIONS
from reproduction.report.labels import Labels, sentence, typeset
from reproduction.settings import Config

OPENML = Path(reproduction.openml.__file__).parent
PLUGIN = """
from calibrated_metrics import register_score


@register_score(label="share of positives")
def share_of_positives(curve):
    return curve.prior
"""


@pytest.fixture(scope="module")
def labels():
    return Labels(Config())


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("average_precision", "AUC-PR"),
        ("fbeta(threshold=0.5)@pi0=0.5", "F1$_c$ (π$_0$=0.5)"),
        ("best_fbeta@pi0=1.01π", "best F1$_c$ (π$_0$=1.01π)"),
        ("best_fbeta@pi0=10π", "best F1$_c$ (π$_0$=10π)"),
        ("f1", "F1"),
        ("unknown", "unknown"),
    ],
)
def test_label(labels, key, label):
    assert labels[key] == label


def test_label_at_a_reference_prior(labels):
    assert labels.at("average_precision", "0.00845654") == "AUC-P$_c$R (π$_0$=0.0085)"
    assert labels.at("average_precision", "") == "AUC-PR"
    assert labels.at("unknown", "0.5") == "unknown"


def test_labels_in_a_text(labels):
    text = "no row with metric fbeta(threshold=0.5)@pi0=0.5, prior 0.1, or roc_auc_of_others"

    assert labels.in_text(text) == (
        "no row with metric F1$_c$ (π$_0$=0.5), prior 0.1, or roc_auc_of_others"
    )


def test_label_of_a_plugin(tmp_path):
    plugin = tmp_path / "mine.py"
    plugin.write_text(PLUGIN, encoding="utf-8")
    everywhere = [{"score": "share_of_positives"}, {"score": "share_of_positives", "pi0": 0.5}]
    metrics = {"plugins": [str(plugin)], "everywhere": everywhere}

    labels = Labels(Config.model_validate({"metrics": metrics}))

    assert labels["share_of_positives"] == "share of positives"
    assert labels["share_of_positives@pi0=0.5"] == "calibrated share of positives (π$_0$=0.5)"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("F1$_c$ (π$_0$=0.5)", "F1<sub>c</sub> (π<sub>0</sub>=0.5)"),
        ("AUC-P_cR Gain, F1_c and Prec_c", None),
        ("<b> & _clf_curve, my_csv", "&lt;b&gt; &amp; _clf_curve, my_csv"),
    ],
)
def test_typeset(text, html):
    html = html or "AUC-P<sub>c</sub>R Gain, F1<sub>c</sub> and Prec<sub>c</sub>"
    assert typeset(text) == html


def test_a_sentence_begins_with_a_capital_letter_that_is_not_greek():
    assert sentence("all <tasks>") == "All &lt;tasks&gt;"
    assert sentence("π is 1") == "π is 1"
    assert sentence("") == ""


def test_no_claim_names_a_metric_by_its_key(labels):
    keys = [key for key in ("average_precision", "prg_auc", "best_fbeta", "roc_auc", "@pi0")]
    for claim in CLAIMS:
        assert not [key for key in keys if key in claim.statement], claim.id
        assert not [key for key in keys if claim.known_gap and key in claim.known_gap.reason]


def test_every_correction_has_a_text():
    assert {*NAMES, "all"} <= set(CORRECTIONS)


def reasons_in(source: str) -> set[str]:
    """Strings that a module passes as the reason of an error, or assigns to `reason`."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            where = node.args[0] if name in ("ExcludedError", "PredictionsError", "error") else None
        elif isinstance(node, ast.Assign):
            named = any(getattr(target, "id", "") == "reason" for target in node.targets)
            where = node.value if named else None
        else:
            continue
        texts = ast.walk(where) if where is not None else ()
        found |= {each.value for each in texts if isinstance(each, ast.Constant)}
    return {each for each in found if isinstance(each, str) and each.isidentifier()}


def test_every_reason_of_openml_has_a_text():
    reasons = set().union(*(reasons_in(path.read_text("utf-8")) for path in OPENML.glob("*.py")))

    assert {"not_arff", "incomplete", "foreign_host", "one_class_fold"} <= reasons
    assert reasons <= set(REASONS)


def test_a_reason_without_text_is_noticed():
    assert reasons_in('raise ExcludedError("new", "x")\nreason = "a" if b else "c"') == {
        *("new", "a", "c"),
    }
