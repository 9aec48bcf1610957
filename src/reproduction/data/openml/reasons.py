"""Reasons why a task or a run is not used, as in the status table, with their meanings."""

__all__ = ["REASONS", "ExcludedError"]

REASONS = {
    # tasks
    "too_few_runs_listed": "the server lists fewer runs than the required number of models",
    "unreadable_listing": "the server's list of runs is not readable",
    "too_few_usable_runs": "fewer runs are usable than the required number of models",
    "no_consensus": "the runs disagree about the true labels or the folds",
    "one_class_fold": "a fold has one class only, so metrics are undefined",
    # runs
    "unknown": "the run does not exist on the server or is private",
    "no_predictions": "the run has no predictions file",
    "unreadable_description": "the description of the run is not readable",
    "missing": "the server does not provide the file",
    "foreign_host": "the file is on another host than the server",
    "not_arff": "the file is not an ARFF file",
    "unreadable": "the file cannot be parsed, or does not have the column of the true labels",
    "incomplete": "the file has fewer rows than the data",
    "too_many_rows": "the file has more rows than the data",
    "malformed_row": "a row has the wrong number of fields",
    "malformed_header": "the header of the file is malformed",
    "missing_column": "the file lacks repeat, fold or row_id",
    "no_rows": "the file has no rows",
    "bad_index": "repeat, fold or row_id is not a non-negative integer",
    "bad_confidence": "a confidence is missing or not finite",
    "no_confidences": "the file has no confidences",
    "not_binary": "the file does not have two labels",
    "learning_curve": "the file contains several sample sizes",
    "duplicate_rows": "a row is predicted twice",
    "missing_fold": "the file does not have ten folds",
    "foreign_split": "the folds differ from those of the other runs",
    "foreign_labels": "the labels differ from those of the data",
    "truth_differs": "the true labels in the file differ from those of the data",
    "auc_differs": "the AUC computed by the server differs from that of the file",
}


class ExcludedError(Exception):
    """A task or run cannot be used, and a later attempt would not change that."""

    def __init__(self, reason: str, detail: str):
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
