"""Data larger than memory: curves from a database, a cluster or parquet files.

The rows are counted by the engine that stores them. The extra ``tables`` must be installed.
"""

from calibrated_metrics.tables.curves import curves

__all__ = ["curves"]
