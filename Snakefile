"""Reproduce "Master your Metrics with Calibration": `snakemake --cores all`."""

import sys
from pathlib import Path

SOURCE = f"{workflow.basedir}/src"
sys.path.insert(0, SOURCE)
# Jobs in another environment (conda, a cluster) also find the library.
shell.prefix(f'export PYTHONPATH="{SOURCE}:${{{{PYTHONPATH:-}}}}"; ')

from reproduction import scratch

# Before the other imports, which take longer: a kill leaves no folder that is not claimed.
scratch.claim(workflow.snakemake_tmp_dir)

from reproduction import runlock
from reproduction.config import load_config, refuse_unless_default
from reproduction.files import name_cut_run_times, remove_leftovers
from reproduction.core import claims, code_hash
from reproduction.provenance import code_hash as legacy_code_hash
from reproduction.provenance import notebook_hash, plugins_hash, remember

# Without it, half of the time of a start would go into hashes of code.
remember(".snakemake/code.json")


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


for room in claims.rooms():

    include: f"workflow/rules/{room}.smk"


# These rules read the tables of all experiments.
include: "workflow/rules/claims.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/provenance.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/readme.smk"
include: "workflow/rules/notebooks.smk"
include: "workflow/rules/ro_crate.smk"


onstart:
    runlock.hold(RESULTS)
    for folder in (RESULTS, CONFIG.resources_dir):
        remove_leftovers(folder)
    # In Snakemake 9.27 the cost of this limiter grows with the number of finished jobs; with a
    # thousand jobs it occupies a core (Snakemake pull request 3744). Only clusters need the limit.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    runlock.check()


onerror:
    name_cut_run_times(f"{RESULTS}/benchmarks", log)
    runlock.check()


localrules:
    all,
    claims_hold,
    reproduction,
    tables,
    figures,
    notebooks,


rule all:
    default_target: True
    input:
        TABLES,
        FIGURE_FILES,
        rules.provenance.output,
        rules.report.output,
        rules.claims_hold.output,


rule reproduction:
    input:
        rules.all.input,


rule tables:
    input:
        TABLES,


rule figures:
    input:
        FIGURE_FILES,
