"""The rule that the rules of data and experiments extend: `use rule job as ... with`.

Such a job is one call of a function in src/reproduction: its params are `**calls(function)` and
the arguments of the function. `reproduction.jobs` describes how both are converted.
"""


rule job:
    log:
        f"{RESULTS}/logs/job.log",
    conda:
        ENVIRONMENT
    script:
        f"{SCRIPTS}/run_job.py"
