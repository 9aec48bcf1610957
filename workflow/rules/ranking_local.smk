"""Rankings of models that are fitted here, one job per task.

Inputs: none.
Outputs: intermediate/ranking/local/{predictions,tasks}/*.parquet.
"""


rule local_predictions:
    output:
        predictions=f"{RANKING}/predictions/{{task}}.parquet",
        task=f"{RANKING}/tasks/{{task}}.parquet",
    log:
        f"{RESULTS}/logs/ranking/predictions/{{task}}.log",
    conda:
        ENVIRONMENT
    params:
        n_models=CONFIG.ranking.n_models,
        seed=CONFIG.seed,
        code=code_of("local_predictions"),
    script:
        "../scripts/local_predictions.py"
