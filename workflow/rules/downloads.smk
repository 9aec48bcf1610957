"""What the downloads need, checked before any of them. The numbers of requests and megabytes are estimates:
OpenML has about 600 binary tasks with thirty runs, and a file of predictions has half a megabyte.
"""

DOWNLOADS = []
if "fraud" in ROOMS and CONFIG.fraud.source == "kaggle":
    DOWNLOADS.append(
        {
            "name": "Kaggle",
            "url": "https://www.kaggle.com/api/v1/datasets/download/mlg-ulb/creditcardfraud",
            "package": "kagglehub",
            "install": 'pip install -c constraints.txt -e ".[kaggle]"',
            "accounts": [
                "KAGGLE_USERNAME",
                "KAGGLE_API_TOKEN",
                "~/.kaggle/kaggle.json",
                "~/.kaggle/access_token",
            ],
            "n_requests": 1,
            "per_second": 1,
            "megabytes": 400,  # archive, CSV and parquet file
            "kept": f"{CONFIG.resources_dir}/creditcard_kaggle.parquet",
        }
    )
RANKS_OPENML = "ranking" in ROOMS and CONFIG.ranking.source == "openml"
if RANKS_OPENML or ("fraud" in ROOMS and CONFIG.fraud.source == "openml"):
    N_TASKS = (CONFIG.ranking.openml.max_tasks or 600) if RANKS_OPENML else 0
    DOWNLOADS.append(
        {
            "name": "OpenML",
            "url": CONFIG.ranking.openml.server,
            "package": "openml",
            "install": 'pip install -c constraints.txt -e ".[reproduction]"',
            "n_requests": 2 + N_TASKS * (3 + 2 * CONFIG.ranking.n_models),
            "per_second": CONFIG.ranking.openml.requests_per_second,
            "megabytes": 200 + N_TASKS * CONFIG.ranking.n_models // 2,
            "kept": f"{CONFIG.resources_dir}/openml",
        }
    )


use rule job as check_downloads with:
    output:
        f"{RESULTS}/intermediate/downloads",
    log:
        log_file("check_downloads"),
    priority: 1
    params:
        function="reproduction.core.downloads.check",
        sources=DOWNLOADS,
        resources=CONFIG.resources_dir,


# Old, because a new check is no reason for a new download. The checkpoint `openml_selection` does not
# wait for it: after a change of the check, Snakemake would forget to run the checkpoint again.
CHECKED = ancient(f"{RESULTS}/intermediate/downloads")
