"""All results on one page. Included after all rules that make tables and figures.

Inputs: all tables and figures, the captions, the description of the fraud data, the frozen
selection of tasks.
Outputs: report.html.
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
    output:
        f"{RESULTS}/report.html",
    log:
        log_file("report"),
    conda:
        ENVIRONMENT
    params:
        figures=[
            {
                "name": name,
                "caption": CAPTIONS[name],
                "tables": list(entry["tables"].values()),
                "title": entry["title"],
                "category": entry["category"],
            }
            for name, entry in FIGURES.items()
        ],
        config=config,
        code=code_hash("reproduction.report"),
    script:
        f"{SCRIPTS}/report.py"
