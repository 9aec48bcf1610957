"""Commands of validation/Snakefile: ``python -m validation {measure,page,verdict} ...``."""

import sys
from pathlib import Path

import pandas as pd

from validation import checks, parts

command, *arguments = sys.argv[1:]
if command == "measure":
    part, n_samples, seed, size, output = arguments
    table = parts.measured(part, int(n_samples), int(seed), tiny=size == "tiny")
    table.to_csv(output, index=False)
elif command == "page":
    from validation import page  # imports matplotlib

    results = Path(arguments[0])
    tables = {part: pd.read_csv(results / f"tables/{part}.csv") for part in parts.PARTS}
    page.write(tables, results)
elif command == "verdict":
    path, size = arguments
    failed = checks.failed(pd.read_csv(path), tiny=size == "tiny")
    for statement in failed:
        print(f"out of its range: {statement}", file=sys.stderr)
    sys.exit(bool(failed))
else:
    sys.exit(f"unknown command {command}")
