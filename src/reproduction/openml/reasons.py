"""Errors that say why a task or a run is not used. Their reasons are those of the status table.

Only what a complete file says itself is final. Anything else may be the server's fault: it is
requested again after pauses, and once more by each later run of the same command.
"""

# What its author wrote into a complete file. A server that is down or mixes up files causes others.
_OF_THE_FILE = {"no_confidences", "not_binary", "sparse"}


class ExcludedError(Exception):
    """A task or run cannot be used."""

    def __init__(self, reason: str, detail: str):
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    @property
    def is_final(self) -> bool:
        """Whether the reason lies in the file, so that it need not be requested again."""
        return self.reason in _OF_THE_FILE


class RefusedError(ExcludedError):
    """The server did not provide an item, or sent something else in its place."""

    def __init__(self, detail: str):
        super().__init__("refused", detail)


class EmptyListError(RefusedError):
    """The server says that a list has no entries. It also says so if its query failed."""


class UnfinishedError(RuntimeError):
    """The server did not provide enough. What arrived is kept; the same command continues."""
