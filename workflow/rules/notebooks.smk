"""The notebooks with their output: `snakemake notebooks`, not part of `all`."""

NOTEBOOKS = (
    Path(settings.__file__).parents[3] / "notebooks"
)  # of the clone with the package
TABLES_OF_NOTEBOOK = {
    "published-numbers": [
        "ranking_scores",
        "ranking_tasks",
        "rank_correlation_corrections",
    ]
}


rule notebook:
    input:
        notebook=f"{NOTEBOOKS}/{{name}}.ipynb",
        tables=lambda wildcards: [
            f"{RESULTS}/tables/{table}.csv"
            for table in TABLES_OF_NOTEBOOK.get(wildcards.name, [])
        ],
    output:
        f"{RESULTS}/notebooks/{{name}}.ipynb",
    log:
        log_file("notebooks/{name}"),
    conda:
        "../../environment.yml"
    params:
        code=lambda wildcards: code_hash.of_modules(
            *imports_of_notebook(wildcards.name)
        ),
    script:
        "../scripts/execute_notebook.py"


rule notebooks:
    input:
        expand(
            f"{RESULTS}/notebooks/{{name}}.ipynb",
            name=sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")),
        ),
