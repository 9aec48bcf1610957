"""Functions of the rules of the ranking. This file has no rules."""


def ranking_metrics(panel):
    """The set of metrics of a panel. The authors' stored scores are those of the default sets."""
    name = "imbalanced_metrics" if panel == "imbalanced" else "metrics"
    if CONFIG.ranking.source == "published":
        return settings.Metrics().described(
            type(CONFIG.ranking).model_fields[name].default
        )
    return metrics_of(getattr(CONFIG.ranking, name))


def of_panel(panel):
    """Arguments of the figure of a panel."""
    return {
        "metrics": ranking_metrics(panel),
        "tasks": PANELS[panel],
        "models": CONFIG.ranking.models(),
    }


def of_ranked_tasks(folder):
    """Input function: the files of all ranked tasks in a folder."""
    return lambda wildcards: expand(
        f"{RANKING}/{folder}/{{task}}.parquet", task=ranked_tasks()
    )
