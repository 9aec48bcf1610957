"""Grid of the priors that undersampling can reach, from the prior of the data upwards."""

from __future__ import annotations

import numpy as np

__all__ = ["priors_up_from"]


def priors_up_from(data_prior: float, highest_prior: float, n_priors: int) -> np.ndarray:
    """Geometric from the data's prior, exactly, to `highest_prior`, shape (n_priors,).

    Raises
    ------
    ValueError
        If `highest_prior` is not above the data's: undersampling only raises a prior.
    """
    if highest_prior <= data_prior:
        raise ValueError(
            f"highest_prior={highest_prior} must be above the prior of the data, {data_prior}"
        )
    return np.geomspace(data_prior, highest_prior, n_priors)
