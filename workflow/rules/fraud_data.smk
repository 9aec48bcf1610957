"""The fraud data's test set, scored by the source's model.

Inputs: the file fraud.path where fraud.source is `file`; downloads land in resources_dir.
Outputs: intermediate/fraud/predictions.parquet, intermediate/fraud/data.json.
"""


rule fraud_predictions:
    input:
        CONFIG.fraud.path if CONFIG.fraud.source == "file" else [],
    output:
        predictions=f"{RESULTS}/intermediate/fraud/predictions.parquet",
        data=f"{RESULTS}/intermediate/fraud/data.json",
    log:
        f"{RESULTS}/logs/fraud_predictions.log",
    conda:
        ENVIRONMENT
    params:
        settings=CONFIG.fraud.used(),
        seed=CONFIG.seed,
        code=code_of("fraud_predictions"),
    script:
        "../scripts/fraud_predictions.py"
