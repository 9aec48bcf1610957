"""The scripts that run the commands of the README without network."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOT_PERMITTED = 77

LOOK = """
import errno, socket, sys
print(*[name for _, name in socket.if_nameindex()])
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
with socket.socket() as outside:
    print(errno.errorcode[outside.connect_ex(("192.0.2.1", 80))])  # reserved for documentation
print(sys.argv[1])
sys.exit(3)
"""


def run(script, *arguments):
    command = [ROOT / ".ci" / script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["run", "test"])
def test_the_readme_states_a_command_that_installs_and_then_runs(name):
    command = run("readme_command", name).stdout.strip()
    *installation, last = command.split(" && ")
    assert [step.split()[0] for step in installation] == ["python3", ".venv/bin/pip"]
    assert last.startswith(".venv/bin/")
    assert f"{command}\n```" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_command_that_the_readme_does_not_state_is_an_error():
    found = run("readme_command", "other")
    assert (found.returncode, found.stdout) == (1, "")
    assert "README.md names no other command" in found.stderr


def test_offline_has_the_loopback_interface_alone():
    found = run("offline", sys.executable, "-c", LOOK, "two words")
    if found.returncode == NOT_PERMITTED:
        assert "not checked" in found.stderr
        pytest.skip(found.stderr.strip())
    assert found.stdout.splitlines() == ["lo", "ENETUNREACH", "two words"], found.stderr
    assert found.returncode == 3  # that of the command


def test_without_the_right_to_cut_the_network_nothing_runs(monkeypatch, tmp_path):
    refuses = tmp_path / "unshare"
    refuses.write_text("#!/bin/sh\nexit 1\n")
    refuses.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    made = tmp_path / "made"
    for arguments in (["offline", "touch", str(made)], ["clean_machine"]):
        found = run(*arguments)
        assert found.returncode == NOT_PERMITTED
        assert "not checked" in found.stderr
    assert not made.exists()
