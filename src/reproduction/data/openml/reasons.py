"""Why a task or a run is not used: the words of the status table."""

__all__ = ["REASONS", "ExcludedError"]

REASONS = {
    # tasks
    "too_few_runs_listed": "the server lists fewer runs than models are wanted",
    "unreadable_listing": "the server's list of runs cannot be read",
    "too_few_usable_runs": "fewer runs can be used than models are wanted",
    "no_consensus": "the runs do not agree on the true labels or on the folds",
    "one_class_fold": "a fold holds one class only: metrics are undefined there",
    # runs
    "unknown": "the server does not know the run, or gives it out to nobody",
    "no_predictions": "the run has no file of predictions",
    "unreadable_description": "the run's description cannot be read",
    "missing": "the server does not give out the file",
    "foreign_host": "the file lies on a host that is not the server's",
    "unreadable_target": "the dataset's target cannot be read",
    "incomplete": "the file has fewer rows than the data",
    "too_many_rows": "the file has more rows than the data",
    "malformed_row": "a row has the wrong number of fields",
    "malformed_header": "the file's header cannot be read",
    "missing_column": "the file lacks repeat, fold or row_id",
    "no_rows": "the file has no rows",
    "bad_index": "repeat, fold or row_id is not a whole number",
    "bad_confidence": "a confidence is missing or not finite",
    "no_confidences": "the file has no confidences",
    "not_binary": "the file does not have two labels",
    "learning_curve": "the file holds several sample sizes",
    "duplicate_rows": "a row is predicted twice",
    "missing_fold": "the file does not have ten folds",
    "foreign_split": "the folds are not those of the other runs",
    "foreign_labels": "the labels are not those of the data",
    "truth_differs": "the file's true labels are not those of the data",
    "auc_differs": "the server computed another AUC from the same file",
}


class ExcludedError(Exception):
    """A task or run cannot be used, now or later."""

    def __init__(self, reason: str, detail: str):
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
