"""Commands of validation/Snakefile: ``python -m validation {measure,join,page,verdict} ...``."""

import sys
from pathlib import Path

import pandas as pd

from validation import checks
from validation.parts import PARTS, block_of_part


def read(path: Path | str) -> pd.DataFrame:
    return pd.read_csv(path)


command, *arguments = sys.argv[1:]
if command == "measure":
    part, *numbers, output = arguments
    block_of_part(part, *map(int, numbers)).to_csv(output, index=False)
elif command == "join":
    *blocks, output = arguments
    tables = [read(path) for path in blocks if Path(path).read_text(encoding="utf-8").strip()]
    pd.concat(tables).to_csv(output, index=False)
elif command == "page":
    from validation import page  # imports matplotlib

    results = Path(arguments[0])
    page.write({part: read(results / f"tables/{part}.csv") for part in PARTS}, results)
elif command == "verdict":
    failed = checks.failed(read(arguments[0]), tiny=arguments[1:] == ["tiny"])
    for statement in failed:
        print(f"out of its range: {statement}", file=sys.stderr)
    sys.exit(bool(failed))
else:
    sys.exit(f"unknown command {command}")
