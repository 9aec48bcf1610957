"""How `calibrated_metrics.label_free` estimates priors and metrics of rows without labels."""
