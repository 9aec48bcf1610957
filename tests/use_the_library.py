"""Import all modules of the library, and run the examples of their docstrings.

Examples that need another package are left out: this runs beside NumPy and SciPy alone.
"""

import doctest
import importlib
import importlib.util
import json
import pkgutil
from importlib.resources import files

import calibrated_metrics

NEED_AN_EXTRA = {"calibrated_metrics.classifiers"}  # to be imported
NEED_OTHERS = (
    "from calibrated_metrics.displays",  # which import matplotlib
    ".load_",  # data sets are frames of pandas
    ".to_frame(",
    "import ibis",
    "import matplotlib",
    "import pandas",
    "import polars",
    "from sklearn",
)


def main() -> int:
    """Print what was found as JSON, and return 1 if an example failed."""
    submodules = pkgutil.walk_packages(calibrated_metrics.__path__, "calibrated_metrics.")
    modules = [
        importlib.import_module(module.name)
        for module in submodules
        if module.name not in NEED_AN_EXTRA
    ]
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for module in (calibrated_metrics, *modules):
        for test in doctest.DocTestFinder().find(module):
            code = "".join(example.source for example in test.examples)
            if not any(each in code for each in NEED_OTHERS):
                runner.run(test)
    examples = runner.summarize(verbose=False)
    found = {
        "file": calibrated_metrics.__file__,
        "typed": files("calibrated_metrics").joinpath("py.typed").is_file(),
        "reproduction": importlib.util.find_spec("reproduction") is not None,
        "attempted": examples.attempted,
        "failed": examples.failed,
    }
    print(json.dumps(found))
    return int(examples.failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
