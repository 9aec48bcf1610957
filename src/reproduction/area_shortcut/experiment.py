"""Rescaling an area to another prior as if it were a precision, compared with the exact area.

At a threshold, precision at π₀ follows from precision at π: its odds are multiplied by the ratio of
the odds of the priors. Applied to the area instead ("AUBPRC can be calculated directly from the
AUPRC (Equation 7)", thread SchlossLab/mikropml#330 about Wu et al., AJHG 2021,
doi:10.1016/j.ajhg.2021.08.012; the equation itself was not read), this is wrong. For π < π₀ the map
is concave, so by Jensen's inequality the rescaled mean exceeds the mean of the rescaled precision.
"""

import pandas as pd

from calibrated_metrics.scores import pr_auc
from reproduction.core.gaussian import gaussian_curve

PRIORS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9)

_PI0 = 0.5
# Negatives are N(0, 1). Mean and standard deviation of the positives of each model.
_MODELS = {"d = 1": (1.0, 1.0), "d = 2": (2.0, 1.0), "d = 3": (3.0, 1.0), "wide": (2.2, 2.0)}


def run() -> pd.DataFrame:
    """Compare the shortcut with the exact area, on populations."""
    rows = []
    for model, (mean, sd) in _MODELS.items():
        curve = gaussian_curve(mean, sd)
        exact = pr_auc(curve.at_prior(_PI0))
        for prior in PRIORS:
            area = pr_auc(curve.at_prior(prior))
            shortcut = rescaled(area, prior, _PI0)
            rows.append((model, prior, area, _PI0, exact, shortcut))
    return pd.DataFrame(rows, columns=["model", "prior", "auc_pr", "pi0", "exact", "shortcut"])


def rescaled(precision: float, prior: float, pi0: float) -> float:
    """Precision at the prior `pi0`, from precision at `prior`; valid at one threshold only."""
    true, false = precision * pi0 / prior, (1 - precision) * (1 - pi0) / (1 - prior)
    return true / (true + false)
