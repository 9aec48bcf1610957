"""The rule that the rules of data and experiments extend: `use rule job as ... with`.

Such a job is one call of a function in src/reproduction: its params are `**legacy_calls(function)` and
the arguments of the function. `reproduction.jobs` describes how both are converted.

On a cluster such jobs run together with those of figures and report. Rules that make what other
experiments read, or that take long, set another `group` (see `cluster_job`).
"""


rule job:
    log:
        f"{RESULTS}/logs/job.log",
    group:
        cluster_job("results")
    conda:
        ENVIRONMENT
    script:
        f"{SCRIPTS}/run_job.py"
