"""Independent named random streams: results do not depend on cores, blocks or restarts."""

import zlib

import numpy as np


def stream_seed(seed: int, experiment: str, *key: int) -> np.random.SeedSequence:
    """Seed of a draw within an experiment; `key` identifies it, such as (run, point)."""
    return np.random.SeedSequence(seed, spawn_key=(zlib.crc32(experiment.encode()), *key))


def stream(seed: int, experiment: str, *key: int) -> np.random.Generator:
    """Generator of `stream_seed`."""
    return np.random.default_rng(stream_seed(seed, experiment, *key))
