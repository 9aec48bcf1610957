"""Test set of the fraud data, with the scores of a model.

Inputs: the file fraud.path if fraud.source is `file`; downloads are stored in resources_dir.
Outputs: intermediate/fraud/predictions.parquet, intermediate/fraud/data.json.
"""


use rule job as fraud_predictions with:
    input:
        CONFIG.fraud.path if CONFIG.fraud.source == "file" else [],
    output:
        predictions=f"{RESULTS}/intermediate/fraud/predictions.parquet",
        data=f"{RESULTS}/intermediate/fraud/data.json",
    log:
        log_file("fraud_predictions"),
    benchmark:
        benchmark_file("fraud_predictions")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("data.fraud.scored_test_set"),
        settings=CONFIG.fraud.used(),
        seed=CONFIG.seed,
