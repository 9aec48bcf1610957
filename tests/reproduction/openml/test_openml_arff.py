import io
import re
from types import SimpleNamespace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given
from openml_stand_in import PredictionTable

from reproduction.openml.arff import label_text, read_arff_column
from reproduction.openml.reasons import ExcludedError
from reproduction.openml.run_predictions import read_predictions_file

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
MOA = """\
@relation openml_task_7608_predictions
@attribute repeat numeric
@attribute fold numeric
@attribute sample numeric
@attribute row_id numeric
@attribute confidence.neg numeric
@attribute confidence.pos numeric
@attribute prediction {neg,pos}
@attribute correct {neg,pos}
@data
0,0,0,4,0.922696,0.077304,neg,neg
0,9,0,17,0.31,0.69,pos,neg
1,3,0,4,0,1,pos,pos
"""
PYTHON = """\
% Python_3.10.4.
% Created by run_flow_on_task
@RELATION openml_task_7608_predictions

@ATTRIBUTE repeat NUMERIC
@ATTRIBUTE fold NUMERIC
@ATTRIBUTE sample NUMERIC
@ATTRIBUTE row_id NUMERIC
@ATTRIBUTE prediction {neg, pos}
@ATTRIBUTE correct {neg, pos}
@ATTRIBUTE confidence.neg NUMERIC
@ATTRIBUTE confidence.pos NUMERIC

@DATA
0,0,0,4,neg,neg,0.922696,0.077304
0,9,0,17,pos,neg,0.31,0.69
1,3,0,4,pos,pos,0.0,1.0
% """
MLR = """\
@relation 'x'
@attribute 'repeat' numeric
@attribute 'fold' numeric
@attribute 'row_id' numeric
@attribute 'prediction' {'neg','pos'}
@attribute 'truth' {'neg','pos'}
@attribute 'confidence.neg' numeric
@attribute 'confidence.pos' numeric
@data
0,0,4,"neg","neg",0.922696,0.077304
0,9,17,"pos","neg",0.31,0.69
1,3,4,"pos","pos",0,1
\0"""
SHARK = """\
@RELATION shark
@ATTRIBUTE repeat INTEGER
@ATTRIBUTE fold INTEGER
@ATTRIBUTE rowid INTEGER
@ATTRIBUTE prediction {pos,neg}
@ATTRIBUTE confidence.pos REAL
@ATTRIBUTE confidence.neg REAL
@DATA
0,0,4,neg,0.077304,0.922696
0,9,17,pos,0.69,0.31
1,3,4,pos,1,0
"""
FAMILIES = {
    "Weka": WEKA,
    "MOA": MOA,
    "Python": PYTHON,
    "mlr": MLR,
    "Shark": SHARK,
}
HEADER, ROWS = WEKA.split("@data\n")
FIRST, SECOND, THIRD = ROWS.splitlines()


def read(text) -> SimpleNamespace:
    content = text if isinstance(text, bytes) else text.encode()
    found = {"prediction": None, "truth": None}
    found |= read_predictions_file(io.BytesIO(content), "file")
    labels = [name for name in found if name.startswith("confidence.")]
    confidence = {label.removeprefix("confidence."): found.pop(label) for label in labels}
    return SimpleNamespace(**found, confidence=confidence, labels=tuple(confidence))


def assert_as_weka(found, *, has_truth=True):
    assert found.repeat.tolist() == [0, 0, 1]
    assert found.fold.tolist() == [0, 9, 3]
    assert found.row_id.tolist() == [4, 17, 4]
    assert found.prediction.tolist() == ["neg", "pos", "pos"]
    if has_truth:
        assert found.truth.tolist() == ["neg", "neg", "pos"]
    else:
        assert found.truth is None
    assert found.confidence.keys() == {"neg", "pos"}
    assert found.confidence["neg"].tolist() == [0.922696, 0.31, 0]
    assert found.confidence["pos"].tolist() == [0.077304, 0.69, 1]


def error_of(text, *, reader=read) -> ExcludedError:
    with pytest.raises(ExcludedError) as caught:
        reader(text)
    return caught.value


