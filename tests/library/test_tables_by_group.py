"""Metrics of the groups of a table are those of the groups of the DataFrame."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from test_tables import FLOATS, INTS, NAMES, example, of_groups, table_of, write_parts

from calibrated_metrics import Metric, tables
from calibrated_metrics.comparison import by_group

pytest.importorskip("ibis")

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),  # of intervals
    # Ibis calls a function of DuckDB 2 by its former name.
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
]


@pytest.mark.parametrize("weight", [None, "weight"])
def test_bad_groups_have_the_status_of_the_rows_in_memory(weight):
    columns = of_groups()
    frame = pa.table(columns).to_pandas()
    arguments = {**NAMES, "sample_weight": weight, "metrics": "average_precision"}
    expected = by_group(frame, "month", **arguments)
    found = by_group(table_of(columns), "month", **arguments)
    assert expected["status"].nunique() > 5
    assert found["month"].tolist() == expected["month"].tolist()
    for column in ("n_pos", "n_neg"):
        assert found[column].tolist() == expected[column].tolist()
    for column in ("prior", "pi0", "value"):
        np.testing.assert_allclose(found[column], expected[column], rtol=1e-14)
    statuses = expected["status"].str.replace(r" at index \d+", "", regex=True)
    known = ~found["status"].str.contains("sums of weights of a table")
    assert found["status"][known].tolist() == statuses[known].tolist()
    assert known.all() == (weight is None)


def test_groups_of_a_table_have_the_metrics_of_the_frame():
    columns = example(600)
    metrics = ["average_precision", Metric("precision", threshold=0.5)]
    arguments = {**NAMES, "metrics": metrics, "pi0": 0.2}
    found = by_group(table_of(columns), ["month", "country"], **arguments)
    expected = by_group(pd.DataFrame(columns), ["month", "country"], **arguments)
    assert found["country"].tolist() == expected["country"].tolist()
    numbers = ["month", "n_pos", "n_neg", "prior", "pi0", "value", "low", "high"]
    np.testing.assert_allclose(found[numbers], expected[numbers], rtol=1e-12)
    assert found["status"].tolist() == expected["status"].tolist()


def test_labels_without_positives_in_any_group_are_refused(tmp_path):
    columns = example(60)
    columns["fraud"] = np.where(np.equal(columns["fraud"], 1), "fraud", "ok")
    pa.parquet.write_table(pa.table(columns), tmp_path / "rows.parquet")
    metric = {"metrics": "average_precision"}
    for table in (table_of(columns), tmp_path):
        for function, more in ((by_group, metric), (tables.curves, {})):
            arguments = {"by": "month", **NAMES, **more}
            with pytest.raises(
                ValueError, match=r"pos_label=1 is not among its labels \['(fra|ok)"
            ):
                function(table, **arguments)
            with pytest.raises(ValueError, match="pos_label='Fraud' is not among its labels"):
                function(table, **arguments, pos_label="Fraud")
            assert (function(table, **arguments, pos_label="fraud")["status"] == "ok").any()


def test_files_whose_columns_differ_in_type_are_refused(tmp_path):
    write_parts(tmp_path, INTS, FLOATS)
    with pytest.raises(ValueError, match="frame must hold files in which 'score' has one type"):
        by_group(tmp_path, "score", **NAMES, metrics="roc_auc")
