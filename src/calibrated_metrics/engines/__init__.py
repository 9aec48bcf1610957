"""Engines that store rows: databases, clusters and parquet files, read through Ibis."""
