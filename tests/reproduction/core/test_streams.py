"""A stream depends on its name alone."""

import numpy as np

from reproduction.core.streams import stream, stream_seed


def draws(*name):
    return stream(*name).random(4).tolist()


def test_the_same_name_is_the_same_stream():
    assert draws(1, "pi_sweep", 2, 3) == draws(1, "pi_sweep", 2, 3)


def test_every_part_of_the_name_counts():
    names = [
        (1, "pi_sweep", 2, 3),
        (2, "pi_sweep", 2, 3),
        (1, "kl_sweep", 2, 3),
        (1, "pi_sweep", 3, 2),
        (1, "pi_sweep", 2),
        (1, "pi_sweep"),
    ]
    assert len({tuple(draws(*name)) for name in names}) == len(names)


def test_a_stream_is_that_of_its_seed():
    generator = np.random.default_rng(stream_seed(5, "heuristic", 7))
    assert generator.random(4).tolist() == draws(5, "heuristic", 7)


def test_streams_stay_what_they_were():
    """Published tables depend on them; `hash` of a text, unlike CRC-32, differs by process."""
    assert stream_seed(20200427, "pi_sweep", 0, 1).spawn_key == (1686968514, 0, 1)