def without(column, text=WEKA):
    """The text of a file without the attribute at that place and its values."""
    header, rows = text.split("@data\n")
    lines = header.splitlines()
    places = [place for place, line in enumerate(lines) if line.startswith("@attribute")]
    del lines[places[column]]
    rows = [row.split(",") for row in rows.splitlines()]
    for row in rows:
        del row[column]
    return "\n".join([*lines, "@data", *map(",".join, rows)])


class TestFamilies:
    @pytest.mark.parametrize("family", FAMILIES)
    def test_read(self, family):
        assert_as_weka(read(FAMILIES[family]), has_truth=family != "Shark")

    def test_labels_are_in_file_order(self):
        for text, labels in ((WEKA, ("neg", "pos")), (SHARK, ("pos", "neg"))):
            assert read(text).labels == labels
            assert tuple(read(text).confidence) == labels

    @pytest.mark.parametrize("order", [[6, 5, 4, 3, 2, 1, 0], [5, 3, 0, 6, 1, 4, 2]])
    def test_any_order_of_the_columns(self, order):
        attributes = [line for line in HEADER.splitlines() if line.startswith("@attribute")]
        rows = [row.split(",") for row in ROWS.splitlines()]
        lines = ["@relation x", *(attributes[column] for column in order), "@data"]
        lines += [",".join(row[column] for column in order) for row in rows]
        assert_as_weka(read("\n".join(lines)))

    def test_no_prediction(self):
        found = read(without(5))
        assert found.prediction is None
        assert found.truth.tolist() == ["neg", "neg", "pos"]

    def test_other_columns_do_not_matter(self):
        text = WEKA.replace("@attribute fold", "@attribute Note string\n@attribute fold")
        assert_as_weka(read(re.sub(r"(?m)^(\d),", r"\1,?,", text)))


LINE_ENDS = {"CRLF": "\r\n", "CR": "\r"}
TOLERATED = {
    "numbered names": re.sub(r"repeat|fold", r"\g<0>_nr", WEKA),
    "byte-order mark": "\ufeff" + WEKA,
    "NUL at the end": WEKA + "\0",
    "NULs anywhere": "\0" + WEKA.replace("0.31", "0.\x003\x001") + "\0\0",
    "no final line end": WEKA.rstrip("\n"),
    "comments": f"% a\n{HEADER}@data\n% @data\n{FIRST}\n%,,\n  % b\n{SECOND}\n{THIRD}\n%",
    "comments in the header": WEKA.replace("\n@", "\n%@data\n  %\n@"),
    "comments behind attributes": WEKA.replace("}\n", "} % {x}\n").replace(
        "numeric\n", "numeric %\n"
    ),
    "comment behind @data": WEKA.replace("@data", "@data % 3 rows"),
    "blank lines": f"\n\n{HEADER}\n@data\n\n\n{FIRST}\n\n{SECOND}\n \t \n{THIRD}\n\n \n",
    "indented": WEKA.replace("\n", "\n \t"),
    "blanks before line ends": WEKA.replace("\n", "\t \n"),
    "upper case": WEKA.upper().replace("NEG", "neg").replace("POS", "pos"),
    "mixed case": WEKA.replace("@attribute", "@Attribute").replace("numeric", "Numeric"),
    "tabs in the header": WEKA.replace(" ", "\t"),
    "wide header": WEKA.replace(" ", "   "),
    "no blank before the labels": WEKA.replace(" {", "{"),
    "labels in another order": WEKA.replace("{neg,pos}", "{pos, neg}"),
    "labels declared as strings": WEKA.replace("{neg,pos}", "string"),
    "ranges": WEKA.replace("numeric", "real [0, 9]"),
    "weights": WEKA.replace("numeric", "numeric {2.5}"),
    "double-quoted names": re.sub(r"@attribute (\S+)", r'@attribute "\1"', WEKA),
    "quoted names with blanks": re.sub(r"@attribute (\S+)", r"@attribute ' \1 '", WEKA),
    "quoted names without a blank": re.sub(r"@attribute (\S+) {", r"@attribute '\1'{", WEKA),
    "nominal confidences": WEKA.replace("confidence.neg numeric", "confidence.neg {0,1}"),
    "indices with decimals": HEADER
    + "@data\n"
    + re.sub(r"(?m)^(\d),(\d),(\d+)", r"\1.0,\2.,\3e0", ROWS),
    "quoted numbers": HEADER + "@data\n" + re.sub(r"([\d.]+)", r'"\1"', ROWS),
    "quoted labels": HEADER + "@data\n" + re.sub(r"(neg|pos)", r"'\1'", ROWS),
    "either quote": WEKA.replace(",neg", ",'neg'").replace(",pos", ',"pos"'),
    "quotes on some": WEKA.replace(",neg,neg", ",'neg',neg"),
    "blanks within quotes": WEKA.replace(",neg", ",' neg '"),
    "blanks after commas": HEADER + "@data\n" + ROWS.replace(",", ", "),
    "blanks around commas and quotes": HEADER
    + "@data\n"
    + ROWS.replace(",", " ,\t").replace("neg", "'neg'"),
    "rows divided by blanks": HEADER + "@data\n" + ROWS.replace(",", " "),
    "rows divided by tabs": HEADER + "@data\n" + ROWS.replace(",", "\t"),
    "rows divided by several blanks": HEADER + "@data\n" + ROWS.replace(",", " \t "),
    "rows divided by blanks, quoted": HEADER
    + "@data\n"
    + ROWS.replace(",", " ").replace("neg", '"neg"'),
    "one row divided by blanks": WEKA.replace(SECOND, SECOND.replace(",", " ")),
}


