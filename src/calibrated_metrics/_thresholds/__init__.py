"""How `calibrated_metrics.thresholds` chooses thresholds and certifies them."""
