"""What the rules files share."""

SIBLINI = "Siblini et al. 2020"
DAVIS_GOADRICH = "Davis and Goadrich 2006"
CALIBRATED_CLASSIFIER = "Classification metrics for a calibrated classifier"
BEYOND = "Beyond the papers"


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


def with_caption(name, entry):
    """What the report says of a figure. The text of the caption is a parameter: its path differs
    if this workflow is a module of another one."""
    caption = Path(workflow.source_path(f"../report/{name}.rst"))
    return {**entry, "caption": caption.read_text(encoding="utf-8")}


def of_default_configuration(paths):
    """The paths, if each setting has its default, but for the folders."""
    folders = {"results_dir", "resources_dir"}
    default = settings.load({}).model_dump(exclude=folders)
    if CONFIG.model_dump(exclude=folders) != default:
        raise WorkflowError(
            "readme_figures shows the default run: leave out --configfile and --config"
        )
    return list(paths)


def imports_of_notebook(name):
    """Names of the modules of this project that a notebook imports."""
    source = (NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
    return set(
        re.findall(r"from ((?:calibrated_metrics|reproduction)[\w.]*) import", source)
    )
