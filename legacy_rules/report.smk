"""All results on one page, and the check of the claims that ends a run. Included after all rules
that make tables and figures.

Inputs: all tables and figures, provenance.json, the captions, the description of the fraud data,
the frozen selection of tasks; the files in benchmarks/ and logs/, which do not rerun the report.
Outputs: report.html; intermediate/claims_hold, an empty file, if no claim is broken.
"""

# Relative to the working directory, so that the report stays up to date in a copy of the project.
PROJECT = os.path.relpath(workflow.basedir)
CAPTIONS = {
    name: os.path.normpath(f"{PROJECT}/workflow/report/{name}.rst") for name in FIGURES
}
LOOK = [
    os.path.normpath(f"{PROJECT}/src/reproduction/report/{name}")
    for name in ("template.html", "style.css", "script.js")
]


rule report:
    input:
        FIGURE_FILES,
        rules.fraud_predictions.output.data,
        f"{RANKING}/selection.json" if CONFIG.ranking.source == "openml" else [],
        list(CAPTIONS.values()),
        LOOK,
        tables=TABLES,
        provenance=rules.provenance.output[0],
    output:
        f"{RESULTS}/report.html",
    log:
        log_file("report"),
    group:
        cluster_job("results")
    conda:
        ENVIRONMENT
    params:
        figures=[
            {
                "name": name,
                "caption": CAPTIONS[name],
                "tables": [*entry["tables"].values(), *entry["related"]],
                "title": entry["title"],
                "category": entry["category"],
            }
            for name, entry in FIGURES.items()
        ],
        config=config,
        code=legacy_code_hash("reproduction.report"),
    script:
        f"{SCRIPTS}/report.py"


rule claims_hold:
    input:
        claims=rules.paper_vs_ours.output[0],
        # If a claim is broken, this job fails, and the report must exist by then.
        report=rules.report.output[0],
    output:
        touch(f"{RESULTS}/intermediate/claims_hold"),
    log:
        log_file("claims_hold"),
    retries: 0
    conda:
        ENVIRONMENT
    params:
        code=legacy_code_hash("reproduction.claims.check"),
    script:
        f"{SCRIPTS}/claims_hold.py"
