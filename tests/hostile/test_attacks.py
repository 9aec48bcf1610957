"""Configurations that aim at memory or time."""

import pytest
import yaml
from guard import PeakMemory, address_space, cpu_limit

from reproduction.core.settings import load

ALIASES = "a0: &a0 [x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)
)


@pytest.mark.parametrize(
    "use",
    [
        *("seed: *a9", "results_dir: *a9", "pi_sweep: {metrics: *a9}", "metrics: {mine: *a9}"),
        *("metrics: {everywhere: *a9}", "pi_sweep: {priors: *a9}", "fraud: *a9", "metrics: *a9"),
        "metrics: {everywhere: [{score: *a9, pi0: *a9, options: {beta: *a9}}]}",
    ],
)
def test_a_bomb_of_yaml_aliases_is_refused_with_a_short_message(use):
    """A billion texts share ten lists: what walks through them or prints them never ends."""
    raw = yaml.safe_load(ALIASES + use)
    with address_space(3e9), PeakMemory() as peak, cpu_limit(10):
        with pytest.raises(SystemExit) as refused:
            load(raw)
        assert len(str(refused.value)) < 20_000
    assert peak.growth < 3e8
