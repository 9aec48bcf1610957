"""Everything on one page. Included last, when all tables and figures are known.

Inputs: all tables and figures, the captions, what the fraud data are, the frozen selection of tasks.
Outputs: report.html.
"""

# As seen from the folder of the run: a copy of the project has its report already.
PROJECT = os.path.relpath(workflow.basedir)
CAPTIONS = {
    name: os.path.normpath(f"{PROJECT}/workflow/report/{name}.rst")
    for name in FIGURE_LABELS
}
LOOK = [
    os.path.normpath(f"{PROJECT}/src/reproduction/report/{name}")
    for name in ("template.html", "style.css", "script.js")
]
# By the rule that draws a figure, which names all that it reads.
TABLES_OF_FIGURES = {
    Path(each.output[0]).stem: [
        Path(path).stem for path in each.input if path in TABLES
    ]
    for each in workflow.rules
    if each.output and each.output[0] in FIGURES
}


rule report:
    input:
        FIGURES,
        rules.fraud_predictions.output.data,
        f"{RANKING}/selection.json" if CONFIG.ranking.source == "openml" else [],
        list(CAPTIONS.values()),
        LOOK,
        tables=TABLES,
    output:
        f"{RESULTS}/report.html",
    log:
        f"{RESULTS}/logs/report.log",
    conda:
        ENVIRONMENT
    params:
        figures=[
            {
                "name": name,
                "caption": CAPTIONS[name],
                "tables": TABLES_OF_FIGURES[name],
                **labels,
            }
            for name, labels in FIGURE_LABELS.items()
        ],
        config=config,
        code=code_of("report"),
    script:
        "../scripts/report.py"
