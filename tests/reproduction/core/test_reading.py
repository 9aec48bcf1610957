"""Files of users: each is read right, or refused with the place and the setting that helps."""

import gzip
import io
import zipfile
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import yaml

from reproduction.core import settings
from reproduction.core.reading import read_scores

Y = [1, 0, 0, 1, 0, 1, 0, 0]
S = [0.87, 0.1, 1.0, 12.5, 0.25, 0.875, -3e-7, 0.5]


def text(header="y_true,y_score", row="{y},{s}", end="\n", ys=Y, scores=S):
    rows = [row.format(y=y, s=s, i=i) for i, (y, s) in enumerate(zip(ys, scores, strict=True))]
    return end.join([header, *rows, ""])


def comma(scores=S):
    return [str(each).replace(".", ",") for each in scores]


def zipped(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def parquet(**columns):
    file = io.BytesIO()
    pd.DataFrame(columns).to_parquet(file)
    return file.getvalue()


def replaced(row, line, whole=None):
    lines = (whole or text()).split("\n")
    return "\n".join([*lines[: row + 1], line, *lines[row + 2 :]])


GERMAN = text("y_true;y_score", "{y};{s}", scores=comma())
SEMICOLON = {"sep": ";", "decimal": ","}
LABELS = ["Poor" if y else "Good" for y in Y]

RIGHT = {
    "plain": (text(), {}),
    "crlf": (text(end="\r\n"), {}),
    "old mac": (text(end="\r"), {}),
    "line ends of Acorn, and an empty first field": (
        text("note,y_true,y_score", ",{y},{s}", end="\n\r"),
        {},
    ),
    "a quotation mark within a text": (text("y_true,y_score,note", '{y},{s},12" screen'), {}),
    "no newline at the end": (text().rstrip(), {}),
    "blank lines": (text(end="\n\n"), {}),
    "utf-8 mark": (text().encode("utf-8-sig"), {}),
    "utf-8 mark and its encoding": (text().encode("utf-8-sig"), {"encoding": "utf-8"}),
    "utf-16 mark": (text().encode("utf-16"), {}),
    "utf-16 stated": (text().encode("utf-16-le"), {"encoding": "utf-16-le"}),
    "latin-1 stated": (
        text("y_true,y_score,Größe", "{y},{s},ö").encode("latin-1"),
        {"encoding": "latin-1"},
    ),
    "semicolons": (text("y_true;y_score", "{y};{s}"), {}),
    "tabs": (text("y_true\ty_score", "{y}\t{s}"), {}),
    "bars": (text("y_true|y_score", "{y}|{s}"), {}),
    "blanks": (text("y_true  y_score", "{y}   {s}"), {}),
    "blanks after commas": (text("y_true, y_score", "{y}, {s}"), {}),
    "german": (GERMAN, {"decimal": ","}),
    "quoted decimal commas": (text(row='{y},"{s}"', scores=comma()), {"decimal": ","}),
    "separators in a quoted text": (text("note,y_true,y_score", '"a,b;c",{y},{s}'), {}),
    "line breaks in a quoted text": (text("y_true,y_score,note", '{y},{s},"a\n1,0.3"'), {}),
    "further columns": (text("y_true,z,y_score", "{y},x{i},{s}"), {}),
    "commas at the end of all lines": (text("y_true,y_score,", "{y},{s},"), {}),
    "pandas' index": (text(",y_true,y_score", "{i},{y},{s}"), {}),
    "floats as labels": (text(row="{y}.0,{s}"), {}),
    "TRUE and FALSE": (text(ys=["TRUE" if y else "FALSE" for y in Y]), {}),
    "labels as text": (text(ys=LABELS), {"pos_label": "Poor"}),
    "1 and 2": (text(ys=[y + 1 for y in Y]), {"pos_label": 2}),
    "1.0 and 2.0": (text(ys=[y + 1.0 for y in Y]), {"pos_label": "2"}),
    "positives are 0": (text(ys=[1 - y for y in Y]), {"pos_label": 0}),
    "gz": (gzip.compress(text().encode()), {}),
    "zip": (zipped({"scores.csv": text()}), {}),
    "zip of macOS": (
        zipped({"a/": "", "a/s.csv": text(), "__MACOSX/a/._s.csv": "\0", "a/.DS_Store": "\0"}),
        {},
    ),
    "zip of parquet": (zipped({"s.parquet": parquet(y_true=Y, y_score=S)}), {}),
    "parquet ignores sep and decimal": (
        parquet(y_true=np.array(Y, float), y_score=[Decimal(str(s)) for s in S]),
        SEMICOLON,
    ),
    "parquet of text": (parquet(y_true=[str(y) for y in Y], y_score=[str(s) for s in S]), {}),
    "parquet of booleans": (parquet(y_true=np.array(Y, bool), y_score=S), {}),
    "parquet of categories": (
        parquet(y_true=pd.Categorical(LABELS), y_score=S),
        {"pos_label": "Poor"},
    ),
}
THREE = [s + 1.234 for s in range(8)]
NOTED = "y_true,y_score,note\n0,0.5,ok\n1,0.6,ok\n"
REFUSED = {
    # One column off, or rows of other lengths.
    "decimal commas without quotes": (
        text(scores=comma()),
        {},
        r"row 0 has 3 fields, the header has 2",
    ),
    "row names of R": (text(row="{i},{y},{s}"), {}, "row 0 has 3 fields.*name each column"),
    "one row too short": (replaced(4, "0"), {}, "row 4 has 1 fields"),
    "a quote without end": (replaced(2, '0,"1.0'), {}, "row 2: unexpected end of data; quotation"),
    "a quote without end, twice": (  # 4 of 6 rows would be one text
        NOTED + '1,0.9,"good\n0,0.2,bad\n1,0.3,"ugly\n0,0.1,ok\n',
        {},
        "row 2: ',' expected after '\"'; quotation marks must enclose whole fields, and be doubled",
    ),
    "a quote that ends with another text": (
        NOTED + '1,0.9,"good\n0,0.2,bad\n1,0.3,a 12"\n0,0.1,ok\n',
        {},
        "has 4 or 6 rows; quotation marks must",
    ),
    "a text after a quote": (NOTED + '1,0.9,"urgent" case\n', {}, "row 2: ',' expected after"),
    "a text after a quote in the header": (
        text('"y_true" (0 or 1),y_score'),
        {},
        "the header: ','",
    ),
    "a title above": ("scores of May\n" + text(), {}, r"needs the columns.*\['scores of May'\]"),
    "no header": (text("1,0.5"), {}, r"needs the columns.*it has \['1', '0.5'\]"),
    "the wrong separator": (text(), {"sep": ";"}, r"it has \['y_true,y_score'\] \(separator ';'"),
    "two separators": (
        text("y_true;y_score,y_true"),
        {},
        "each of the separators.*set own_files.sep",
    ),
    "a column twice": (text("y_true,y_score,y_score", "{y},{s},0"), {}, "several.*'y_score'"),
    "other names": (text("label,p"), {}, r"needs the columns \['y_true', 'y_score'\], which.*'p'"),
    # Encodings.
    "latin-1": (
        replaced(2, "0,1.0,ö", text("y_true,y_score,z", "{y},{s},a")).encode("latin-1"),
        {},
        "byte 0xf6 in row 2 is not utf-8; set own_files.encoding, such as cp1252",
    ),
    "latin-1 in the header": (text("y_true,ö").encode("latin-1"), {}, "0xf6 in the header"),
    "utf-16 without a mark": (
        text().encode("utf-16-le"),
        {},
        "NUL characters; set own_files.encoding",
    ),
    "the wrong encoding": (
        "ö".join([text(), ""]).encode("latin-1"),
        {"encoding": "ascii"},
        "is not ascii; set own_files.encoding",
    ),
    # Numbers.
    "decimal commas": (
        GERMAN,
        {},
        "y_score must be a finite.*'0,87' in row 0; set own_files.decimal",
    ),
    "thousands": (replaced(3, '1,"1,234.5"'), {}, "'1,234.5' in row 3"),
    "german thousands": (replaced(3, "1;1.234,5", GERMAN), SEMICOLON, "'1.234,5' in row 3"),
    "a point with a decimal comma": (replaced(3, "1;12.5", GERMAN), SEMICOLON, "'12.5' in row 3"),
    "decimals or thousands": (
        text("y_true;y_score", "{y};{s}", scores=THREE),
        {},
        "points before decimals or thousands, got '1.234' in row 0; set own_files.decimal",
    ),
    "signs before decimals or thousands": (
        text("y_true;y_score", "{y};+{s}", scores=THREE),
        {},
        "points before decimals or thousands, got '\\+1.234' in row 0",
    ),
    "a decimal comma in parquet": (
        parquet(y_true=Y, y_score=comma()),
        {"decimal": ","},
        r"y_score must be a finite number, got '0,87' in row 0 \(",
    ),
    "percent": (text(row="{y},{s}%"), {}, "y_score must be a finite number, got '0.87%' in row 0"),
    "a missing score": (replaced(5, "1,"), {}, "y_score.*got nan in row 5"),
    "inf": (replaced(5, "1,inf"), {}, "y_score.*got 'inf' in row 5"),
    # Labels.
    "text labels": (
        text(ys=LABELS),
        {},
        "y_true must be 0 or 1, got 'Poor' in row 0; set own_files.pos_lab",
    ),
    "a missing label": (replaced(2, ",0.5"), {}, "y_true must not be missing, got nan in row 2"),
    "a third label": (
        replaced(4, "open,0.5", text(ys=LABELS)),
        {"pos_label": "Poor"},
        r"two labels, got 'open' in row 4.*'Good'",
    ),
    "another spelling": (
        text(ys=LABELS),
        {"pos_label": "poor"},
        r"y_true has no label pos_label='poor', but \['Poor', 'Good'\]",
    ),
    "a label that YAML reads as true": (
        text(ys=["yes" if y else "no" for y in Y]),
        yaml.safe_load("pos_label: yes"),
        r"no label pos_label=True, but \['yes', 'no'\]; quote the label",
    ),
    "one class": (text(ys=[0] * 8), {}, "y_true must hold both classes, got 0 positives in 8"),
    # Containers.
    "an empty file": (b"", {}, r"needs the columns \['y_true', 'y_score'\].* has \[\]"),
    "only a header": ("y_true,y_score\n", {}, "must hold both classes, got 0 positives in 0"),
    "gz cut": (gzip.compress(text().encode())[:40], {}, "is not a readable CSV, zip, gz or par"),
    "two files in a zip": (zipped({"a.csv": text(), "b.csv": text()}), {}, r"one file, got \['a.c"),
    "a workbook": (zipped({"[Content_Types].xml": "", "xl/a.xml": ""}), {}, "save a workbook as C"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0", {}, "byte 0x89 in the header is not utf-8"),
}


def saved(folder, content):
    path = folder / "scores.dat"  # the content counts, not the suffix
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize("name", RIGHT)
def test_a_file_is_read_to_the_last_digit(tmp_path, name):
    content, options = RIGHT[name]
    rows = read_scores(saved(tmp_path, content), label="y_true", score="y_score", **options)
    assert rows["y_true"].tolist() == Y
    assert rows["y_score"].tolist() == S


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_is_refused_with_the_place_and_the_setting(tmp_path, name):
    content, options, message = REFUSED[name]
    path = saved(tmp_path, content)
    with pytest.raises(ValueError, match=rf"(?s)scores\.dat.*({message})"):
        read_scores(path, label="y_true", score="y_score", **options)


def test_a_decimal_sign_can_be_stated(tmp_path):
    path = saved(tmp_path, text("y_true;y_score", "{y};{s}", scores=THREE))
    rows = read_scores(path, label="y_true", score="y_score", decimal=".")
    assert rows["y_score"].tolist() == THREE


CHANGE = ["2025-03-30 01:00:00+01:00", "2025-03-30 03:00:00+02:00"]  # of the clock
NIGHT = ["2025-03-31 23:30:00+02:00", "2025-04-01 00:30:00+02:00"]  # one month in UTC


@pytest.mark.parametrize(
    ("when", "unit", "expected"),
    [
        (CHANGE, "M", ["2025-03"] * 2),
        (CHANGE, "D", ["2025-03-30"] * 2),
        (CHANGE, None, CHANGE),
        (NIGHT, "M", ["2025-03", "2025-04"]),
        (["2024-02-05 23:59", "2024-01-31T12:00:00"], "W", ["2024-02-05", "2024-01-29"]),  # Mondays
        (["2025-03-31T23:30Z", "2025-04-01T00:30Z"], "M", ["2025-03", "2025-04"]),
        (["2025-03-31T23:30+0200", "2025-04-01T00:30:15.5+02"], "M", ["2025-03", "2025-04"]),
        (["2025-03-31", "2025-04-01"], "M", ["2025-03", "2025-04"]),
        (["2025-03", "2025-04"], "M", ["2025-03", "2025-04"]),
        (["9", "10"], None, [9, 10]),
        (["-1", "0", "1"], None, [-1, 0, 1]),
        (["31999", "32000"], None, [31999, 32000]),
        (["01", "02", "10"], None, [1, 2, 10]),
        (["week 09", "week 10"], None, ["week 09", "week 10"]),
        (["2023-W52", "2024-W01"], None, ["2023-W52", "2024-W01"]),
        (["Q1 2024", "Q2 2024"], None, ["Q1 2024", "Q2 2024"]),
        (["202309", "202402", "202311"], None, ["2023-09", "2024-02", "2023-11"]),
        (["20230930", "20231001"], "M", ["2023-09", "2023-10"]),
        (["2023.09", "2023.10"], "M", ["2023-09", "2023-10"]),
        (["2023/09/30", "2023/10/01"], None, ["2023-09-30", "2023-10-01"]),
        (["202312", "202313"], None, [202312, 202313]),
        (["202312", "202313"], "M", "2024-01-31 for period: M, got '202313' in row 2"),
        *[
            (when.split(", "), None, "must be dates such as.* got .'?" + when.split(", ")[0])
            for when in (
                "9,5, 10,5",
                "3, 1, 2",
                "week 51, week 52, week 01",
                "week 9, week 10",
                "2024.1, 2024.2, 2024.10",
                "10.2023, 11.2023, 12.2023, 01.2024, 02.2024",
                "10.2023, 1.2024",
                "12024, 22024, 102023",
                "01/2024, 02/2024, 10/2023",
                "Q1 2023, Q1 2024, Q2 2023",
                "Nov 2023, Dec 2023, Jan 2024",
                "1.9, 1.10",
                "after, before",
            )
        ],
        (["31.03.2025", "01.04.2025"], "M", "2024-01-31 for period: M, got '31.03.2025' in row 0"),
        (["2025", "2026"], "M", "2024-01-31 for period: M, got '2025' in row 0"),
        (["2025-03-31", ""], "M", "when must not be missing, got nan in row 2"),
        (["2025-03-31", "NaT"], None, "when must not be missing, got nan in row 2"),
    ],
)
def test_periods(tmp_path, when, unit, expected):
    rows = {"y_true": [0, 1] * len(when), "y_score": 1, "when": np.repeat(when, 2)}
    table = pd.DataFrame(rows)
    path = tmp_path / "scores.csv"
    table.to_csv(path, index=False, sep=";")
    options = {"label": "y_true", "score": "y_score", "period": "when", "unit": unit}
    options["decimal"] = ","
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=rf"scores\.csv.*({expected})"):
            read_scores(str(path), **options)
    else:
        rows = read_scores(str(path), **options)
        assert rows["period"].tolist() == np.repeat(expected, 2).tolist()


def test_times_of_a_parquet_file_are_local(tmp_path):
    path = str(tmp_path / "scores.parquet")
    when = pd.to_datetime(NIGHT).tz_convert("Europe/Berlin")
    pd.DataFrame({"y_true": [0, 1], "y_score": 1.0, "when": when}).to_parquet(path)
    rows = read_scores(path, label="y_true", score="y_score", period="when", unit="M")
    assert rows["period"].tolist() == ["2025-03", "2025-04"]


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"sep": "a"}, "own_files.sep: Input should be ',', ';'"),
        ({"decimal": "'"}, "own_files.decimal: Input should be '.' or ','"),
        ({"encoding": "latin-11"}, "own_files.encoding: unknown encoding: latin-11; use a name"),
    ],
)
def test_a_wrong_setting_is_found_before_any_job(section, message):
    with pytest.raises(SystemExit, match=message):
        settings.load({"own_files": section})


def test_a_tab_may_be_written_without_quotes():
    assert settings.load({"own_files": {"sep": r"\t"}}).own_files.sep == "\t"
