"""A broken claim: the report shows it at the top, and the run fails."""

NEW = """
- figure: fig4_pi_sweep
  table: pi_sweep
  claims:
  - {id: new, says: AUC-PR is negative, bound: "< 0", where: metric == 'average_precision',
     take: max, read_from: here}
"""


def test_the_report_is_made_and_the_run_fails_until_the_claim_holds(finished):
    claims = finished.folder / "src/reproduction/pi_sweep/claims.yaml"
    report = finished.folder / "results/smoke/report.html"
    text = claims.read_text(encoding="utf-8")
    assert 'id="broken"' not in report.read_text(encoding="utf-8")
    claims.write_text(text + NEW, encoding="utf-8")

    outcome = finished.run()

    assert outcome.code != 0
    assert "BROKEN new (fig4_pi_sweep): AUC-PR is negative" in outcome.output
    page = report.read_text(encoding="utf-8")
    assert "AUC-PR is negative" in page.partition('id="broken"')[2].partition("</header>")[0]

    claims.write_text(text, encoding="utf-8")
    finished.run().succeeded()

    assert 'id="broken"' not in report.read_text(encoding="utf-8")
