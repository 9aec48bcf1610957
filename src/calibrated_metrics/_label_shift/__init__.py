"""Label shift: estimation of the prior of unlabelled scores, its test, and joint draws."""
