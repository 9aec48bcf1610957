"""The figures that the rooms declared, each by a rule of its name."""

FORMATS = ("pdf", "png", "svg")
FIGURE_FILES = expand(
    f"{RESULTS}/figures/{{name}}.{{suffix}}", name=FIGURES, suffix=FORMATS
)


for name, entry in FIGURES.items():

    rule:
        name:
            name
        input:
            **entry["inputs"],
        output:
            f"{RESULTS}/figures/{name}.pdf",
            report(
                f"{RESULTS}/figures/{name}.png",
                caption=f"../report/{name}.rst",
                category=entry["category"],
                labels={"figure": entry["title"]},
            ),
            f"{RESULTS}/figures/{name}.svg",
        log:
            log_file(f"figures/{name}"),
        conda:
            "../../environment.yml"
        params:
            **entry["params"],
        script:
            "../scripts/job.py"
