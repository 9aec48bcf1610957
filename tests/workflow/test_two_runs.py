"""One run per folder of results."""

import os
import signal
import subprocess


def test_a_second_run_is_refused(project):
    process = subprocess.Popen(
        project.command(),
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        next(line for line in process.stdout if line.startswith(("rule ", "localrule ")))
        second = project.run("tables")
        assert second.code != 0
        assert "another run is writing to results/smoke; wait until it ends" in second.output
        assert not second.jobs
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        process.wait()
