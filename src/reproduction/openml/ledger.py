"""Append-only record of the requests to an OpenML server and their outcomes, one per line."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """Outcome of the request for one item.

    Attributes
    ----------
    item : str
        Identifier of the item, ``predictions/<run_id>`` or ``target/<dataset_id>``.
    status : str
        ``stored``; ``good`` (a dataset, or a stored file that agrees with the other runs);
        ``excluded`` (not requested again) or ``transient`` (requested again in the next run).
    reason, detail : str
        Reason if the item is not available, as in the status table, and the error message.
    url : str
        Address of the file.
    sha256, size : str and int, or None
        Checksum and size in bytes of the stored file; None if there is no file.
    time : str
        UTC, ISO 8601.
    """

    item: str
    status: str
    reason: str = ""
    detail: str = ""
    url: str = ""
    sha256: str | None = None
    size: int | None = None
    time: str = ""


class Ledger:
    """Append-only file of entries; the last entry of an item is valid.

    A line that is incomplete because the process was killed is ignored by readers. The next append
    ends it.
    """

    def __init__(self, path: str | Path):
        self._path = Path(path)
        self._entries = {entry.item: entry for entry in self._read()}

    def get(self, item: str) -> Entry | None:
        return self._entries.get(item)

    def find(self, kind: str, statuses: Collection[str]) -> list[Entry]:
        """Return the entries of the items ``<kind>/...`` that have one of the statuses."""
        return [
            entry
            for entry in self._entries.values()
            if entry.status in statuses and entry.item.startswith(f"{kind}/")
        ]

    def add(self, entry: Entry) -> None:
        """Append an entry and flush it to disk."""
        line = json.dumps(asdict(entry), ensure_ascii=False) + "\n"
        self._append(line)
        self._entries[entry.item] = entry

    def _append(self, line: str) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "ab+") as file:
            if file.tell() and not self._ends_with_newline(file):
                line = "\n" + line
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())

    @staticmethod
    def _ends_with_newline(file) -> bool:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"

    def _read(self):
        if not self._path.exists():
            return
        for line in self._path.read_bytes().splitlines():
            try:
                entry = Entry(**json.loads(line))
            except (ValueError, TypeError, RecursionError):
                continue
            if isinstance(entry.item, str) and isinstance(entry.status, str):
                yield entry
