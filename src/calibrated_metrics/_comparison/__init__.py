"""How `calibrated_metrics.comparison` measures groups and periods."""
