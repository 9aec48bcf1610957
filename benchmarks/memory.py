"""Peak memory of the ten metrics at n = 10⁷, relative to the input arrays."""

import tracemalloc

import numpy as np
from ten_metrics import ten_paper_metrics

from calibrated_metrics import ConfusionCurve
from reproduction.core.metrics import values_of

N = 10**7


def run():
    metrics = ten_paper_metrics()
    rng = np.random.default_rng(0)
    print(f"Peak memory of the ten metrics at n = {N:,}, including the inputs\n")
    print("| π | labels | inputs, MB | peak, MB | ratio |")
    print("|---|---|---|---|---|")
    for prior in (0.5, 0.2, 0.002):
        for label_type in (np.int64, np.int8):
            tracemalloc.start()
            y_true = (rng.random(N) < prior).astype(label_type)
            y_score = rng.normal(size=N)
            tracemalloc.reset_peak()
            values_of(metrics, ConfusionCurve.from_predictions(y_true, y_score))
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            inputs = y_true.nbytes + y_score.nbytes
            print(
                f"| {prior:g} | {np.dtype(label_type)} | {inputs / 1e6:.0f} | {peak / 1e6:.0f} | "
                f"{peak / inputs:.1f} |",
                flush=True,
            )
