"""Run all benchmarks except `openml_replay`: ``python benchmarks``."""

import arff_reading
import heuristic
import memory
import ten_metrics

for benchmark in (ten_metrics, heuristic, memory, arff_reading):
    benchmark.run()
    print()
