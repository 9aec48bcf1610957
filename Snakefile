"""Reproduce "Master your Metrics with Calibration": `snakemake --cores all`."""

import sys
from pathlib import Path

SOURCE = f"{workflow.basedir}/src"
sys.path.insert(0, SOURCE)
# Jobs that run in another environment (conda, a cluster) find the library too.
shell.prefix(f'export PYTHONPATH="{SOURCE}:${{{{PYTHONPATH:-}}}}"; ')

from reproduction import runlock
from reproduction.config import load_config
from reproduction.provenance import code_hash, plugins_hash


configfile: "config/config.yaml"


CONFIG = load_config(config)
RESULTS = CONFIG.results_dir

TABLES = []  # each rules file adds the tables that it makes


include: "workflow/rules/common.smk"
include: "workflow/rules/job.smk"
# Data and experiments
include: "workflow/rules/fraud_data.smk"
include: "workflow/rules/pi_sweep.smk"
include: "workflow/rules/kl_sweep.smk"
include: "workflow/rules/heuristic.smk"
include: "workflow/rules/fraud_prior_sweep.smk"
include: "workflow/rules/ranking.smk"
include: "workflow/rules/monitoring.smk"
include: "workflow/rules/curves_at_priors.smk"
include: "workflow/rules/prior_illustration.smk"
include: "workflow/rules/davis_goadrich.smk"
include: "workflow/rules/label_free.smk"
# What is made of their tables
include: "workflow/rules/claims.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/readme.smk"


onstart:
    runlock.hold(RESULTS)
    # Snakemake 9.27 asks this limiter once more for every job that has ended, so with a thousand
    # jobs it keeps a core busy (pull request 3744 of Snakemake). Only clusters need the limit.
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
        FIGURE_FILES,


rule reproduction:
    input:
        rules.all.input,


rule tables:
    input:
        TABLES,


rule figures:
    input:
        FIGURE_FILES,
