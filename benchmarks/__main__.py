"""All benchmarks: ``python benchmarks``. They print ratios measured in this very run."""

import arff_reading
import heuristic
import memory
import ten_metrics

for benchmark in (ten_metrics, heuristic, memory, arff_reading):
    benchmark.run()
    print()
