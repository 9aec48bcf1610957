"""Compare the numbers and claims of the papers with the tables of this run.

Included after the experiments, because it reads their tables.
Inputs: the tables that claims read and this configuration produces;
intermediate/fraud/data.json.
Outputs: tables/paper_vs_ours.csv. Its column `expected` is false for a broken claim; the rule
`claims_hold` (report.smk) then fails after the report is made.
"""

from reproduction.claims.catalogue import settings_of, statements_hash, tables_read

TABLES_OF_CLAIMS = [path for path in TABLES if Path(path).stem in tables_read()]


rule claims_of_room:
    input:
        paths=lambda wildcards: [
            path
            for path in TABLES
            if Path(path).stem in claims.tables_of(wildcards.room)
        ],
    output:
        f"{RESULTS}/intermediate/claims/{{room}}.csv",
    log:
        log_file("claims/{room}"),
    conda:
        ENVIRONMENT
    params:
        **calls("core.claims.judged_files"),
        room=lambda wildcards: wildcards.room,
        version=lambda wildcards: claims.version(wildcards.room),
        settings=lambda wildcards: claims.needed_settings(wildcards.room, CONFIG),
    script:
        "../scripts/job.py"


rule paper_vs_ours:
    input:
        rooms=expand(f"{RESULTS}/intermediate/claims/{{room}}.csv", room=claims.rooms()),
        tables=TABLES_OF_CLAIMS,
        fraud=rules.fraud_predictions.output.data,
    output:
        table("paper_vs_ours"),
    log:
        log_file("paper_vs_ours"),
    benchmark:
        benchmark_file("paper_vs_ours")
    group:
        cluster_job("results")
    conda:
        ENVIRONMENT
    params:
        **code_of("claims.check"),
        settings=settings_of(CONFIG),
        statements=statements_hash(),
    script:
        f"{SCRIPTS}/paper_vs_ours.py"
