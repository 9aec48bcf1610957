"""All benchmarks: ``python benchmarks``. They print what this run measures."""

import arff_reading
import heuristic
import import_time
import memory
import ten_metrics

for benchmark in (ten_metrics, heuristic, memory, arff_reading, import_time):
    benchmark.run()
    print()