class TestTolerances:
    @pytest.mark.parametrize("name", TOLERATED)
    def test_read_as_if_it_were_clean(self, name):
        assert TOLERATED[name] != WEKA
        assert_as_weka(read(TOLERATED[name]))

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("line_end", LINE_ENDS)
    def test_line_ends(self, family, line_end):
        text = FAMILIES[family].replace("\n", LINE_ENDS[line_end])
        assert_as_weka(read(text), has_truth=family != "Shark")

    @pytest.mark.parametrize(
        "text",
        ["1", "+1", "1.", ".5", "0.1", "1e-3", "2.5E+01", "-3", "1e-400", "0.1234567890123456789"],
    )
    def test_numbers_are_those_of_python(self, text):
        assert read(WEKA.replace("0.922696", text)).confidence["neg"][0] == float(text)

    def test_missing_labels_are_none(self):
        found = read(WEKA.replace("neg,neg", " \t?\t ,neg").replace("pos,pos", "pos,"))
        assert found.prediction.tolist() == [None, "pos", "pos"]
        assert found.truth.tolist() == ["neg", "neg", None]

    def test_a_quoted_question_mark_is_a_label(self):
        assert read(WEKA.replace("neg,neg", "'?',neg")).prediction[0] == "?"

    def test_foreign_labels_are_kept(self):
        assert read(WEKA.replace("neg,neg", "1,neg")).prediction.tolist() == ["1", "pos", "pos"]

    def test_one_sample_size_of_any_value(self):
        assert_as_weka(read(re.sub(r"(?m)^(\d,\d),0,", r"\1,7,", MOA)))
        assert_as_weka(read(re.sub(r"(?m)^(\d,\d),0,", r"\1,?,", MOA)))


