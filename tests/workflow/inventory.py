"""What the workflow makes: the tables with their columns, the figures and the rules.

Every test that lists tables, figures or rules takes them from here. Who adds an experiment or a
figure adds it here once.
"""

SWEEP_COLUMNS = ["run", "n_pos", "n_neg", "metric", "pi0", "value"]
AGREEMENT_COLUMNS = ["metric", "pi0", "n_runs", "n_pos", "gap", "standard_error", "z", "verdict"]
CURVE_COLUMNS = ["prior", "calibrated", "pi0", "area"]
PANELS = ("all", "imbalanced", "small_prior")

# Columns that each table must have.
TABLES = {
    "pi_sweep": ["prior", *SWEEP_COLUMNS, "population"],
    "pi_sweep_agreement": ["prior", *AGREEMENT_COLUMNS],
    "kl_sweep": ["mu0", "kl", "squared_distance", "prior", *SWEEP_COLUMNS, "population"],
    "kl_sweep_agreement": ["kl", *AGREEMENT_COLUMNS],
    "heuristic": ["pi0", "n_pos", "n_neg_kept", "mean", "sd", "expected", "closed_form", "low"],
    "fraud_prior_sweep": ["prior", *SWEEP_COLUMNS],
    "fraud_prior_sweep_intervals": ["prior", "metric", "pi0", "value", "low", "high", "method"],
    "curves_at_priors": ["space", "sample", "prior", "pi0", "x", "y", "area"],
    "monitoring": ["scenario", "period", "metric", "pi0", "prior", "value", "low", "high"],
    "monitoring_differences": ["scenario", "period", "metric", "pi0", "prior", "value", "scale"],
    "monitoring_changes": [
        *("scenario", "period", "metric", "prior", "value", "reference_prior", "reference_value"),
        *("total", "prior_part", "prior_part_low", "model_part", "model_part_high", "status"),
    ],
    "monitoring_trends": ["scenario", "metric", "pi0", "slope", "low", "high", "p_value"],
    "prior_illustration": ["population"],
    "prior_illustration_numbers": ["population", "pi0", "recall", "precision"],
    "dg_table1": ["tp", "fp", "recall", "precision"],
    **{f"dg_{name}": CURVE_COLUMNS for name in ("fig1", "fig5", "fig6", "fig6_areas", "fig7")},
    "dg_fig7_areas": ["prior", "pi0", "area"],
    "label_free": ["distribution", "computation", "metric", "threshold", "value"],
    "label_free_convergence": ["distribution", "computation", "metric", "pi0", "n_samples", "rmse"],
    "label_free_rates": ["distribution", "computation", "metric", "pi0", "slope"],
    "ranking_scores": ["task", "run", "metric", "pi0", "value", "value_as_published"],
    "ranking_tasks": ["task", "name", "n_pos", "n_neg", "prior", "n_models", "outcome", *PANELS],
    **{
        f"{name}_{panel}": columns
        for panel in PANELS
        for name, columns in {
            "rank_correlation": ["row", "column", "row_pi0", "column_pi0", "spearman", "n_tasks"],
            "selection_regret": ["chosen_by", "judged_by", "chosen_by_pi0", "judged_by_pi0", "p90"],
        }.items()
    },
    "rank_correlation_corrections": ["panel", "correction", "row", "column", "row_pi0", "change"],
    "rank_correlation_corrections_summary": ["panel", "correction", "largest", "mean", "row_pi0"],
    "paper_vs_ours": [
        *("id", "source", "place", "statement", "paper_value", "ours", "verdict"),
        *("expected", "tables", "headline"),
    ],
    "minority_ratio": ["name", "minority_ratio", "cumulative_share"],
}

