"""A claim that does not have its expected outcome: the report says so, and the run fails."""

from inventory import LAST

MODULE = "src/reproduction/claims/model_ranking.py"
PUBLISHED = "@code(1.25)\n"  # the value by the authors' formulas, which any run can check


def test_the_report_is_made_and_the_run_fails_until_the_claim_holds(finished):
    module = finished.folder / MODULE
    text = module.read_text(encoding="utf-8")
    assert text.count(PUBLISHED) == 1
    report = finished.folder / finished.results / "report.html"
    assert 'id="broken"' not in report.read_text(encoding="utf-8")
    module.write_text(text.replace(PUBLISHED, "@code(1.5)\n"), encoding="utf-8")

    broken = finished.run()

    assert broken.code != 0
    assert broken.jobs == {"paper_vs_ours": 1, **LAST}
    log = (finished.folder / finished.results / "logs" / "claims_hold.log").read_text("utf-8")
    assert "1 of " in log
    assert "A-gain-smallest-example" in log
    page = report.read_text(encoding="utf-8")
    alarm = page.partition('id="broken"')[2].partition('id="holds"')[0]
    assert "1 claim does not have the expected outcome" in alarm
    assert "published <b>1.5</b>" in alarm

    again = finished.run()

    assert again.code != 0
    assert again.jobs == {"claims_hold": 1}

    module.write_text(text, encoding="utf-8")
    finished.run().succeeded()

    assert 'id="broken"' not in report.read_text(encoding="utf-8")
