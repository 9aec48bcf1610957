"""Functions and names for all rules files."""

SIBLINI = "Siblini et al. 2020"
DAVIS_GOADRICH = "Davis and Goadrich 2006"
CALIBRATED_CLASSIFIER = "Classification metrics for a calibrated classifier"
BEYOND = "Beyond the papers"


def calls(function):
    """Parameters of a job: its function and a hash of the code, so that an edit reruns the job."""
    function = f"reproduction.{function}"
    return {"function": function, "code": code_hash.of_function(function)}


def version_of(path):
    """Hash of a user's file up to 100 MB, because Snakemake misses a new file with an older time;
    size and time of a larger one."""
    if path is None or not Path(path).is_file():
        return None
    state = Path(path).stat()
    if state.st_size <= 100_000_000:
        return io.sha256_of(path)
    return [state.st_size, state.st_mtime]


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


def figure(name, title, category, draws, inputs, **arguments):
    """Declare a figure: the function `draws` makes it from the tables `inputs` and the arguments.

    Its room draws all of its figures by a rule in results.smk, and a rule of this name asks for the
    figure. workflow/report/<name>.rst is its caption.
    """
    FIGURES[name] = {
        "room": draws.partition(".")[0],
        "title": title,
        "category": category,
        "inputs": inputs,
        "params": {**calls(draws), **arguments},
    }


def plain_paths(inputs):
    """Paths as text, for parameters: a path that is an input keeps the prefix of a module."""
    return {key: f"{path}" for key, path in inputs.items()}


def with_caption(name, entry):
    """Title, category and caption of a figure for the report."""
    caption = Path(workflow.source_path(f"../report/{name}.rst"))
    shown = {key: entry[key] for key in ("title", "category")}
    return {**shown, "caption": caption.read_text(encoding="utf-8")}
