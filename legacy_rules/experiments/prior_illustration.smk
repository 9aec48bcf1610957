"""Figure 3: with half of the positives removed, the same model has a lower precision.

Inputs: none.
Outputs: tables/prior_illustration{,_numbers}.csv.
"""


use rule job as prior_illustration with:
    output:
        instances=table("prior_illustration"),
        numbers=table("prior_illustration_numbers"),
    log:
        log_file("prior_illustration"),
    benchmark:
        benchmark_file("prior_illustration")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("experiments.prior_illustration.run"),
