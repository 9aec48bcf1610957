"""The fraud data's test set, scored by the source's model.

Inputs: the file fraud.path where fraud.source is `file`; downloads land in resources_dir.
Outputs: work/fraud/predictions.parquet, work/fraud/data.json.
"""


rule fraud_predictions:
    input:
        CONFIG.fraud.path if CONFIG.fraud.source == "file" else [],
    output:
        predictions=f"{RESULTS}/work/fraud/predictions.parquet",
        data=f"{RESULTS}/work/fraud/data.json",
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