# The attribute's name as the file writes it, the field of a row, the label.
LABELS = {
    "escaped quote": (r"'confidence.it\'s'", r"'it\'s'", "it's"),
    "quote in a bare name": ("confidence.it's", r"'it\'s'", "it's"),
    "quote without an escape": ("'confidence.it's'", '"it\'s"', "it's"),
    "quote without an escape in single quotes": ("'confidence.it's'", "'it's'", "it's"),
    "bare quote": ("confidence.it's", "it's", "it's"),
    "bin of Weka": (r"'confidence.\'(-inf-0.5]\''", r"'\'(-inf-0.5]\''", "(-inf-0.5]"),
    "bin without quotes": ("confidence.(-inf-0.5]", "(-inf-0.5]", "(-inf-0.5]"),
    "bin in one of two places": (r"'confidence.\'(1-2]\''", '"(1-2]"', "(1-2]"),
    "blanks": ("'confidence.to be sure'", '"to be sure"', "to be sure"),
    "blanks in a bare name": ("confidence.to be sure", "to be sure", "to be sure"),
    "blank and type in a bare name": ("confidence.not real", "'not real'", "not real"),
    "blanks around": ("'confidence. neg '", "' neg'", "neg"),
    "comma": ("'confidence.yes, sir'", '"yes, sir"', "yes, sir"),
    "commas only": ("'confidence.,,'", "',,'", ",,"),
    "double quotes": ('"confidence.say "hi" you"', r'"say \"hi\" you"', 'say "hi" you'),
    "escaped double quotes": (r'"confidence.a \"b\" c"', "'a \"b\" c'", 'a "b" c'),
    "percent": (r"'confidence.50\%'", r"'50\%'", "50%"),
    "bare percent": ("confidence.%", "%", "%"),
    "backslash": (r"'confidence.a\\b'", r"'a\\b'", r"a\b"),
    "backslash in a bare name": (r"confidence.a\nb", r"a\nb", r"a\nb"),
    "backslash before a letter": (r"'confidence.a\db'", r'"a\db"', r"a\db"),
    "line end": (r"'confidence.a\nb'", r"'a\nb'", "a\nb"),
    "tab and return": (r"'confidence.a\tb\rc'", r"'a\tb\rc'", "a\tb\rc"),
    "backslash before an n": (r"'confidence.a\\nb'", r"'a\\nb'", r"a\nb"),
    "unicode": ("confidence.été ≥ 1", "'été ≥ 1'", "été ≥ 1"),
    "braces": ("'confidence.{a}'", "'{a}'", "{a}"),
    "braces in a bare name": ("confidence.{a}", "{a}", "{a}"),
    "question mark": ("confidence.?", "'?'", "?"),
    "number": ("confidence.1", "'1'", "1"),
    "decimal": ("confidence.1.0", "1.0", "1.0"),
    "word for missing": ("confidence.NULL", "NULL", "NULL"),
    "empty": ("'confidence.'", "''", ""),
    "upper case": ("CONFIDENCE.Neg", "Neg", "Neg"),
    "prefix twice": ("confidence.confidence.", "confidence.", "confidence."),
}


class TestLabels:
    @pytest.mark.parametrize("name", LABELS)
    @pytest.mark.parametrize("kind", ["numeric", "REAL % comment"])
    def test_of_names_and_rows_agree(self, name, kind):
        in_header, in_row, label = LABELS[name]
        text = WEKA.replace("confidence.neg numeric", f"{in_header} {kind}")
        found = read(text.replace(",neg", f",{in_row}"))
        assert found.labels == (label, "pos")
        assert found.prediction.tolist() == [label, "pos", "pos"]
        assert found.truth.tolist() == [label, label, "pos"]
        assert found.confidence[label].tolist() == [0.922696, 0.31, 0]

    @pytest.mark.parametrize("name", sorted(LABELS.keys() - {"blanks in a bare name"}))
    def test_in_rows_divided_by_blanks(self, name):
        in_header, in_row, label = LABELS[name]
        if " " in in_row and in_row[0] not in "'\"":
            pytest.skip("no reader could tell")
        rows = ROWS.replace(",", " ").replace("neg", in_row)
        header = HEADER.replace("confidence.neg", in_header)
        assert read(f"{header}@data\n{rows}").truth.tolist() == [label, label, "pos"]

    def test_only_case_apart(self):
        text = WEKA.replace("confidence.neg", "confidence.POS")
        assert read(text).labels == ("POS", "pos")

    def test_of_latin_1(self):
        text = "% Université\n" + WEKA.replace("neg", "négatif").replace("pos", "'où'")
        for encoding in ("utf-8", "latin-1"):
            found = read(text.replace("confidence.'où'", "'confidence.où'").encode(encoding))
            assert found.labels == ("négatif", "où")
            assert found.truth.tolist() == ["négatif", "négatif", "où"]

    def test_text_of_a_label(self):
        for text in ("a", " a\t", "'a'", '"a"', " ' a ' ", "\"'a'\"", "''a''", "'a"):
            assert label_text(text) == "a"
        assert label_text("it's") == "it's"
        assert label_text("''") == ""

    @given(st.text("'\" a"))
    def test_text_of_a_label_is_final(self, text):
        assert label_text(label_text(text)) == label_text(text)


def changed(old, new, text=WEKA):
    assert old in text
    return text.replace(old, new)


