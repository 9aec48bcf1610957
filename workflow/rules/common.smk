"""What the rules files share."""

SIBLINI = "Siblini et al. 2020"
DAVIS_GOADRICH = "Davis and Goadrich 2006"
CALIBRATED_CLASSIFIER = "Classification metrics for a calibrated classifier"
BEYOND = "Beyond the papers"


# What the other rules extend: `use rule job as ... with`. A job is one call of a function.
rule job:
    log:
        f"{RESULTS}/logs/job.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/job.py"


def calls(function):
    """Parameters that name the function of a job and hash its code, so that an edit reruns it."""
    function = f"reproduction.{function}"
    return {"function": function, "code": code_hash.of_function(function)}


def metrics_of(name):
    """A set of metrics, and the hash of the plug-ins that define some of them."""
    plugins = CONFIG.metrics.plugins
    metrics = CONFIG.metrics.described(name)
    return {**metrics, "code": code_hash.of_files(plugins)}


def log_file(name):
    return f"{RESULTS}/logs/{name}.log"


def table(name):
    """Path of a table of the results, which `all` and `tables` make."""
    TABLES.append(f"{RESULTS}/tables/{name}.csv")
    return TABLES[-1]


def shown_table(name, title, category):
    """Path of a small table that the report shows; workflow/report/<name>.rst is its caption."""
    SHOWN_TABLES[name] = {"title": title, "category": category}
    return table(name)


def figure(name, title, category):
    """Paths of a figure. workflow/report/<name>.rst is its caption in the report."""
    FIGURES[name] = {"title": title, "category": category}
    pdf, png, svg = (
        f"{RESULTS}/figures/{name}.{each}" for each in ("pdf", "png", "svg")
    )
    caption = f"../report/{name}.rst"
    labels = {"figure": title}
    return [pdf, report(png, caption=caption, category=category, labels=labels), svg]
