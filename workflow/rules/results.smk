"""What reads the results of all rooms: claims, provenance and the report."""

FIGURE_FILES = [
    f"{RESULTS}/figures/{name}.{suffix}"
    for name in FIGURES
    for suffix in ("pdf", "png", "svg")
]


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


# Last, so that all results and the report exist when a broken claim fails the run.
rule claims_hold:
    input:
        claims=rules.paper_vs_ours.output[0],
        provenance=rules.provenance.output,
    output:
        touch(f"{RESULTS}/intermediate/claims_hold"),
    log:
        log_file("claims_hold"),
    conda:
        "../../environment.yml"
    script:
        "../scripts/claims_hold.py"
