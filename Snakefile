"""Reproduce "Master your Metrics with Calibration": `snakemake --cores all`."""

import sys

SOURCE = f"{workflow.basedir}/src"
sys.path.insert(0, SOURCE)
# Jobs that run in another environment (conda, a cluster) find the library too.
shell.prefix(f'export PYTHONPATH="{SOURCE}:${{{{PYTHONPATH:-}}}}"; ')

from reproduction import runlock
from reproduction.config import load_config
from reproduction.provenance import plugins_hash, script_hash


configfile: "config/config.yaml"


CONFIG = load_config(config)
RESULTS = CONFIG.results_dir

# Each rules file adds what it makes, so that the targets below know every experiment.
TABLES = []
FIGURES = []
FIGURE_LABELS = {}  # title and category of each figure, by its name


include: "workflow/rules/common.smk"
include: "workflow/rules/pi_sweep.smk"
include: "workflow/rules/kl_sweep.smk"
include: "workflow/rules/fraud_data.smk"
include: "workflow/rules/heuristic.smk"
include: "workflow/rules/fraud_prior_sweep.smk"
include: "workflow/rules/ranking.smk"
include: "workflow/rules/monitoring.smk"
include: "workflow/rules/curves_at_priors.smk"
include: "workflow/rules/prior_illustration.smk"
include: "workflow/rules/davis_goadrich.smk"
include: "workflow/rules/label_free.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/readme.smk"


onstart:
    runlock.hold(RESULTS)
    # Each job that ends adds a selection of jobs per second, for good (Snakemake 9.27, its issue
    # 3744): with a thousand jobs, a core does nothing else. Only clusters need the limit.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


localrules:
    all,
    reproduction,
    tables,
    figures,


rule all:
    default_target: True
    input:
        TABLES,
        FIGURES,


rule reproduction:
    input:
        rules.all.input,


rule tables:
    input:
        TABLES,


rule figures:
    input:
        FIGURES,
