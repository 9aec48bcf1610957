"""Description of the fraud data behind a run, which figures and the report show."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["FraudData"]


@dataclass(frozen=True)
class FraudData:
    """Description of the fraud data, shown in figures and in the report."""

    source: str
    name: str
    simulated: bool
    n_rows: int
    n_frauds: int
    model: str
    sha256: str | None

    def as_dict(self) -> dict:
        return asdict(self)

    @classmethod
    def read(cls, path: str | Path) -> FraudData:
        return cls(**json.loads(Path(path).read_text(encoding="utf-8")))

    @property
    def title(self) -> str:
        """Title of figures made from the data."""
        return f"{self.name}, in place of Kaggle's fraud data" if self.simulated else self.name
