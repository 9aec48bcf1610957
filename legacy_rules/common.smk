"""Functions for file names and job arguments, used by all rules. This file has no rules."""

# Absolute paths: Snakemake resolves relative ones from the folder of the rules file.
ENVIRONMENT = f"{workflow.basedir}/workflow/envs/jobs.yaml"
SCRIPTS = f"{workflow.basedir}/workflow/scripts"


SIBLINI = "Siblini et al. 2020"
DAVIS_GOADRICH = "Davis and Goadrich 2006"
CALIBRATED_CLASSIFIER = "Classification metrics for a calibrated classifier"
BEYOND = "Beyond the papers"

ROOM_FIGURES = {}


# What the rules of experiments and figures extend: `use rule call as ... with`.
rule call:
    log:
        f"{RESULTS}/logs/call.log",
    conda:
        ENVIRONMENT
    script:
        "../scripts/job.py"


def calls(function):
    """Parameters that name the function of a job and hash its code, so that an edit reruns it."""
    function = f"reproduction.{function}"
    module = function.rpartition(".")[0]
    return {
        "function": function,
        "code": code_hash.of_modules(module, "reproduction.core.job"),
    }


def figure(name, title, category):
    """Files of a figure; Snakemake's report and ours show them with workflow/report/<name>.rst."""
    ROOM_FIGURES[name] = (title, category)
    pdf, png, svg = (f"{RESULTS}/figures/{name}.{each}" for each in ("pdf", "png", "svg"))
    labels = {"figure": title}
    shown = report(
        png, caption=f"../report/{name}.rst", category=category, labels=labels
    )
    return [pdf, shown, svg]


def legacy_calls(function, *modules):
    """Parameters that name a job's function and hash its code, so that an edit reruns the job.

    The hash covers the function's module, further modules, and everything that they import.
    """
    modules = (function.rpartition(".")[0], "jobs", *modules)
    return {"function": f"reproduction.{function}", **code_of(*modules)}


def code_of(*modules):
    """Parameters that hash modules of `reproduction`, and everything that they import."""
    modules = [f"reproduction.{name}" for name in modules]
    return {"modules": modules, "code": legacy_code_hash(*modules)}


def table(name):
    """Path of a table of the results, which `all` and `tables` make."""
    path = f"{RESULTS}/tables/{name}.csv"
    TABLES.append(path)
    return path


def tables_of(pattern, **wildcards):
    """Path pattern of tables that `all` and `tables` make for these values of the wildcards."""
    path = f"{RESULTS}/tables/{pattern}.csv"
    TABLES.extend(expand(path, **wildcards))
    return path


def log_file(name):
    return f"{RESULTS}/logs/{name}.log"


def benchmark_file(job):
    """Run time and memory of a job, which the report sums by the first part of the path.

    job: name of the rule, for a rule with wildcards followed by a slash and the wildcards.
    """
    return f"{RESULTS}/benchmarks/{job}.tsv"


def cluster_job(kind, position=lambda wildcards: 0, name=None):
    """Group of a rule: jobs that a cluster runs together, as one job of the cluster.

    kind: as in the profile's `group-components`, which sets how many. A profile without this kind
    submits each job alone, and a local run has no groups. position: number of a job among those of
    its rule. It fixes the jobs of each group; Snakemake alone forms groups in no fixed order, and
    joins them again each time its graph changes. name: of the groups, by default their kind.
    """

    def group(wildcards):
        sizes = workflow.group_settings.group_components
        if workflow.remote_exec:
            # Snakemake does not pass the sizes on to the cluster job, and would start itself again
            # for each of its jobs, one after the other.
            sizes.setdefault(kind, sys.maxsize)
        size = sizes.get(kind)
        if size is None:
            return None
        numbered = f"{name or kind}_{position(wildcards) // size}"
        workflow.parent_groupids[numbered] = kind
        return numbered

    return group


def cluster_job_of_blocks(experiment):
    """Group of the blocks of runs of an experiment."""
    settings = getattr(CONFIG, experiment)
    n_blocks = -(-settings.n_runs // settings.runs_per_job)

    def position(wildcards):
        block = int(wildcards.first) // settings.runs_per_job
        return int(wildcards.get("grid", 0)) * n_blocks + block

    return cluster_job("blocks", position, f"blocks_of_{experiment}")


def of_default_configuration(target, files):
    """The files, or an error that stops the run if the configuration is not the default one."""
    refuse_unless_default(CONFIG, target)
    return files


def blocks_of_runs(experiment, pattern):
    """Files of the blocks of runs of an experiment, in order."""
    settings = getattr(CONFIG, experiment)
    starts = range(0, settings.n_runs, settings.runs_per_job)
    return [
        pattern.format(
            first=first, stop=min(first + settings.runs_per_job, settings.n_runs)
        )
        for first in starts
    ]


def runs_of_block(wildcards):
    return range(int(wildcards.first), int(wildcards.stop))


def settings_of_a_run(experiment):
    """Settings that affect a single run, so that adding runs does not rerun existing blocks."""
    return getattr(CONFIG, experiment).model_dump(
        exclude={"metrics", "n_runs", "runs_per_job"}
    )


def with_code(metrics):
    """A set of metrics and the hash of the plug-ins that it needs."""
    return {**metrics, "code": plugins_hash(metrics["plugins"])}


def metrics_of(experiment):
    return with_code(CONFIG.metrics_of(experiment))


# These two import late, because each job of a cluster reads the rules.


def configuration_of_run(wildcards):
    """What identifies the configuration, for provenance.json."""
    from reproduction.manifest import identity

    return identity(CONFIG)


def source_of_project(wildcards):
    """Files of the project that an archive of the results holds."""
    from reproduction.crate import source_files

    return source_files(PROJECT)
