"""One page that shows a run: figures, claims, tables, and where they come from."""

from reproduction.report.page import ReportFigure, write_report

__all__ = ["ReportFigure", "write_report"]
