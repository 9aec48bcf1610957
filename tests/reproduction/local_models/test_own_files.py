"""Files of users: features and labels, or predictions of their own models."""

import numpy as np
import pandas as pd
import pytest

from reproduction.core import io, settings
from reproduction.core.metrics import read_metrics
from reproduction.local_models import models as local_models
from reproduction.local_models import own_files
from reproduction.ranking import corrections, experiment, figure, scores

SEED = 7


def features(n_pos=20, n_neg=60, n_columns=3):
    rng = np.random.default_rng(0)
    y_true = np.repeat([1, 0], [n_pos, n_neg])
    columns = rng.normal(size=(len(y_true), n_columns)) + y_true[:, None]
    return pd.DataFrame(columns, columns=[f"x{i}" for i in range(n_columns)]).assign(churn=y_true)


def predictions(models=("a", "b", "c"), tasks=("t", 7)):
    rng = np.random.default_rng(0)
    rows = [
        {"task": task, "model": model, "fold": fold, "y_true": label, "y_score": rng.normal(label)}
        for task in tasks
        for model in models
        for fold in (1, 2)
        for label in [1] * 4 + [0] * 9
    ]
    return pd.DataFrame(rows)


def read(table, folder, name="mine.csv", n_models=3, label="churn", **options):
    path = folder / name
    if path.suffix == ".parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False)
    return own_files.run(str(path), label=label, n_models=n_models, seed=SEED, **options)


@pytest.fixture(scope="module")
def of_features(tmp_path_factory):
    """Predictions of models that are fitted to `features`."""
    return read(features(), tmp_path_factory.mktemp("features"))[0]


@pytest.mark.parametrize("name", ["mine.csv.gz", "mine.parquet"])
def test_models_are_fitted_to_features(tmp_path, name):
    table = features()
    rows, lines = read(table, tmp_path, name)
    (line,) = lines.itertuples()
    task = own_files.LocalTask(
        "mine", "mine", table.drop(columns="churn").to_numpy(), table["churn"].to_numpy("int8"), ""
    )
    expected = local_models.predict(task, local_models.chosen_models(3), seed=SEED)
    pd.testing.assert_frame_equal(rows, expected)
    assert (line.task, line.n_pos, line.n_neg, line.n_models) == ("mine", 20, 60, 3)


def test_predictions_of_several_tasks(tmp_path):
    table = predictions()
    rows, lines = read(table.sample(frac=1, random_state=0), tmp_path)
    described = lines[["task", "n_pos", "n_neg", "n_models"]].sort_values("task")
    assert described.to_numpy().tolist() == [["7", 8, 18, 3], ["t", 8, 18, 3]]
    by = ["task", "run", "fold", "y_score"]
    renamed = table.rename(columns={"model": "run"}).astype({"task": str}).sort_values(by)
    found = rows.sort_values(by)
    for column in (*by, "y_true"):
        assert found[column].tolist() == renamed[column].tolist()
    assert not rows.duplicated(["task", "run", "row_id"]).any()


def test_a_model_that_cannot_be_fitted_is_left_out(tmp_path):
    """Quadratic discriminant analysis needs more rows of a class than features."""
    wide = features(n_columns=40)
    with pytest.warns(UserWarning, match="qda cannot be fitted to mine: .*covariance matrix"):
        _, lines = read(wide, tmp_path, n_models=8)
    assert lines["n_models"].item() == 7


def indexed(table):
    return table.reset_index(names="")


@pytest.mark.parametrize(
    ("change", "left_out"),
    [
        (indexed, ["Unnamed: 0"]),
        (lambda table: indexed(table.set_index(np.arange(80) ** 2)), ["Unnamed: 0"]),
        (lambda table: table.assign(case=np.random.default_rng(0).permutation(80)), ["case"]),
        (lambda table: table.assign(row=np.arange(80.0), case=range(500, 580)), ["row", "case"]),
    ],
)
def test_a_column_that_counts_the_rows_is_no_feature_unless_it_is_named(
    tmp_path, of_features, change, left_out
):
    table = features()
    with pytest.warns(UserWarning, match=rf"{left_out[0]}'.* no name or count the rows; to use"):
        rows, _ = read(change(table), tmp_path)
    pd.testing.assert_frame_equal(rows, of_features)
    named = {"features": ["x0", "x1", "x2", left_out[-1]]}
    assert not rows["y_score"].equals(read(change(table), tmp_path, **named)[0]["y_score"])


def test_predictions_without_folds_are_one_fold(tmp_path):
    table = predictions(tasks=("t",)).drop(columns="fold")
    rows, lines = read(table, tmp_path)
    assert set(rows["fold"]) == {0}
    assert lines[["n_pos", "n_neg"]].to_numpy().tolist() == [[8, 18]]


def test_names_of_predictions_stay_text(tmp_path):
    table = predictions(models=("01", "1", "1.0"), tasks=("007",))
    rows, _ = read(table, tmp_path)
    assert set(rows["run"]) == {"01", "1", "1.0"}
    assert set(rows["task"]) == {"007"}


def test_columns_of_predictions_can_be_features(tmp_path, of_features):
    """If they are listed."""
    table = features().rename(columns={"x0": "model"})
    rows, _ = read(table, tmp_path, features=["model", "x1", "x2"])
    pd.testing.assert_frame_equal(rows, of_features)


def test_labels_and_features_as_excel_writes_them(tmp_path, of_features):
    table = features()
    written = table.assign(churn=table["churn"].map({1: "ja", 0: "nein"}))
    path = tmp_path / "mine.csv"
    written.rename(columns={"x0": "Größe"}).to_csv(
        path, index=False, sep=";", decimal=",", encoding="cp1252"
    )
    options = {"decimal": ",", "encoding": "cp1252", "pos_label": "ja"}
    rows, _ = own_files.run(str(path), label="churn", n_models=3, seed=SEED, **options)
    pd.testing.assert_frame_equal(rows, of_features)


