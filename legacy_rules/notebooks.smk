"""The notebooks with their output: `snakemake notebooks`, not part of `all`.

Inputs: notebooks/*.ipynb; the tables that a notebook reads.
Outputs: notebooks/*.ipynb in the folder of results. An edit of a notebook, or of a module that it
imports, reruns it. Included after report.smk, which defines PROJECT.
"""

NOTEBOOKS = os.path.normpath(f"{PROJECT}/notebooks")
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
    # The environment of jobs has no Jupyter.
    conda:
        f"{workflow.basedir}/environment.yml"
    params:
        # Not a function of `input`: Snakemake ignores changes of a parameter that is derived from it.
        code=lambda wildcards: notebook_hash(f"{NOTEBOOKS}/{wildcards.name}.ipynb"),
    script:
        f"{SCRIPTS}/execute_notebook.py"


rule notebooks:
    input:
        expand(
            f"{RESULTS}/notebooks/{{name}}.ipynb",
            name=sorted(path.stem for path in Path(NOTEBOOKS).glob("*.ipynb")),
        ),
