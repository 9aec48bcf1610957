"""Claims of the fraud-detection handbook on the numbers of simulated transactions and frauds."""

from functools import partial

from reproduction.claims.lookup import number
from reproduction.claims.registry import Tolerance, as_by_default, claim, equal

AS_PUBLISHED = (
    equal("fraud.source", "simulated"),
    *as_by_default("fraud.simulator", "n_customers", "n_terminals", "n_days", "radius"),
)
CHANCE = "four standard deviations of the simulator's draws"

simulator = partial(claim, "H", "simulator, published size", needs=AS_PUBLISHED)


@simulator(1_754_155, Tolerance(60_000, CHANCE))
def simulator_transactions(fraud_data):
    """number of transactions of 5,000 customers in 183 days"""
    return number(fraud_data, "n_rows")


@simulator(14_681, Tolerance(1_500, CHANCE))
def simulator_frauds(fraud_data):
    """number of frauds among the transactions of 5,000 customers in 183 days"""
    return number(fraud_data, "n_frauds")
