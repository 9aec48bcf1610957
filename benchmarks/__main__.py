"""All benchmarks: ``python benchmarks``. They print ratios measured in this very run."""

import heuristic
import memory
import ten_metrics

for benchmark in (ten_metrics, heuristic, memory):
    benchmark.run()
    print()