HTML = "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>\n"
REJECTED = {
    "empty": ("", "refused", "no @data"),
    "HTML": (HTML, "refused", "DOCTYPE"),
    "text": ("Database connection error. Usually due to high load", "refused", "Database"),
    "no @data": (HEADER, "refused", "no @data"),
    "@data in a comment": (HEADER + "% @data\n", "refused", "no @data"),
    "@data with more": (HEADER + "@data_1\n", "refused", "no @data"),
    "no type": (changed("fold numeric", "fold"), "malformed_header", "line 4 .*@attribute fold"),
    "unknown type": (changed("fold numeric", "fold number"), "malformed_header", "line 4 "),
    "open quote": (changed("fold numeric", "'fold numeric"), "malformed_header", "line 4 "),
    "open brace": (
        changed("prediction {neg,pos}", "prediction {neg"),
        "malformed_header",
        "line 8 ",
    ),
    "column twice": (
        changed("correct", "prediction"),
        "malformed_header",
        "two columns are the field 'prediction'",
    ),
    "column twice, case apart": (
        changed("correct", "Prediction"),
        "malformed_header",
        "two .*prediction",
    ),
    "two truths": (changed("prediction", "truth"), "malformed_header", "two columns .* 'truth'"),
    "two row numbers": (
        changed("prediction", "rowid"),
        "malformed_header",
        "two columns .* 'row_id'",
    ),
    "label twice": (
        changed("confidence.neg", "'confidence.\"pos\"'"),
        "malformed_header",
        "two columns .* 'confidence.pos'",
    ),
    "no repeat": (without(0), "missing_column", "repeat"),
    "no fold": (without(1), "missing_column", "fold"),
    "no row_id": (without(2), "missing_column", "row_id"),
    "no attributes": ("@relation x\n@data\n0,0\n", "missing_column", "repeat"),
    "no confidences": (without(3, without(3)), "no_confidences", "no confidence column"),
    "one confidence": (without(4), "not_binary", "of 1 labels"),
    "three confidences": (
        changed("prediction {neg,pos}", "confidence.x real"),
        "not_binary",
        "of 3 labels",
    ),
    "no rows": (HEADER + "@data\n", "no_rows", "no row"),
    "no line after @data": (HEADER + "@data", "no_rows", "no row"),
    "comments only": (HEADER + "@data\n\n% 0,0,4,1,0,neg,neg\n \0", "no_rows", "no row"),
    "cut": (WEKA[:-9], "malformed_row", f"line 14 .* 7 fields .*{THIRD[:-8]}"),
    "field too many": (changed(FIRST, FIRST + ",neg"), "malformed_row", "line 12 "),
    "comma at the end": (changed(SECOND, SECOND + ","), "malformed_row", "line 13 "),
    "short row, then a long one": (
        changed("neg,neg\n0,9", "neg\nneg,0,9"),
        "malformed_row",
        "line 12 ",
    ),
    "row by row too short": (
        changed(SECOND, SECOND.replace(",", " ")[:-4]),
        "malformed_row",
        "line 13 ",
    ),
    "commas and blanks": (changed("0,9,17,", "0 9,17,"), "malformed_row", "line 13 "),
    "comma between blanks": (
        HEADER + "@data\n" + ROWS.replace(",", " ").replace("17 ", "17,1 "),
        "malformed_row",
        "line 13 ",
    ),
    "comma in quotes makes up for a cut": (
        changed("pos,neg", "'pos,neg'"),
        "malformed_row",
        "line 13 ",
    ),
    "comma in double quotes makes up for a cut": (
        changed("pos,neg", '"pos,neg"'),
        "malformed_row",
        "line 13 ",
    ),
    "blanks around such quotes": (changed("pos,neg", " 'pos,neg' "), "malformed_row", "line 13 "),
    "open quote in a row": (changed("neg,neg", "'neg,neg"), "malformed_row", "line 12 "),
    "other quote in a row": (changed("neg,neg", "'neg\",neg"), "malformed_row", "line 12 "),
    "lone quote in a row": (changed("neg,neg", "',neg"), "malformed_row", "line 12 "),
    "lone quote between blanks": (changed("neg,neg", "neg, ' "), "malformed_row", "line 12 "),
    "escaped end quote": (changed("neg,neg", r"neg,'neg\'"), "malformed_row", "line 12 "),
    "sparse": (HEADER + "@data\n{2 4,3 1,5 neg}\n", "sparse", "line 12 "),
    "missing fold": (changed("0,9,17", "0,?,17"), "bad_index", "fold' .* row 2 of 3"),
    "empty fold": (changed("0,9,17", "0,,17"), "bad_index", "fold' .* row 2 of 3"),
    "fraction": (changed("0,9,17", "0,9,17.5"), "bad_index", "row_id' .* row 2 of 3"),
    "negative": (changed("1,3,4", "1,3,-4"), "bad_index", "row_id' .* row 3 of 3"),
    "name for a number": (changed("1,3,4", "one,3,4"), "bad_index", "repeat' .* row 3 of 3"),
    "hexadecimal": (changed("1,3,4", "0x1,3,4"), "bad_index", "repeat' .* row 3"),
    "underscore": (changed("0,9,17", "0,9,1_7"), "bad_index", "row_id' .* row 2"),
    "infinite": (changed("0,9,17", "0,9,inf"), "bad_index", "row_id' .* row 2"),
    "above exact floats": (
        changed("0,9,17", "0,9,9007199254740992"),
        "bad_index",
        "row_id' .* row 2",
    ),
    "above integers": (changed("0,9,17", "0,9,1e300"), "bad_index", "row_id' .* row 2"),
    "blank-separated with a missing fold": (
        HEADER + "@data\n" + ROWS.replace(",", " ").replace("0 9 17", "0 ? 43"),
        "bad_index",
        "fold",
    ),
    **{
        f"confidence {text!r}": (
            changed("0.69", text),
            "bad_confidence",
            "pos' is not a finite .* row 2 of 3",
        )
        for text in ("?", "", "NaN", "nan", "Infinity", "-inf", "1e400", "TRUE", "1_0", "٣", "'?'")
    },
    "confidences of a response": (
        changed("confidence.neg numeric", "confidence.neg {FALSE, TRUE}").replace("0.922696", "?"),
        "bad_confidence",
        "neg'",
    ),
}


