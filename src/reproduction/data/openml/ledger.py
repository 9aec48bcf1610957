"""What was asked of the server and what became of it, one line an answer."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["Entry", "Ledger"]


@dataclass(frozen=True)
class Entry:
    """One item that was asked for.

    Attributes
    ----------
    item : str
        What it is, such as ``run/500`` or ``predictions/500``.
    status : str
        ``ok``, ``excluded`` (never asked for again) or ``transient`` (asked for again next time).
    reason, detail : str
        Why not ``ok``: a word of the status table, and the error itself.
    sha256, size : str and int, or None
        Of the stored file, where there is one.
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
    """Append-only file of entries; the last one of an item counts.

    A line that a kill cut off is left out when the file is read, and closed by the next append.
    """

    def __init__(self, path: str | Path):
        self._path = Path(path)
        self._entries = {entry.item: entry for entry in self._read()}

    def get(self, item: str) -> Entry | None:
        return self._entries.get(item)

    def find(self, status: str) -> Entry | None:
        """The latest item with a status."""
        return next((e for e in reversed(self._entries.values()) if e.status == status), None)

    def add(self, entry: Entry) -> None:
        """Append an entry and force it to the disk."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(asdict(entry), ensure_ascii=False) + "\n"
        with open(self._path, "ab+") as file:
            if file.tell() and not self._ends_with_a_line(file):
                line = "\n" + line
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
        self._entries[entry.item] = entry

    @staticmethod
    def _ends_with_a_line(file) -> bool:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"

    def _read(self):
        if not self._path.exists():
            return
        for line in self._path.read_bytes().splitlines():
            try:
                yield Entry(**json.loads(line))
            except (ValueError, TypeError):
                continue
