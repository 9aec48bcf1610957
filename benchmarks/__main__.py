"""Run all benchmarks except those that take minutes: ``python benchmarks``."""

import arff_reading
import by_group
import heuristic
import import_time
import intervals
import memory
import ten_metrics
import unlabelled_months

for benchmark in (
    ten_metrics,
    intervals,
    by_group,
    heuristic,
    memory,
    arff_reading,
    import_time,
    unlabelled_months,
):
    benchmark.run()
    print()
