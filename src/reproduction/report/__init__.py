"""The report of a run: one page with its figures, claims, tables and their provenance."""

from reproduction.report.page import ReportFigure, write_report

__all__ = ["ReportFigure", "write_report"]
