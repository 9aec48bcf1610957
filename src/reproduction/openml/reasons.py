"""Reasons why a task or a run is not used, as in the status table, with their meanings."""

REASONS = {
    # tasks
    "skipped": "the task is listed in ranking.openml.skip_tasks",
    "too_few_runs_listed": "the server lists fewer runs than the required number of models",
    "too_few_usable_runs": "fewer runs are usable than the required number of models",
    "no_consensus": "the runs disagree about the true labels or the folds",
    "one_class_fold": "a fold has one class only, so metrics are undefined",
    # runs
    "unknown": "the run does not exist on the server or is private",
    "no_predictions": "the run has no predictions file",
    "unreadable_description": "the description of the run is not readable",
    "foreign_description": "the server sends the description of another run or task",
    "missing": "the server does not provide the file",
    "foreign_host": "the file is on another host than the server",
    "too_large": "the file is larger than ranking.openml.megabytes_per_file",
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
# What its author wrote into a file that is complete. A server that is down does not cause them.
_OF_THE_FILE = {"no_confidences", "not_binary", "learning_curve"}


def may_be_an_outage(reason: str) -> bool:
    """Whether a server that is down or misconfigured could be the cause for all items at once.

    An item with such a reason is excluded only if the server provides other items.
    """
    return reason not in _OF_THE_FILE


class ExcludedError(Exception):
    """A task or run cannot be used."""

    def __init__(self, reason: str, detail: str):
        super().__init__(reason, detail)  # both, so that the error can be pickled
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"
