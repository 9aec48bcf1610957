"""Reproduce "Master your Metrics with Calibration": `snakemake --cores all`."""

import sys
from pathlib import Path

SOURCE = f"{workflow.basedir}/src"
sys.path.insert(0, SOURCE)
# Jobs that run in another environment (conda, a cluster) find the library too.
shell.prefix(f'export PYTHONPATH="{SOURCE}:${{{{PYTHONPATH:-}}}}"; ')

from reproduction import runlock
from reproduction.config import load_config, refuse_unless_default
from reproduction.provenance import code_hash, plugins_hash


configfile: "config/config.yaml"


CONFIG = load_config(config)
RESULTS = CONFIG.results_dir

TABLES = []  # each rules file adds the tables that it makes


include: "workflow/rules/common.smk"
include: "workflow/rules/job.smk"
include: "workflow/rules/fraud_data.smk"


for rules_file in sorted(
    Path(workflow.basedir).glob("workflow/rules/experiments/*.smk")
):

    include: str(rules_file)


# These read the tables of all experiments.
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
