"""Independent random streams by name: results do not depend on cores, blocks or restarts."""

from __future__ import annotations

import zlib

import numpy as np


def stream_seed(seed: int, experiment: str, *key: int) -> np.random.SeedSequence:
    """Seed of the draw that `key`, such as (run, point), names within an experiment."""
    return np.random.SeedSequence(seed, spawn_key=(zlib.crc32(experiment.encode()), *key))


def stream(seed: int, experiment: str, *key: int) -> np.random.Generator:
    """Generator of `stream_seed`."""
    return np.random.default_rng(stream_seed(seed, experiment, *key))
