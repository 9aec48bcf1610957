"""Imbalanced tasks from simulated card transactions, because no bundled data set is so imbalanced.

Each task has its own simulated population, so the tasks are independent.
"""

import numpy as np

from reproduction.core.streams import stream, stream_seed

# Features of a terminal use the 37 days before a transaction.
_FIRST_DAY, _DAYS = 43, 3
_N_FRAUDS, _N_GENUINE = 32, 3568
_CITY = {"n_customers": 4000, "n_terminals": 16_000, "radius": 5.0}
_COUNTY = {"n_customers": 2000, "n_terminals": 9000, "radius": 15.0}
# Place, scenarios (2: frauds of compromised terminals, 3: of compromised customers) and title.
_TASKS = {
    "frauds_city": (_CITY, (1, 2, 3), "all frauds of a simulated city"),
    "frauds_city_customers": (_CITY, (3,), "customer frauds of a simulated city"),
    "frauds_city_terminals": (_CITY, (2,), "terminal frauds of a simulated city"),
    "frauds_county_customers": (_COUNTY, (3,), "customer frauds of a simulated county"),
    "frauds_county_terminals": (_COUNTY, (2,), "terminal frauds of a simulated county"),
}

NAMES = tuple(_TASKS)


def draw(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, str]:
    """Features, labels and title of a task: random frauds and genuine transactions of three days.

    The order is that of time. Frauds of other scenarios are left out.
    """
    # Imported here, as each start of Snakemake imports this module for the names of the tasks.
    from reproduction.fraud.features import transaction_features
    from reproduction.fraud.simulator import simulate_transactions

    place, scenarios, title = _TASKS[name]
    transactions = simulate_transactions(
        **place, n_days=_FIRST_DAY + _DAYS, seed=stream_seed(seed, f"simulated_frauds {name}")
    )
    rng = stream(seed, f"rows of simulated_frauds {name}")
    is_late = transactions["day"] >= _FIRST_DAY
    is_fraud = transactions["scenario"].isin(scenarios)
    drawn = [
        rng.choice(np.flatnonzero(is_late & of_class), size=size, replace=False)
        for of_class, size in ((is_fraud, _N_FRAUDS), (~transactions["fraud"], _N_GENUINE))
    ]
    rows = np.sort(np.concatenate(drawn))
    features = transaction_features(transactions).to_numpy(np.float64)
    return features[rows], is_fraud.to_numpy(np.int8)[rows], title
