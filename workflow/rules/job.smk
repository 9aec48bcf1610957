"""The rule that others extend by `use rule job as ... with`. A job is one call of a function."""


rule job:
    log:
        f"{RESULTS}/logs/job.log",
    params:
        function="reproduction.core.job.nothing",
    script:
        "../scripts/job.py"
