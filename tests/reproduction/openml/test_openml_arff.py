"""Files of predictions and of datasets, as programs write them."""

import re

import pytest

from reproduction.openml.arff import read_target
from reproduction.openml.reasons import ExcludedError
from reproduction.openml.run_predictions import read_fields

WEKA = """\
@relation openml_task_7608_predictions

@attribute repeat numeric
@attribute fold numeric
@attribute row_id numeric
@attribute confidence.neg numeric
@attribute confidence.pos numeric
@attribute prediction {neg,pos}
@attribute correct {neg,pos}

@data
0,0,4,0.922696,0.077304,neg,neg
0,9,17,0.31,0.69,pos,neg
1,3,4,0,1,pos,pos
"""
HEADER, ROWS = WEKA.split("@data\n")
READ = {
    "Weka": WEKA,
    "numbered names": re.sub(r"repeat|fold", r"\g<0>_nr", WEKA),
    "byte-order mark": "\ufeff" + WEKA,
    "NULs": WEKA.replace("0.31", "0.\x003\x001") + "\0\0",
    "CRLF": WEKA.replace("\n", "\r\n"),
    "comments": f"% a\n{HEADER}@data\n% @data\n{ROWS}%",
    "labels declared as strings": WEKA.replace("{neg,pos}", "string"),
    "blanks after commas": HEADER + "@data\n" + ROWS.replace(",", ", "),
    "another column": HEADER.replace("@attribute fold", "@attribute x string\n@attribute fold")
    + "@data\n"
    + re.sub(r"(?m)^(\d),", r"\1,?,", ROWS),
}


@pytest.fixture
def read(tmp_path):
    def read(text, reader=read_fields):
        path = tmp_path / "file.arff"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return reader(path)

    return read


@pytest.mark.parametrize("name", READ)
def test_predictions_are_read(read, name):
    found = read(READ[name])
    assert found["repeat"].tolist() == [0, 0, 1]
    assert found["fold"].tolist() == [0, 9, 3]
    assert found["row_id"].tolist() == [4, 17, 4]
    assert found["prediction"].tolist() == ["neg", "pos", "pos"]
    assert found["truth"].tolist() == ["neg", "neg", "pos"]
    assert found["confidence.neg"].tolist() == [0.922696, 0.31, 0]
    assert found["confidence.pos"].tolist() == [0.077304, 0.69, 1]


# The name of a column as the file writes it, the label in its rows, the label.
LABELS = {
    "escaped quote": (r"'confidence.it\'s'", r"'it\'s'", "it's"),
    "bin of Weka": (r"'confidence.\'(-inf-0.5]\''", r"'\'(-inf-0.5]\''", "(-inf-0.5]"),
    "blanks": ("'confidence.to be sure'", '"to be sure"', "to be sure"),
    "percent": (r"'confidence.50\%'", r"'50\%'", "50%"),
    "unicode": ("confidence.été", "'été'", "été"),
}


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_labels_of_names_and_rows_agree(read, name, encoding):
    in_header, in_row, label = LABELS[name]
    text = WEKA.replace("confidence.neg", in_header).replace(",neg", f",{in_row}")
    found = read(text.replace("{neg", f"{{{in_row}").encode(encoding))
    assert found["prediction"].tolist() == [label, "pos", "pos"]
    assert found[f"confidence.{label}"].tolist() == [0.922696, 0.31, 0]


def changed(old, new, text=WEKA):
    assert old in text
    return text.replace(old, new)


HTML = "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>\n"
REJECTED = {
    "HTML": (HTML, "refused"),
    "unknown type": (changed("fold numeric", "fold date"), "malformed"),
    "two truths": (changed("prediction", "truth"), "malformed"),
    "label twice": (changed("confidence.neg", "'confidence. pos'"), "malformed"),
    "no fold": (changed("@attribute fold", "@attribute x"), "missing_column"),
    "no confidences": (changed("@attribute confidence", "@attribute x"), "no_confidences"),
    "three confidences": (changed("prediction {neg,pos}", "confidence.x string"), "not_binary"),
    "no rows": (HEADER + "@data\n% none\n", "no_rows"),
    "cut in a row": (WEKA[:-9], "malformed"),
    "a percent sign in an error": (changed("0,9,17", "0,9,17%d"), "malformed"),
    "divided by blanks": (HEADER + "@data\n" + ROWS.replace(",", " "), "malformed"),
    "an undeclared label": (changed("neg,neg", "other,neg"), "malformed"),
    "missing fold": (changed("0,9,17", "0,?,17"), "bad_index"),
    "fraction": (changed("0,9,17", "0,9,17.5"), "bad_index"),
    "above exact floats": (changed("0,9,17", "0,9,9007199254740992"), "bad_index"),
    **{
        f"confidence {text!r}": (changed("0.69", text), "bad_confidence")
        for text in ("?", "", "NaN", "Infinity", "1e400")
    },
    "confidence FALSE": (
        changed("neg numeric", "neg {FALSE, 0.31,0}").replace("0.922696", "FALSE"),
        "bad_confidence",
    ),
}


@pytest.mark.parametrize("name", REJECTED)
def test_other_files_are_rejected_with_a_reason(read, name):
    text, reason = REJECTED[name]
    with pytest.raises(ExcludedError) as error:
        read(text)
    assert error.value.reason == reason
    assert str(error.value)


DATASET_FILE = """\
@relation people
@attribute 'a name' string
@attribute age {young,old}
@attribute 'Class' {'is ok', no}
@attribute weight real
@data
'Smith, John',young,'is ok',1.5
"O'Hara",old,no,?
% nobody
?,?,?,3
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [(" 'Class' ", ["is ok", "no", None]), ("weight", ["1.5", None, "3.0"])],
)
def test_the_target_of_a_dataset(read, name, expected):
    assert read(DATASET_FILE, lambda path: read_target(path, name)).tolist() == expected
    with pytest.raises(ExcludedError, match="missing_column: no column has the name 'class'"):
        read(DATASET_FILE, lambda path: read_target(path, "class"))


def test_sparse_rows_leave_out_first_labels(read):
    text = "@relation x\n@attribute x real\n@attribute Class {a,b}\n@data\n{0 3,1 b}\n{0 1}\n"
    assert read(text, lambda path: read_target(path, "Class")).tolist() == ["b", "a"]
