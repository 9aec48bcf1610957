"""Every number and claim of the sources, against the tables of this run.

To be included after all other rules: it reads what they make.
Inputs: the tables that claims look at, of whatever the configured sources make;
intermediate/fraud/data.json.
Outputs: tables/paper_vs_ours.csv. With a broken claim the job fails, and the table is
logs/paper_vs_ours.csv instead.
"""

from pathlib import Path

from reproduction.claims.check import settings_of, tables_read

TABLES_OF_CLAIMS = [path for path in TABLES if Path(path).stem in tables_read()]


rule paper_vs_ours:
    input:
        tables=TABLES_OF_CLAIMS,
        fraud=rules.fraud_predictions.output.data,
    output:
        table("paper_vs_ours"),
    log:
        f"{RESULTS}/logs/paper_vs_ours.log",
    conda:
        ENVIRONMENT
    params:
        settings=settings_of(CONFIG),
        code=code_of("paper_vs_ours"),
    script:
        "../scripts/paper_vs_ours.py"
