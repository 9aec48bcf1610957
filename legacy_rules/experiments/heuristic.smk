"""Figure 6: the undersampling heuristic compared with the closed form.

Inputs: the scored fraud test set.
Outputs: tables/heuristic.csv.
"""


use rule job as heuristic with:
    input:
        curve=rules.fraud_predictions.output.predictions,
    output:
        table("heuristic"),
    log:
        log_file("heuristic"),
    benchmark:
        benchmark_file("heuristic")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("experiments.heuristic.run"),
        settings=CONFIG.heuristic.model_dump(),
        seed=CONFIG.seed,