class TestRejections:
    @pytest.mark.parametrize("name", REJECTED)
    def test_with_reason(self, name):
        text, reason, message = REJECTED[name]
        error = error_of(text)
        assert error.reason == reason
        assert re.fullmatch(rf"file: .*{message}.*", error.detail)

    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
    def test_lines_are_counted_as_editors_do(self, line_end):
        text = f"\ufeff% a\n\n{HEADER}\n@data\n\n%\n{FIRST}\n% b\n\n0,9\n"
        number = text.splitlines().index("0,9") + 1
        error = error_of(text.replace("\n", line_end))
        assert f"line {number} " in str(error)

    @pytest.mark.parametrize("family", FAMILIES)
    def test_every_cut_within_a_row_is_seen(self, family):
        """Only a number or a label may be cut without a trace, and only the last of a row."""
        text = FAMILIES[family].rstrip("% \0\n")
        complete = text.rindex(",") + 2
        begin = text.rindex("\n") + 1
        assert complete - begin > 6
        for end in range(begin + 1, complete - 1):
            assert error_of(text[:end]).reason in ("malformed_row", "bad_index")

    def test_a_cut_at_a_line_end_is_not(self):
        assert len(read(WEKA.removesuffix(THIRD + "\n")).repeat) == 2


label = st.text("ab'\",%{}.é \\[-", min_size=1).filter(lambda text: label_text(text) == text)
two_labels = st.lists(label, min_size=2, max_size=2, unique=True)
index = st.integers(0, 2**53 - 1)
number = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(allow_nan=False, allow_infinity=False))
row = st.tuples(index, index, index, number, number, *[st.integers(-1, 1)] * 2)
table = st.lists(row, min_size=1, max_size=4)


