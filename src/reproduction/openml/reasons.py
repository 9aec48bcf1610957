"""Errors that say why a task or a run is not used. Their reasons are those of the status table."""

# What the author of a complete file wrote into it, what a confirmed list says, and what users want.
_FINAL = {"no_confidences", "not_binary", "too_few_runs_listed", "skipped"}


class ExcludedError(Exception):
    """A task or run cannot be used."""

    def __init__(self, reason: str, detail: str):
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    @property
    def is_final(self) -> bool:
        """Whether no later run of the same command needs to request the item again."""
        return self.reason in _FINAL

    @property
    def is_doubtful(self) -> bool:
        """Whether the server may be at fault, so that a later run may help.

        Some runs have a form that the package `openml` does not support.
        """
        return not self.is_final and self.reason != "unsupported"


class RefusedError(ExcludedError):
    """The server did not provide an item, or sent something else in its place."""

    def __init__(self, detail: str, cause: type[Exception] = Exception):
        super().__init__("refused", detail)
        self.cause = cause


class UnfinishedError(RuntimeError):
    """The server did not provide enough. What arrived is kept; the same command continues."""
