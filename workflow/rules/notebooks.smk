"""The notebooks with their output: `snakemake notebooks`, not part of `all`."""

CLONE = Path(settings.__file__).parents[3]  # with the package
NOTEBOOKS = CLONE / "notebooks"
LIBRARY = sorted((CLONE / "src" / "calibrated_metrics").rglob("*.py"))


rule notebook:
    input:
        f"{NOTEBOOKS}/{{name}}.ipynb",
    output:
        f"{RESULTS}/notebooks/{{name}}.ipynb",
    log:
        log_file("notebooks/{name}"),
    params:
        code=code_hash.of_files(LIBRARY),
    script:
        "../scripts/execute_notebook.py"


rule notebooks:
    input:
        expand(
            f"{RESULTS}/notebooks/{{name}}.ipynb",
            name=sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")),
        ),
