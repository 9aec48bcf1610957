"""Names that all rules share. No rule here."""

ENVIRONMENT = "../envs/jobs.yaml"


def code_of(script):
    """Hash of the library's code that a script uses: an edit of it remakes what the script made."""
    return script_hash(f"{workflow.basedir}/workflow/scripts/{script}.py")


def table(name):
    """Path of a table of the results, which `all` and `tables` make."""
    path = f"{RESULTS}/tables/{name}.csv"
    TABLES.append(path)
    return path


def tables_of(pattern, **wildcards):
    """Pattern of tables of the results, which `all` and `tables` make for all these wildcards."""
    path = f"{RESULTS}/tables/{pattern}.csv"
    TABLES.extend(expand(path, **wildcards))
    return path


def figure(name, title, category="Siblini et al. 2020"):
    """The three files of a figure, which `all` and `figures` make."""
    paths = {
        suffix: f"{RESULTS}/figures/{name}.{suffix}" for suffix in ("pdf", "png", "svg")
    }
    FIGURES.extend(paths.values())
    FIGURE_LABELS[name] = {"title": title, "category": category}
    shown = report(
        paths["png"],
        caption=f"../report/{name}.rst",
        category=category,
        labels={"figure": title},
    )
    return [paths["pdf"], shown, paths["svg"]]


def blocks_of_runs(experiment, pattern):
    """Files of an experiment's blocks of runs, in order."""
    settings = getattr(CONFIG, experiment)
    starts = range(0, settings.n_runs, settings.runs_per_job)
    return [
        pattern.format(
            first=first, stop=min(first + settings.runs_per_job, settings.n_runs)
        )
        for first in starts
    ]


def settings_of_a_run(experiment):
    """Settings that a single run depends on: more runs do not remake the ones there are."""
    return getattr(CONFIG, experiment).model_dump(
        exclude={"metrics", "n_runs", "runs_per_job"}
    )


def metrics_of(experiment):
    return CONFIG.metrics_of(experiment)


def code_of_plugins():
    return plugins_hash(CONFIG.metrics.plugins)