class TestRoundTrip:
    @given(st.sampled_from(["weka", "python_new", "mlr", "blank_separated"]), two_labels, table)
    def test_what_was_written_is_read(self, family, labels, rows):
        if family == "python_new":
            # Its names have no escapes, so no reader could tell a backslash from one.
            assume("\\" not in "".join(labels))
        repeat, fold, row_id, first, second, prediction, truth = map(
            np.array, zip(*rows, strict=True)
        )
        confidences = np.column_stack([first, second])
        written = PredictionTable(
            1, tuple(labels), repeat, fold, row_id, truth, prediction, confidences
        )
        found = read(written.arff(family))
        indices = [found.repeat, found.fold, found.row_id]
        assert [each.tolist() for each in indices] == [
            each.tolist() for each in (repeat, fold, row_id)
        ]
        texts = [*labels, None]
        assert found.prediction.tolist() == [texts[place] for place in prediction]
        assert found.truth.tolist() == [texts[place] for place in truth]
        assert np.column_stack([*found.confidence.values()]).tobytes() == confidences.tobytes()
        assert found.labels == tuple(labels)


DATASET = """\
@relation people
@attribute 'a name' string
@attribute born date "yyyy-MM-dd"
@attribute age{young,old}
@attribute 'Class' {'is ok', no}
@attribute weight real
@data
'Smith, John',"1980-01-01",young,'is ok',1.5
"O'Hara",?,old,no,?
% nobody
?,"1980-01-02",?,?,3
"""


class TestDatasetColumn:
    @pytest.fixture
    def column(self, tmp_path):
        def read_column(text, name="Class"):
            path = tmp_path / "dataset.arff"
            path.write_bytes(text.encode())
            return read_arff_column(path, name)

        return read_column

    def test_any_column(self, column):
        assert column(DATASET).tolist() == ["is ok", "no", None]
        assert column(DATASET, "age").tolist() == ["young", "old", None]
        assert column(DATASET, "a name").tolist() == ["Smith, John", "O'Hara", None]
        assert column(DATASET, "weight").tolist() == ["1.5", None, "3"]

    def test_dtype(self, column):
        assert column(DATASET).dtype == object

    def test_quotes_around_the_name_do_not_matter(self, column):
        assert column(DATASET, " 'Class' ").tolist() == ["is ok", "no", None]
        text = DATASET.replace("'Class'", r"'\'Class\''")
        assert column(text).tolist() == ["is ok", "no", None]

    def test_one_column(self, column):
        assert column("@attribute Class {a}\n@data\n\na\n% a\n?\n \na").tolist() == ["a", None, "a"]

    def test_labels_are_those_of_predictions(self, column):
        in_header, in_row, label = LABELS["bin of Weka"]
        dataset = f"@attribute Class {{{in_row},x}}\n@data\n{in_row}\nx\n"
        predictions = WEKA.replace("confidence.neg", in_header).replace(",neg", f",{in_row}")
        assert column(dataset)[0] == label == read(predictions).truth[0]

    def test_columns_may_share_a_name_if_it_is_another(self, column):
        text = DATASET.replace("born", "age")
        assert column(text).tolist() == ["is ok", "no", None]
        error = error_of(text, reader=lambda text: column(text, "age"))
        assert error.reason == "unreadable"
        assert "2 columns have the name 'age'" in str(error)

    def test_a_missing_column(self, column):
        error = error_of(DATASET, reader=lambda text: column(text, "class"))
        assert error.reason == "unreadable"
        assert "dataset.arff: 0 columns have the name 'class'" in str(error)

    @pytest.mark.parametrize("before", ["", "\n% first\n ", "\n\n\t"])
    def test_sparse_rows(self, column, before):
        text = f"@attribute x real\n@attribute Class {{a,b}}\n@data\n{before}{{0 3,1 b}}\n{{1 a}}\n"
        assert error_of(text, reader=column).reason == "sparse"

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            (DATASET.replace("@data", ""), "refused"),
            (DATASET.replace("weight real", "weight"), "malformed_header"),
            (DATASET.replace(",no,?", ",no"), "malformed_row"),
            (DATASET.split("'Smith")[0], "no_rows"),
            ("@attribute Class {'a,b'}\n@data\n'a,b\n", "malformed_row"),
        ],
    )
    def test_rejections(self, column, text, reason):
        assert error_of(text, reader=column).reason == reason

    def test_a_cut_is_seen_behind_a_comma_in_quotes(self, column):
        """The commas are as many as in a whole row."""
        text = "@attribute note string\n@attribute Class {a,b}\n@data\n'x',a\n'x,b'\n"
        assert error_of(text, reader=column).reason == "malformed_row"
