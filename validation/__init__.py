"""Simulations that compare the statements of `calibrated_metrics` with known populations."""