# The rule of each figure, by the name of its files.
FIGURES = {
    **{
        name: name
        for name in (
            "cc_convergence",
            "cc_table1",
            "cc_table2",
            "dg_fig1",
            "dg_fig5",
            "dg_fig6",
            "dg_fig7",
            "fig1_monitoring",
            "fig2_curves",
            "fig3_prior_illustration",
            "fig4_pi_sweep",
            "fig5_kl_sweep",
            "fig6_heuristic_vs_formula",
            "fig7_rank_correlation_all",
            "fig7_rank_correlation_imbalanced",
            "figA7_fraud_prior_sweep",
            "figC9_prior_cdf",
            "figC10_rank_correlation_small_prior",
            "figD11_monitoring_calibrated",
        )
    },
    "rank_correlation_corrections": "fig_rank_correlation_corrections",
    "selection_regret_all": "fig_selection_regret_all",
    "selection_regret_imbalanced": "fig_selection_regret_imbalanced",
    "monitoring_changes": "fig_monitoring_changes",
}

# Number of jobs of each rule in the smoke run, by what they belong to.
N_TASKS = 6
CLAIMS = {"paper_vs_ours": 1}
PI_SWEEP = {"pi_sweep_block": 2, "pi_sweep": 1, "pi_sweep_agreement": 1, "fig4_pi_sweep": 1}
KL_SWEEP = {"kl_sweep_block": 2, "kl_sweep": 1, "kl_sweep_agreement": 1, "fig5_kl_sweep": 1}
HEURISTIC = {"heuristic": 1, "fig6_heuristic_vs_formula": 1}
FRAUD_PRIOR_SWEEP = {
    "fraud_prior_sweep_block": 2,
    "fraud_prior_sweep": 1,
    "fraud_prior_sweep_intervals": 1,
    "figA7_fraud_prior_sweep": 1,
}
CURVES = {"curves_at_priors": 1, "fig2_curves": 1}
FRAUD = {"fraud_predictions": 1, **HEURISTIC, **FRAUD_PRIOR_SWEEP, **CURVES}
MONITORING = {
    "monitoring": 1,
    "fig1_monitoring": 1,
    "figD11_monitoring_calibrated": 1,
    "fig_monitoring_changes": 1,
}
STREAM = {"fraud_stream": 1, **MONITORING}
ILLUSTRATION = {"prior_illustration": 1, "fig3_prior_illustration": 1}
DAVIS_GOADRICH = {"davis_goadrich": 1, "dg_fig1": 1, "dg_fig5": 1, "dg_fig6": 1, "dg_fig7": 1}
LABEL_FREE = {
    "label_free": 1,
    "label_free_convergence": 1,
    "cc_table1": 1,
    "cc_table2": 1,
    "cc_convergence": 1,
}
MATRICES = {
    "fig7_rank_correlation_all": 1,
    "fig7_rank_correlation_imbalanced": 1,
    "figC10_rank_correlation_small_prior": 1,
}
CORRELATIONS = {"rank_correlation": len(PANELS), **MATRICES}
REGRETS = {
    "selection_regret": len(PANELS),
    "fig_selection_regret_all": 1,
    "fig_selection_regret_imbalanced": 1,
}
CORRECTIONS = {"rank_correlation_corrections": 1, "fig_rank_correlation_corrections": 1}
MINORITY_RATIO = {"minority_ratio": 1, "figC9_prior_cdf": 1}
RANKING_SCORES = {
    "ranking_scores_of_a_task": N_TASKS,
    "ranking_scores": 1,
    **CORRELATIONS,
    **REGRETS,
    **CORRECTIONS,
}
RANKING = {
    "local_predictions": N_TASKS,
    "ranking_tasks": 1,
    **RANKING_SCORES,
    **MINORITY_RATIO,
}
SEEDED = {
    **PI_SWEEP,
    **KL_SWEEP,
    **FRAUD,
    **STREAM,
    **LABEL_FREE,
    **RANKING,
    **CLAIMS,
}
EVERYTHING = {**SEEDED, **ILLUSTRATION, **DAVIS_GOADRICH}
FIGURE_RULES = dict.fromkeys(FIGURES.values(), 1)
TABLE_RULES = {rule: n for rule, n in EVERYTHING.items() if rule not in FIGURE_RULES}
# Jobs that read all tables and figures, so that they run again after any other job.
PAGE = {"report": 1, "claims_hold": 1}
LAST = {"provenance": 1, **PAGE}
