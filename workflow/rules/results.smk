"""What reads the results of all rooms: claims, provenance and the report."""


use rule job as claims with:
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
    params:
        **calls("core.claims.judged_files"),
        room=lambda wildcards: wildcards.room,
        version=lambda wildcards: claims.version(wildcards.room),
        settings=lambda wildcards: claims.needed_settings(wildcards.room, CONFIG),


use rule job as paper_vs_ours with:
    input:
        tables=expand(f"{RESULTS}/intermediate/claims/{{room}}.csv", room=ROOMS),
    output:
        f"{RESULTS}/tables/paper_vs_ours.csv",
    log:
        log_file("paper_vs_ours"),
    params:
        **calls("core.io.joined"),


use rule job as provenance with:
    input:
        paths=[*TABLES, *rules.paper_vs_ours.output, *FIGURE_FILES],
    output:
        f"{RESULTS}/provenance.json",
        f"{RESULTS}/SHA256SUMS",
    log:
        log_file("provenance"),
    params:
        **calls("core.provenance.describe"),
        configuration=CONFIG.model_dump(mode="json"),
        commit=provenance.commit(),


use rule job as report with:
    input:
        **{name: f"{RESULTS}/tables/{name}.csv" for name in SHOWN_TABLES},
        claims=rules.paper_vs_ours.output[0],
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


# Last, so that all results and the report exist when a broken claim fails the run.
rule claims_hold:
    input:
        claims=rules.paper_vs_ours.output[0],
        report=rules.report.output,
    output:
        touch(f"{RESULTS}/intermediate/claims_hold"),
    log:
        log_file("claims_hold"),
    conda:
        "../../environment.yml"
    script:
        "../scripts/claims_hold.py"
