"""A notebook, executed from the first cell to the last."""

import os
from tempfile import TemporaryDirectory

from calibrated_metrics._messages import extra
from reproduction.core.io import atomic
from reproduction.core.job import logged

with logged(snakemake.log[0]), TemporaryDirectory() as folder:
    with extra("notebooks"):
        import nbformat
        from nbclient import NotebookClient

    notebook = nbformat.read(snakemake.input[0], as_version=4)
    client = NotebookClient(
        notebook,
        timeout=600,
        record_timing=False,  # so that equal results have equal bytes
        extra_arguments=["--InteractiveShell.colors=nocolor"],  # in the log of an error
    )
    # The kernel uses sockets in a folder of its own, and no network.
    kernel = client.create_kernel_manager()
    kernel.transport, kernel.ip = "ipc", os.path.join(folder, "kernel")
    client.execute()
    with atomic(snakemake.output[0]) as path:
        nbformat.write(notebook, path)