def without_positives(table):
    table["y_true"] = table["y_true"].where(table["fold"] > 1, 0)
    return table


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (features().rename(columns={"churn": "y"}), r"\['churn'\], which the setting `ranking.loc"),
        (features().assign(churn=2), "churn must be 0 or 1, got '2' in row 0"),
        (features(n_pos=9), "at least 10 rows of each class for 10 folds, got 9 of the smaller"),
        (features().assign(x1="red"), "x1 must be a finite number, got 'red' in row 0; encode cat"),
        (features().assign(x2=np.nan), "x2 must be a finite number, got nan .*impute missing"),
        (features()[["churn"]], "needs columns of features beside churn"),
        (predictions().drop(columns="task"), r"predictions needs .*, and has no \['task'\]; if it"),
        (features().rename(columns={"x0": "y_score"}), r"and has no \['y_true', 'task', 'model'\]"),
        (
            predictions().replace({"model": {"b": None}}),
            "model must not be missing, got nan in row",
        ),
        (predictions().assign(fold=1.5), "fold must be a whole number, got '1.5' in row 0"),
        (predictions(models="ab"), "a ranking needs at least 3 models, task t has 2"),
        (
            predictions().assign(fold="first"),
            "fold must be a finite number, got 'first' in row 0; num",
        ),
        (
            without_positives(predictions()),
            "fold 1 of task 7 and model a must hold both classes, got 0",
        ),
        (
            predictions()[1:],
            "fold 1 of task t and model b has 4 positives in 13 rows, another model",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_place(tmp_path, table, message):
    with pytest.raises(ValueError, match=rf"mine\.csv.*{message}"):
        read(table, tmp_path)


def test_scores_that_contradict_the_predictions_are_refused(tmp_path):
    table = predictions()
    predicted = (table["y_score"] > 0.5).astype(int)
    expected = read(table, tmp_path)[0]
    ignored = (table["y_score"], (1 - predicted).where(table["fold"] == 1))
    for kept in (predicted, predicted.astype(float), table["y_true"] * 0, *ignored):
        pd.testing.assert_frame_equal(read(table.assign(prediction=kept), tmp_path)[0], expected)
    is_of_b = (table["model"] == "b") & (table["fold"] == 2)
    table["y_score"] = table["y_score"].where(~is_of_b, 1 - table["y_score"])
    message = r"mine\.csv: y_score of fold 2 of task 7 and model b contradicts the column predict"
    with pytest.raises(ValueError, match=message):
        read(table.assign(prediction=predicted), tmp_path)
    names = {"y_true": table["y_true"].map({1: "ill", 0: "well"}), "prediction": predicted}
    names["prediction"] = names["prediction"].map({1: "ill", 0: "well"})
    with pytest.raises(ValueError, match=message):
        read(table.assign(**names), tmp_path, pos_label="ill")


def test_a_task_has_no_name_that_is_a_formula_in_the_tables(tmp_path):
    name = "=cmd|' /C calc'!A1"
    rows, described = read(predictions(tasks=(name,)), tmp_path)
    for table in (rows, described):
        io.write(table, tmp_path / "table.csv")
        assert set(io.read_table(tmp_path / "table.csv")["task"]) == {f"'{name}"}


def test_own_files_take_the_place_of_the_tasks():
    local = settings.load({"ranking": {"local": {"files": ["a.csv", "b.parquet"]}}}).ranking.local
    assert local.blocks() == {}
    assert local.own_files() == {"file_0": "a.csv", "file_1": "b.parquet"}
    both = {"files": ["a.csv"], "tasks": ["yeast1"]}
    local = settings.load({"ranking": {"local": both}}).ranking.local
    assert local.blocks() == {"block_0": ["yeast1"]}


@pytest.mark.parametrize("files", [["a/x.csv", "b/x.csv"], ["a/x.csv", "x.parquet", "x.csv.gz"]])
def test_two_files_of_one_name_are_refused_before_any_job(files):
    message = r"ranking\.local: names of files must be distinct, got \['x', 'x'"
    with pytest.raises(SystemExit, match=message):
        settings.load({"ranking": {"local": {"files": files}}})


@pytest.mark.parametrize("score", ["perfect", "constant"])
def test_models_that_cannot_be_ranked_have_figures(tmp_path, score):
    table = predictions()
    table["y_score"] = table["y_true"] if score == "perfect" else 0.5
    rows, lines = read(table, tmp_path)
    rows.to_parquet(tmp_path / "rows.parquet")
    metrics = read_metrics(settings.load({}).metrics.described("paper"))
    below = {"imbalanced_below": 0.01, "small_prior_below": 0.05}
    values, tasks = scores.run([lines], [tmp_path / "rows.parquet"], metrics, metrics, **below)
    correlations = experiment.run(values, tasks, metrics, panel="all", n_bootstrap=9, seed=0)
    assert correlations["n_tasks"].max() == 0
    drawn = figure.draw_rank_correlation(correlations, tasks, metrics, "all", "All", "of yours")
    assert "no correlation is defined" in drawn.get_suptitle()
    changes = corrections.run(values, tasks, metrics, metrics)
    figure.draw_corrections(changes, metrics, metrics, {"all": "All"}, "of yours")


def test_titles_do_not_name_the_models_of_the_default_run():
    ranking = settings.load({"ranking": {"local": {"files": ["a.csv"]}}}).ranking
    assert ranking.models() == "models of your files"
    assert ranking.datasets() == "data sets of your files"
    assert ranking.is_own
