"""How `calibrated_metrics.uncertainty` makes its intervals."""
