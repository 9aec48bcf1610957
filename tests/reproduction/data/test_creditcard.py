import os
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split

from reproduction.fraud.creditcard import (
    FEATURES,
    PUBLISHED_FRAUDS,
    PUBLISHED_ROWS,
    check_published,
    fit_and_score,
    read_creditcard,
)

SAMPLE = Path(__file__).parents[3] / "../shared/data/creditcard_sample.parquet"


def small_table(n=200, n_frauds=10, seed=0):
    """Random rows with the columns of the published data."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n, 29)), columns=FEATURES)
    table["Amount"] = np.abs(table["Amount"]) * 100
    table.insert(0, "Time", np.arange(n, dtype="float64"))
    return table.assign(Class=(np.arange(n) % (n // n_frauds) == 0).astype("int8"))


def published_size_table():
    table = small_table(2, 1).iloc[[0, 1]]
    frauds = np.arange(PUBLISHED_ROWS) < PUBLISHED_FRAUDS
    return table.iloc[np.where(frauds, 0, 1)].reset_index(drop=True)


@pytest.fixture
def table():
    return small_table()


@pytest.fixture
def sample():
    if not SAMPLE.exists():
        pytest.skip(f"no {SAMPLE.name} in the shared data folder beside the repository")
    return read_creditcard(SAMPLE)


class TestRead:
    def check(self, path, expected):
        frame = read_creditcard(path)
        pd.testing.assert_frame_equal(frame, expected)
        assert frame["Class"].dtype == "int8"
        assert (frame.drop(columns="Class").dtypes == "float64").all()

    def test_csv_as_kaggle_writes_it(self, tmp_path, table):
        path = tmp_path / "creditcard.csv"
        text = table.assign(Class=table["Class"].astype(str)).to_csv(index=False, quoting=2)
        assert text.startswith('"Time","V1"')
        assert text.splitlines()[1].endswith(',"1"')
        path.write_text(text)
        self.check(path, table)

    def test_zip(self, tmp_path, table):
        path = tmp_path / "archive.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("README.md", "fraud")
            archive.writestr("data/creditcard.csv", table.to_csv(index=False))
        self.check(path, table)

    @pytest.mark.parametrize("kind", ["int8", "float64", "str", "category", "quoted"])
    def test_parquet_with_any_kind_of_class(self, tmp_path, table, kind):
        path = tmp_path / "creditcard.parquet"
        kinds = {
            "category": table["Class"].astype(str).astype("category"),
            "quoted": "'" + table["Class"].astype(str) + "'",
        }
        column = kinds[kind] if kind in kinds else table["Class"].astype(kind)
        table.assign(Class=column).to_parquet(path)
        self.check(path, table)

    def test_narrow_numbers_become_float64(self, tmp_path, table):
        path = tmp_path / "creditcard.parquet"
        whole = table.round().astype(dict.fromkeys(FEATURES, "int16") | {"Amount": "float32"})
        whole.to_parquet(path)
        self.check(path, table.round())

    def test_without_time_in_another_order_and_with_another_index(self, tmp_path, table):
        path = tmp_path / "creditcard.parquet"
        shuffled = table[table.columns[::-1]].drop(columns="Time").set_index(table.index + 5)
        shuffled.to_parquet(path)
        self.check(path, table.drop(columns="Time"))

    def refused(self, tmp_path, table, message):
        path = tmp_path / "creditcard.parquet"
        table.to_parquet(path)
        with pytest.raises(ValueError, match=rf"creditcard\.parquet: {message}"):
            read_creditcard(path)

    def test_columns(self, tmp_path, table):
        wrong = table.rename(columns={"V3": "v3"}).drop(columns="Amount")
        message = r"columns missing: \['V3', 'Amount'\], unexpected: \['v3'\], repeated: \[\]"
        self.refused(tmp_path, wrong, message)

    def test_not_finite(self, tmp_path, table):
        table.loc[[3, 4], "V2"] = np.nan
        table.loc[5, "V2"] = np.inf
        table.loc[0, "Amount"] = -np.inf
        self.refused(tmp_path, table, "NaN or infinite values per column: {'V2': 3, 'Amount': 1}")

    def test_missing_in_a_nullable_column(self, tmp_path, table):
        column = table["V7"].round().astype("Int64")
        column[0] = pd.NA
        self.refused(tmp_path, table.assign(V7=column), "NaN or .* per column: {'V7': 1}")

    def test_text(self, tmp_path, table):
        wrong = table.assign(V9=["?"] + ["1.5"] * 199)
        self.refused(tmp_path, wrong, r"columns must be numeric, these are not: \['V9'\]")

    @pytest.mark.parametrize("value", [2, 0.5, -1, np.nan])
    def test_classes(self, tmp_path, table, value):
        classes = table["Class"].astype("float64")
        classes[[1, 2]] = value
        message = rf"Class must be 0 or 1, but 2 rows have other values, such as \[{value}"
        self.refused(tmp_path, table.assign(Class=classes), message)

    @pytest.mark.parametrize(("only", "frauds"), [(0, 0), (1, 200)])
    def test_one_class(self, tmp_path, table, only, frauds):
        message = f"needs at least one fraud and one genuine row, has 200 rows with {frauds} frauds"
        self.refused(tmp_path, table.assign(Class=only), message)

    def test_no_rows(self, tmp_path, table):
        self.refused(tmp_path, table.head(0), ".* has 0 rows with 0 frauds")

    def test_repeated_column(self, tmp_path, table):
        path = tmp_path / "creditcard.csv"
        table.rename(columns={"V4": "V3"}).to_csv(path, index=False)
        with pytest.raises(ValueError, match=r"missing: \['V4'\], unexpected: \['V3.1'\]"):
            read_creditcard(path)

    def test_short_row(self, tmp_path, table):
        path = tmp_path / "creditcard.csv"
        path.write_text(table.to_csv(index=False).rsplit(",", 3)[0] + "\n")
        with pytest.raises(ValueError, match=r"creditcard\.csv: NaN or .* {'V28': 1, 'Amount': 1}"):
            read_creditcard(path)

    @pytest.mark.parametrize("rows", [slice(1, None), slice(5, 6)])
    def test_long_rows(self, tmp_path, table, rows):
        lines = table.to_csv(index=False).splitlines()
        lines[rows] = [line + ",0" for line in lines[rows]]
        path = tmp_path / "creditcard.csv"
        path.write_text("\n".join(lines))
        with pytest.raises(ValueError, match=r"creditcard\.csv: not a readable \.csv file: .*elds"):
            read_creditcard(path)

    def test_zip_with_two_tables(self, tmp_path):
        path = tmp_path / "archive.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.csv", "x")
            archive.writestr("b.csv", "x")
        with pytest.raises(ValueError, match=r"exactly one CSV file, has 2: \['a.csv', 'b.csv'\]"):
            read_creditcard(path)

    @pytest.mark.parametrize("suffix", [".csv", ".zip", ".parquet"])
    @pytest.mark.parametrize("content", [b"", b"PAR1 or not\xff"])
    def test_damaged_file(self, tmp_path, suffix, content):
        path = tmp_path / f"creditcard{suffix}"
        path.write_bytes(content)
        with pytest.raises(
            ValueError, match=rf"creditcard\{suffix}: not a readable \{suffix} file"
        ):
            read_creditcard(path)

    def test_unknown_suffix(self, tmp_path):
        with pytest.raises(ValueError, match=r"suffix '.xlsx' is not one of .csv, .zip, .parquet"):
            read_creditcard(tmp_path / "creditcard.xlsx")

    def test_no_file(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"creditcard\.csv"):
            read_creditcard(tmp_path / "creditcard.csv")


class TestCheckPublished:
    def test_accepts_the_published_size(self):
        frame = published_size_table()
        check_published(frame)
        check_published(frame.drop(columns="Time"))

    def test_refuses_another_size(self):
        frame = published_size_table()
        with pytest.raises(ValueError, match=r"frame: 284806 rows, 492 frauds, 284314 genuine; .*"):
            check_published(frame.iloc[:-1])
        frame.loc[0, "Class"] = 0
        with pytest.raises(ValueError, match="284807 rows, 491 frauds"):
            check_published(frame)

    def test_refuses_other_columns(self):
        with pytest.raises(ValueError, match="columns are"):
            check_published(published_size_table().drop(columns="V28"))


class TestFitAndScore:
    def test_shape(self, table):
        scores = fit_and_score(table)
        assert scores.dtypes.to_dict() == {"row": "int64", "y_true": "int8", "y_score": "float64"}
        assert len(scores) == 60
        assert scores["row"].is_unique
        assert (scores["y_true"].to_numpy() == table["Class"].to_numpy()[scores["row"]]).all()
        assert scores["y_score"].between(0, 1).all()

    def test_time_and_the_index_do_not_matter(self, table):
        scores = fit_and_score(table)
        pd.testing.assert_frame_equal(scores, fit_and_score(table.drop(columns="Time")))
        pd.testing.assert_frame_equal(scores, fit_and_score(table.set_index(table.index + 7)))

    def test_the_scale_of_the_amount_does_not_matter(self, table):
        scaled = fit_and_score(table.assign(Amount=table["Amount"] * 1000 + 5))
        np.testing.assert_allclose(scaled["y_score"], fit_and_score(table)["y_score"], rtol=1e-6)

    def test_the_table_is_left_as_it_was(self, table):
        before = table.copy()
        fit_and_score(table)
        pd.testing.assert_frame_equal(table, before)

    def test_sample(self, sample):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scores = fit_and_score(sample)
        assert len(scores) == 34_177
        assert scores["y_true"].sum() == 49
        auc_pr = average_precision_score(scores["y_true"], scores["y_score"])
        assert auc_pr == pytest.approx(0.6593, abs=5e-4)

    def test_the_number_of_threads_does_not_matter(self, sample):
        code = (
            "import hashlib, sys\n"
            "from reproduction.fraud.creditcard import fit_and_score, read_creditcard\n"
            "scores = fit_and_score(read_creditcard(sys.argv[1]))['y_score'].to_numpy()\n"
            "print(hashlib.sha256(scores.tobytes()).hexdigest())"
        )
        digests = {
            subprocess.run(
                [sys.executable, "-c", code, str(SAMPLE)],
                env=os.environ | {"OPENBLAS_NUM_THREADS": n, "OMP_NUM_THREADS": n},
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            for n in ("1", "4")
        }
        assert len(digests) == 1


class TestOddFiles:
    def test_what_macos_adds_to_a_zip_is_left_aside(self, table, tmp_path):
        path = tmp_path / "creditcard.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("creditcard.csv", table.to_csv(index=False))
            archive.writestr("__MACOSX/._creditcard.csv", b"\x00\x05\x16\x07")
        assert len(read_creditcard(path)) == len(table)

    def test_the_suffix_may_be_upper_case(self, table, tmp_path):
        path = tmp_path / "CREDITCARD.CSV"
        table.to_csv(path, index=False)
        assert len(read_creditcard(path)) == len(table)

    @pytest.mark.parametrize("part", ["training rows", "test rows"])
    def test_a_part_without_a_fraud_is_named(self, table, part):
        train, test = train_test_split(np.arange(len(table)), test_size=0.3, random_state=0)
        frauds = test if part == "training rows" else train
        table = table.assign(Class=np.isin(np.arange(len(table)), frauds[:5]).astype("int8"))
        with pytest.raises(ValueError, match=f"{part} must hold both classes, has 0 positives"):
            fit_and_score(table)
