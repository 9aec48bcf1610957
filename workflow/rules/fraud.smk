"""Figures 2 and 6 and arXiv appendix A: one model on fraud data, at several priors."""

FRAUD_FUNCTION = "creditcard" if CONFIG.fraud.source == "file" else CONFIG.fraud.source


# Kaggle's file in resources_dir is neither input nor output: the job reads or downloads it, and Snakemake
# cannot delete it. The job is the first, because no other one starts after it has failed.
use rule job as fraud_predictions with:
    input:
        **({"path": CONFIG.fraud.path} if CONFIG.fraud.path else {}),
    output:
        predictions=f"{RESULTS}/intermediate/fraud/predictions.parquet",
        data=table("fraud_data"),
    log:
        log_file("fraud/predictions"),
    priority: 1
    params:
        **calls(f"fraud.data.{FRAUD_FUNCTION}"),
        **CONFIG.fraud.arguments(CONFIG.resources_dir),
        **(CONFIG.own_files.model_dump() if CONFIG.fraud.path else {}),
        **({"seed": CONFIG.seed} if CONFIG.fraud.source == "simulated" else {}),
        version=version_of(CONFIG.fraud.path),


use rule job as fraud with:
    input:
        predictions=rules.fraud_predictions.output.predictions,
    output:
        heuristic=table("heuristic"),
        prior_sweep=table("fraud_prior_sweep"),
        bands=table("fraud_prior_sweep_bands"),
        intervals=table("fraud_prior_sweep_intervals"),
        curves=table("curves_at_priors"),
    log:
        log_file("fraud/tables"),
    params:
        **calls("fraud.experiment.run"),
        metrics=metrics_of(CONFIG.fraud.prior_sweep.metrics),
        of_heuristic=CONFIG.fraud.heuristic.model_dump(),
        of_prior_sweep=CONFIG.fraud.prior_sweep.model_dump(exclude={"metrics"}),
        of_curves=CONFIG.fraud.curves.model_dump(),
        seed=CONFIG.seed,


figure(
    "fig2_curves",
    "Figure 2: ROC, PR and PR-Gain curves at two priors",
    SIBLINI,
    draws="fraud.figure.draw_curves",
    inputs={
        "table": rules.fraud.output.curves,
        "data": rules.fraud_predictions.output.data,
    },
)


figure(
    "fig6_heuristic_vs_formula",
    "Figure 6: undersampling compared with the closed form",
    SIBLINI,
    draws="fraud.figure.draw_heuristic",
    inputs={
        "table": rules.fraud.output.heuristic,
        "data": rules.fraud_predictions.output.data,
    },
)


figure(
    "figA7_fraud_prior_sweep",
    "arXiv Figure 7 (appendix A): metrics on fraud data against the prior",
    SIBLINI,
    draws="fraud.figure.draw_prior_sweep",
    inputs={
        "bands": rules.fraud.output.bands,
        "intervals": rules.fraud.output.intervals,
        "data": rules.fraud_predictions.output.data,
    },
    metrics=metrics_of(CONFIG.fraud.prior_sweep.metrics),
)
