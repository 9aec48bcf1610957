"""A stream depends on its name alone."""

from reproduction.core.streams import stream, stream_seed


def draws(*name):
    return stream(*name).random(4).tolist()


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
    assert draws(*names[0]) == draws(*names[0])


def test_streams_stay_what_they_were():
    """Published tables depend on them; `hash` of a text, unlike CRC-32, differs by process."""
    assert stream_seed(20200427, "pi_sweep", 0, 1).spawn_key == (1686968514, 0, 1)
