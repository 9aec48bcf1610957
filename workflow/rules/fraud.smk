"""Figures 2 and 6 and arXiv appendix A: one model on fraud data, at several priors.

Inputs: the file fraud.path if fraud.source is `file` or `scores`; a download is kept in
resources_dir.
Outputs: tables/fraud_data.csv, heuristic.csv, fraud_prior_sweep{,_intervals}.csv and
curves_at_priors.csv, figures/fig2_curves.*, fig6_heuristic_vs_formula.*, figA7_fraud_prior_sweep.*
"""

FRAUD_FILE = CONFIG.fraud.data_file(CONFIG.resources_dir)
FRAUD_FUNCTION = {"simulated": "simulated", "scores": "scores"}.get(
    CONFIG.fraud.source, "creditcard"
)
FRAUD_BLOCK = f"{RESULTS}/intermediate/fraud_prior_sweep/{{first}}-{{stop}}.parquet"


# An edit of the code does not download again, so there is no hash of the code.
use rule job as fraud_download with:
    output:
        f"{CONFIG.resources_dir}/creditcard_{{source}}.parquet",
    log:
        log_file("fraud/download_{source}"),
    wildcard_constraints:
        source="kaggle|openml",
    params:
        function="reproduction.fraud.download.published_data",
        source=lambda wildcards: wildcards.source,
        openml_server=CONFIG.fraud.openml_server,


use rule job as fraud_predictions with:
    input:
        **({} if CONFIG.fraud.source == "simulated" else {"path": FRAUD_FILE}),
    output:
        f"{RESULTS}/intermediate/fraud/predictions.parquet",
        table("fraud_data"),
    log:
        log_file("fraud/predictions"),
    params:
        **calls(f"fraud.data.{FRAUD_FUNCTION}"),
        **CONFIG.fraud.arguments(),
        **({"seed": CONFIG.seed} if CONFIG.fraud.source == "simulated" else {}),


use rule job as heuristic with:
    input:
        predictions=rules.fraud_predictions.output[0],
    output:
        table("heuristic"),
    log:
        log_file("fraud/heuristic"),
    params:
        **calls("fraud.experiment.heuristic"),
        **CONFIG.fraud.heuristic.model_dump(),
        seed=CONFIG.seed,


use rule job as fraud_prior_sweep_block with:
    input:
        predictions=rules.fraud_predictions.output[0],
    output:
        FRAUD_BLOCK,
    log:
        log_file("fraud/prior_sweep_{first}-{stop}"),
    params:
        **calls("fraud.experiment.prior_sweep"),
        **CONFIG.fraud.prior_sweep.of_one_run(),
        metrics=metrics_of(CONFIG.fraud.prior_sweep.metrics),
        seed=CONFIG.seed,
        runs=lambda wildcards: [int(wildcards.first), int(wildcards.stop)],


use rule job as fraud_prior_sweep with:
    input:
        tables=[
            FRAUD_BLOCK.format(first=first, stop=stop)
            for first, stop in CONFIG.fraud.prior_sweep.blocks()
        ],
    output:
        table("fraud_prior_sweep"),
    log:
        log_file("fraud/prior_sweep"),
    params:
        **calls("core.io.joined"),


use rule job as fraud_prior_sweep_intervals with:
    input:
        predictions=rules.fraud_predictions.output[0],
    output:
        table("fraud_prior_sweep_intervals"),
    log:
        log_file("fraud/prior_sweep_intervals"),
    params:
        **calls("fraud.experiment.prior_sweep_intervals"),
        **CONFIG.fraud.prior_sweep.of_one_run(),
        metrics=metrics_of(CONFIG.fraud.prior_sweep.metrics),
        seed=CONFIG.seed,


use rule job as curves_at_priors with:
    input:
        predictions=rules.fraud_predictions.output[0],
    output:
        table("curves_at_priors"),
    log:
        log_file("fraud/curves"),
    params:
        **calls("fraud.experiment.curves"),
        **CONFIG.fraud.curves.model_dump(),
        seed=CONFIG.seed,


use rule job as fig2_curves with:
    input:
        table=rules.curves_at_priors.output[0],
        data=rules.fraud_predictions.output[1],
    output:
        figure(
            "fig2_curves",
            "Figure 2: ROC, PR and PR-Gain curves at two priors",
            SIBLINI,
        ),
    log:
        log_file("figures/fig2_curves"),
    params:
        **calls("fraud.figure.draw_curves"),


use rule job as fig6_heuristic_vs_formula with:
    input:
        table=rules.heuristic.output[0],
        data=rules.fraud_predictions.output[1],
    output:
        figure(
            "fig6_heuristic_vs_formula",
            "Figure 6: undersampling compared with the closed form",
            SIBLINI,
        ),
    log:
        log_file("figures/fig6_heuristic_vs_formula"),
    params:
        **calls("fraud.figure.draw_heuristic"),


use rule job as figA7_fraud_prior_sweep with:
    input:
        table=rules.fraud_prior_sweep.output[0],
        intervals=rules.fraud_prior_sweep_intervals.output[0],
        data=rules.fraud_predictions.output[1],
    output:
        figure(
            "figA7_fraud_prior_sweep",
            "arXiv Figure 7 (appendix A): metrics on fraud data against the prior",
            SIBLINI,
        ),
    log:
        log_file("figures/figA7_fraud_prior_sweep"),
    params:
        **calls("fraud.figure.draw_prior_sweep"),
        metrics=metrics_of(CONFIG.fraud.prior_sweep.metrics),
