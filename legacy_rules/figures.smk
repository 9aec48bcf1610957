"""All figures. To add one, write a module in src/reproduction/figures, a caption in
workflow/report, and an entry in this file.

Inputs: the tables that an entry names, intermediate/fraud/data.json.
Outputs: figures/*.{pdf,png,svg}.
"""

STREAM_NAME = "simulated card transactions, in place of the paper's private stream"
FRAUD_DATA = {"data": rules.fraud_predictions.output.data}


def figure(
    title, category, tables, /, *, related=(), drawn_by=None, inputs=None, **arguments
):
    """An entry of `FIGURES`.

    title, category: shown in the report. tables: maps parameters of `draw` to names of tables;
    inputs: maps parameters to other files. related: names of other tables on the same subject; the
    report links to them and shows the claims on them beneath the figure. drawn_by: name of the
    module in src/reproduction/figures, if it differs from the name of the figure. arguments: other
    arguments of `draw`.
    """
    return {
        "title": title,
        "category": category,
        "tables": tables,
        "related": related,
        "inputs": inputs or {},
        "drawn_by": drawn_by,
        "arguments": arguments,
    }


FIGURES = {
    "fig5_kl_sweep": figure(
        "Figure 5: metrics against the divergence of the classes",
        SIBLINI,
        {"table": "kl_sweep"},
        related=["kl_sweep_agreement"],
        metrics=metrics_of("kl_sweep"),
    ),
    "fig6_heuristic_vs_formula": figure(
        "Figure 6: undersampling compared with the closed form",
        SIBLINI,
        {"table": "heuristic"},
        inputs=FRAUD_DATA,
    ),
    "figA7_fraud_prior_sweep": figure(
        "arXiv Figure 7 (appendix A): metrics on fraud data against the prior",
        SIBLINI,
        {"table": "fraud_prior_sweep", "intervals": "fraud_prior_sweep_intervals"},
        inputs=FRAUD_DATA,
        metrics=metrics_of("fraud_prior_sweep"),
    ),
    "fig1_monitoring": figure(
        "Figure 1: AUC-PR follows the fraud ratio",
        SIBLINI,
        {"values": "monitoring"},
        related=["monitoring_trends"],
        data_name=STREAM_NAME,
    ),
    "figD11_monitoring_calibrated": figure(
        "arXiv Figure 11: drift of the prior and of the model",
        SIBLINI,
        {
            "values": "monitoring",
            "trends": "monitoring_trends",
            "differences": "monitoring_differences",
        },
        data_name=STREAM_NAME,
    ),
    "fig2_curves": figure(
        "Figure 2: ROC, PR and PR-Gain curves at two priors",
        SIBLINI,
        {"table": "curves_at_priors"},
        inputs=FRAUD_DATA,
    ),
    "fig3_prior_illustration": figure(
        "Figure 3: the same model at a lower prior",
        SIBLINI,
        {"instances": "prior_illustration", "numbers": "prior_illustration_numbers"},
    ),
    "dg_fig1": figure(
        "Figure 1: two models with the same AUC-ROC",
        DAVIS_GOADRICH,
        {"table": "dg_fig1"},
    ),
    "dg_fig5": figure(
        "Figure 5: the achievable PR curve", DAVIS_GOADRICH, {"table": "dg_fig5"}
    ),
    "dg_fig6": figure(
        "Figure 6: correct and wrong interpolation",
        DAVIS_GOADRICH,
        {"table": "dg_fig6"},
        related=["dg_fig6_areas"],
    ),
    "dg_fig7": figure(
        "Figure 7: AUC-ROC and AUC-PR disagree",
        DAVIS_GOADRICH,
        {"table": "dg_fig7", "areas": "dg_fig7_areas"},
    ),
    "cc_table1": figure(
        "Table 1: metrics from labels, scores and the distribution",
        CALIBRATED_CLASSIFIER,
        {"table": "label_free"},
    ),
    "cc_table2": figure(
        "Table 2: accuracy, precision, recall and F1",
        CALIBRATED_CLASSIFIER,
        {"table": "label_free"},
    ),
    "cc_convergence": figure(
        "Error of the metrics against the sample size",
        CALIBRATED_CLASSIFIER,
        {"table": "label_free_convergence"},
        related=["label_free_rates"],
    ),
    "monitoring_changes": figure(
        "Prior part and model part of the change of AUC-PR",
        BEYOND,
        {"changes": "monitoring_changes", "values": "monitoring"},
        data_name=STREAM_NAME,
    ),
}


def figure_file(name, suffix):
    return f"{RESULTS}/figures/{name}.{suffix}"


FIGURE_FILES = [
    figure_file(name, suffix) for name in FIGURES for suffix in ("pdf", "png", "svg")
]


LEGACY_FIGURES = dict(FIGURES)
for name, (title, category) in ROOM_FIGURES.items():
    read = [
        each.table
        for room in claims.rooms()
        for each in claims.of_room(room)
        if each.figure == name
    ]
    FIGURES[name] = figure(title, category, {each: each for each in sorted(set(read))})
FIGURE_FILES += [
    figure_file(name, suffix)
    for name in ROOM_FIGURES
    for suffix in ("pdf", "png", "svg")
]


for figure_name, entry in LEGACY_FIGURES.items():

    rule:
        # Without the prefix, the name is that of the rule that makes the table.
        name:
            (
                figure_name
                if figure_name.startswith(("fig", "dg_", "cc_"))
                else f"fig_{figure_name}"
            )
        input:
            **{
                parameter: f"{RESULTS}/tables/{name}.csv"
                for parameter, name in entry["tables"].items()
            },
            **entry["inputs"],
        output:
            figure_file(figure_name, "pdf"),
            report(
                figure_file(figure_name, "png"),
                caption=f"../report/{figure_name}.rst",
                category=entry["category"],
                labels={"figure": entry["title"]},
            ),
            figure_file(figure_name, "svg"),
        log:
            log_file(f"figures/{figure_name}"),
        benchmark:
            benchmark_file(f"figures/{figure_name}")
        group:
            cluster_job("results")
        conda:
            ENVIRONMENT
        params:
            **legacy_calls(f"figures.{entry['drawn_by'] or figure_name}.draw", "figures.style"),
            **entry["arguments"],
            png_dpi=CONFIG.figures.png_dpi,
        script:
            f"{SCRIPTS}/draw_figure.py"
