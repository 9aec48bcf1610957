"""Results from the tables of all rooms: figures, claims, provenance and the report."""

FORMATS = ("pdf", "png", "svg")
FIGURE_FILES = expand(
    f"{RESULTS}/figures/{{name}}.{{suffix}}", name=FIGURES, suffix=FORMATS
)


# One job draws the figures of a room, because imports and fonts take longer than a figure.
for room in dict.fromkeys(entry["room"] for entry in FIGURES.values()):
    drawn = {name: entry for name, entry in FIGURES.items() if entry["room"] == room}

    rule:
        name:
            f"{room}_figures"
        input:
            *[table for entry in drawn.values() for table in entry["inputs"].values()],
        output:
            expand(f"{RESULTS}/figures/{{name}}.{{suffix}}", name=drawn, suffix=FORMATS),
        log:
            log_file(f"figures/{room}"),
        params:
            function="reproduction.core.job.drawn",
            figures=[
                {"inputs": plain_paths(entry["inputs"]), **entry["params"]}
                for entry in drawn.values()
            ],
            look=CONFIG.figures.model_dump(),
            n_formats=len(FORMATS),
        script:
            "../scripts/job.py"


for name in FIGURES:

    rule:
        name:
            name
        input:
            expand(f"{RESULTS}/figures/{name}.{{suffix}}", suffix=FORMATS),


claims.check_names(
    ROOMS, {**FIGURES, **SHOWN_TABLES}, {Path(path).stem: path for path in TABLES}
)


use rule job as paper_vs_ours with:
    input:
        paths=[path for path in TABLES if Path(path).stem in claims.tables_of(ROOMS)],
    output:
        f"{RESULTS}/tables/paper_vs_ours.csv",
    log:
        log_file("paper_vs_ours"),
    params:
        **calls("core.claims.judged_files"),
        rooms=ROOMS,
        version=[claims.version(room) for room in ROOMS],
        settings=claims.needed_settings(ROOMS, CONFIG),
        own=[room for room in ROOMS if CONFIG.is_own(room)],


use rule job as sentences with:
    input:
        claims=rules.paper_vs_ours.output[0],
    output:
        f"{RESULTS}/tables/sentences.csv",
    log:
        log_file("sentences"),
    params:
        **calls("report.sentences.judged"),
        version=io.sha256_of(sentences.PATH),


use rule job as provenance with:
    input:
        paths=[
            *TABLES,
            *rules.paper_vs_ours.output,
            *rules.sentences.output,
            *FIGURE_FILES,
        ],
    output:
        f"{RESULTS}/provenance.json",
        f"{RESULTS}/SHA256SUMS",
    log:
        log_file("provenance"),
    params:
        **calls("core.provenance.describe"),
        figures={
            name: list(plain_paths(entry["inputs"]).values())
            for name, entry in FIGURES.items()
        },
        configuration=CONFIG.model_dump(mode="json"),
        commit=provenance.commit(),


use rule job as report with:
    input:
        **{name: f"{RESULTS}/tables/{name}.csv" for name in SHOWN_TABLES},
        claims=rules.paper_vs_ours.output[0],
        sentences=rules.sentences.output[0],
        path=rules.provenance.output[0],
        paths=FIGURE_FILES,
    output:
        f"{RESULTS}/report.html",
    log:
        log_file("report"),
    params:
        **calls("report.page.render"),
        version=page.version(),
        categories=[SIBLINI, DAVIS_GOADRICH, CALIBRATED_CLASSIFIER, BEYOND],
        figures={
            name: with_caption(name, entry)
            for name, entry in {**FIGURES, **SHOWN_TABLES}.items()
        },


# After the report, so that all results exist when a broken claim fails the run.
use rule job as claims_hold with:
    input:
        claims=rules.paper_vs_ours.output[0],
        path=rules.report.output[0],
    output:
        f"{RESULTS}/intermediate/claims_hold",
    log:
        log_file("claims_hold"),
    params:
        **calls("core.claims.require"),
