"""Configuration of the IPython kernel that runs the pages."""

c = get_config()  # noqa: F821

c.InlineBackend.figure_formats = {"retina"}
c.IPKernelApp.log_level = "ERROR"  # no warning that the kernel listens on the loopback device
c.HistoryManager.enabled = False
