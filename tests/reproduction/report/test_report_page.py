"""What stands in a report, and what does not."""

import base64
import os
import platform
import re
from html import unescape
from html.parser import HTMLParser

import pytest

from reproduction.ranking import published as published_scores
from reproduction.files import sha256_of

VOID = {"br", "hr", "img", "input", "link", "meta"}


class Page(HTMLParser):
    """Elements of a page by name, its text by the id of what holds it; tags must be balanced."""

    def __init__(self, html: str):
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self._open: list[tuple[str, str | None]] = []
        self._text: dict[str, list[str]] = {}
        self.feed(html)
        assert not self._open

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), f"attribute repeated: {attrs}"
        self.elements.append((tag, attributes))
        if tag not in VOID:
            self._open.append((tag, attributes.get("id")))

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        for _, name in self._open:
            if name is not None:
                self._text.setdefault(name, []).append(data)

    def text(self, name: str) -> str:
        return " ".join("".join(self._text[name]).split())

    def all(self, tag: str) -> list[dict]:
        return [attributes for each, attributes in self.elements if each == tag]

    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]


def _readable_part(html: str) -> str:
    """The page without its images."""
    return unescape(re.sub(r'"data:[^"]*"', "", html))


@pytest.fixture(scope="module")
def html(finished):
    return finished.path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


# ------------------------------------------------------------------------------------- content


def test_the_first_screen_counts_the_claims_of_each_source_apart(page):
    summary = page.text("summary")

    assert "checked hold differ not checked Papers 3 1 2 0 The code 0 0 0 1 Ours 1 1 0 0" in summary


def test_the_first_screen_says_which_main_claims_hold_and_differ(page):
    assert page.text("holds").startswith(
        "What holds F1c is closer to F1 expected > 0 ours 0.25 Our findings, Figure 4"
    )
    assert page.text("differs").startswith(
        "What differs AUC-PR Gain at π = 0.001 published 0.4 ours 0.2705 Too few positives "
        "Siblini et al., Figure 4"
    )
    assert "broken" not in page.ids()


def test_the_first_screen_says_what_was_corrected(page):
    corrected = page.text("corrected")

    assert "matrices of this run follow the corrected conventions" in corrected
    assert "metrics are all exactly 0 are left out. no change on these tasks" in corrected
    assert "1.175" not in corrected  # of all corrections together


def test_the_first_screen_says_on_which_data(page):
    data = page.text("data")

    assert "made-up transactions in place of Kaggle’s: 12,345 rows with 100" in data
    assert "(0.81 %)" in data
    assert "30 scikit-learn models per task in place of OpenML’s" in data
    assert "3 of 4 tasks could be used" in data
    assert "all tasks 4, small priors 0." in data
    assert "2020-09-13, 12:26 UTC; seed 20200427" in page.text("summary")


def test_a_main_claim_without_verdict_is_said_to_be_unchecked(run):
    run.change_claim("large", headline=True, expected=True)
    page = Page(run.report())

    assert (
        "cannot check Number of large values (Code of Siblini et al., stored scores): no row"
        in (page.text("data"))
    )


def test_a_broken_claim_opens_the_page(run):
    run.change_claim("areas", expected=False)
    page = Page(run.report())

    assert page.text("broken").startswith("1 claim does not have the expected outcome")
    assert "Right interpolation published 0.031 ours 0.02866" in page.text("broken")
    assert {"class": "verdict broken"} in page.all("span")
    assert page.text("claims-table").partition("source")[2].strip().startswith("Right")


def test_figures_stand_by_category_in_the_order_of_the_paper(page):
    names = {"late", "sweep", "extra", "first", "other", "the-paper", "the-note"}

    assert [name for name in page.ids() if name in names] == [
        "the-paper",
        "first",
        "sweep",
        "late",
        "extra",
        "the-note",
        "other",
    ]


def test_a_figure_has_title_caption_and_files(page):
    text = page.text("sweep")

    assert text.startswith("Figure 4: a sweep 1,000,000")
    assert text.endswith(
        "sweep.pdf · sweep.png · sweep.svg · pi_sweep.csv · pi_sweep_agreement.csv"
    )
    assert {"href": "figures/sweep.pdf"} in page.all("a")
    assert {"href": "tables/pi_sweep.csv"} in page.all("a")


def test_a_figure_is_embedded_in_the_smaller_form(page, finished):
    images = {image["alt"]: image for image in page.all("img")}
    kind, content = images["Figure 4: a sweep"]["src"].split(",")

    assert kind == "data:image/png;base64"
    assert base64.b64decode(content) == (finished.folder / "figures" / "sweep.png").read_bytes()
    assert images["Figure 1: a start"]["src"].startswith("data:image/svg+xml;base64,")
    assert len(images) == 5


def test_an_image_is_as_large_as_it_was_drawn_and_a_bit_more(page):
    assert {(image["width"], image["height"]) for image in page.all("img")} == {
        *(("120", "60"), ("900", "60")),
    }


def test_a_claim_stands_beneath_its_figure_with_both_values_and_its_verdict(page):
    text = page.text("sweep")

    assert "claim published ours verdict" in text
    assert "AUC-PR at π = 0.5 0.547 0.5478 holds" in text
    assert "AUC-PR Gain at π = 0.001Too few positives 0.4 0.2705 differs" in text
    assert "F1c is closer to F1Our findings, Figure 4 > 0 0.25 holds" in text
    assert "Right interpolation" not in page.text("the-paper") + page.text("the-note")


def test_claims_without_verdict_are_folded_beneath_a_figure(run):
    run.change_claim("large", tables="pi_sweep", place="Figure 4")

    assert "1 more claim on this figure that this run cannot check" in Page(run.report()).text(
        "sweep"
    )


def test_every_claim_is_in_the_table_and_the_main_ones_come_first(page):
    claims = page.text("claims-table")

    assert (
        "AUC-PR at π = 0.5 0.547 0.5478 holds 0.005read off Siblini et al., Figure 4half" in claims
    )
    assert "Right interpolationNo reading <b>gives</b> it 0.031 0.02866 differs" in claims
    shown = [row["data-id"] for row in page.all("tr") if "data-id" in row]
    assert shown == ["low", "closer", "half", "areas", "large"]


def test_metrics_have_the_labels_of_the_figures(run):
    run.write_table("pi_sweep_agreement", {"metric": ["own"], "z": [0], "verdict": ["agrees"]})
    text = Page(run.report()).text("main")

    assert "No row with F1c (π0=0.5)" in text
    assert "best F1 with AUC-PR Gain" in text
    assert "Figure 4 own" in text  # a metric that the configuration does not have
    assert "average_precision" not in text.partition("All settings of the run")[0]
    assert "@pi0" not in text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "sweep-agreement",
            "agrees differs few positives largest |z| Figure 4 AUC-PR Gain 1 0 1 0.50",
        ),
        ("monitoring-trends", "AUC-PR flat (−0.94) falls (−11.63)"),
        ("monitoring-trends", "AUC-PcR (π0=0.0085) flat (−1.30) flat (−0.37)"),
        ("tasks-of-matrices", "all tasks 4 2 3 small priors 0 0 0"),
        ("corrections", "metrics are all exactly 0 are left out 0.000 0.000 no change"),
        ("corrections", "imbalanced tasks All corrections together 1.175 0.227 best F1 with"),
        ("openml-status", "run excluded the file has no rows no_rows 1"),
        ("openml-status", "run excluded no description of_old 1 run used not checked 1"),
        ("label-free-rates", "distribution computation F1 U(0, 1) from drawn labels −0.501"),
        ("dg-table1", "7 15 0.350 0.318 0.318 0.979 0.711"),
    ],
)
def test_small_table(page, name, expected):
    assert expected in page.text(name)


def test_the_whole_configuration_is_there(page):
    text = page.text("configuration")

    assert "seed: 20200427" in text
    assert "n_bootstrap: 2000" in text
    assert "imbalanced_metrics: paper_imbalanced" in text


def test_versions_are_those_of_the_jobs(page):
    assert "4 jobs Python 3.11.7, calibrated-metrics 0.1.0, numpy 2.4.6" in page.text("versions")
    assert f"{platform.system()} on {platform.machine()}" in page.text("versions")


def test_the_page_says_how_the_results_were_made(page):
    assert page.text("origin").endswith(
        f"code calibrated-metrics 0.1.0, commit {'ab' * 20} sha256 of the configuration "
        f"{'12' * 32} seed 20200427 tables and figures 26 of 26 unchanged since they were made"
    )
    assert "provenance.json" in [link["href"] for link in page.all("a")]


def test_every_table_and_figure_has_its_checksum(page, finished):
    text = page.text("checksums")
    files = [*finished.tables, *finished.folder.glob("figures/*")]

    assert len(files) == 11 + 15
    for file in files:
        assert f"{file.relative_to(finished.folder).as_posix()} " in text
        assert sha256_of(file) in text


def test_run_times_and_memory_are_those_of_the_rules(page):
    assert page.text("run-times").endswith(
        "pi_sweep_block 2 1,010.5 1,000.5 1,234 fraud_predictions 1 3.3 3.3 512 "
        "local_predictions 1 0.1 0.1 not measured"
    )


# ---------------------------------------------------------------------------------------- form


def test_the_page_needs_nothing_else(page):
    for tag in ("img", "script", "link", "iframe", "source", "object", "embed"):
        for attributes in page.all(tag):
            assert attributes.get("src", "data:").startswith("data:")
            assert attributes.get("href", "data:").startswith("data:")
    assert "default-src 'none'" in page.all("meta")[3]["content"]


def test_links_lead_somewhere(page, finished):
    ids = page.ids()
    assert len(ids) == len(set(ids))
    for link in page.all("a"):
        target = link["href"]
        assert target[1:] in ids if target.startswith("#") else (finished.folder / target).is_file()


def test_behaviour_and_structure_are_apart(page):
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on") or name == "style"], tag


def test_the_same_files_give_the_same_bytes(run):
    first = run.report()
    for later in ("provenance", "report", "claims_hold", "readme_figures", "verify", "ro_crate"):
        run.write_log(f"{later}.log")

    assert run.report() == first


def test_other_run_times_change_no_other_part_of_the_page(run):
    first = run.report()
    run.write_benchmark("fraud_predictions", 4.4, 600)
    second = run.report()

    assert second != first
    cut = [
        re.sub(r'<article id="run-times">.*?</article>', "", page, flags=re.DOTALL)
        for page in (first, second)
    ]
    assert cut[0] == cut[1]


def test_neither_folders_nor_the_host_are_told(run, tmp_path):
    run.config["fraud"] |= {"source": "file", "path": "/home/somebody/creditcard.csv"}
    plugin = tmp_path / "somebody" / "mine.py"
    plugin.parent.mkdir()
    plugin.touch()
    run.config["metrics"]["plugins"] = [str(plugin)]
    text = _readable_part(run.report())

    assert "path: …/creditcard.csv" in text
    assert "plugins: […/mine.py]" in text
    assert "somebody" not in text
    assert str(run.folder.parent) not in text
    assert not re.search(rf"\b{re.escape(platform.node())}\b", text)


def test_what_others_wrote_is_text(run):
    evil = "<script>alert(1)</script>"
    run.config["fraud"]["openml_server"] = evil
    run.write_fraud_data(name=evil)
    run.write_table(
        "openml_status",
        {
            "run": [""],
            "outcome": [evil],
            "reason": ['"><img src=x onerror=y>'],
            "auc_check": [""],
        },
    )
    run.write_figure("evil", evil, evil, f'{evil} {{{{ snakemake.config["fraud"] }}}}')
    run.write_log("evil.log", versions=f"Python {evil}")
    run.change_claim("half", statement=evil, reason=evil, source=evil)
    html = run.report()
    page = Page(html)

    assert "<script>alert" not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 8
    assert [image for image in page.all("img") if image["src"] == "x"] == []
    assert len(page.all("script")) == 1


# ---------------------------------------------------------------------------------------- data


def test_the_date_is_that_of_the_newest_table(run):
    os.utime(run.tables[3], (1_700_000_000, 1_700_000_000))

    assert "2023-11-14, 22:13 UTC" in run.report()


def test_real_data_stand_in_for_nothing(run):
    run.write_fraud_data(source="file", name="creditcard.csv", simulated=False, sha256="ab" * 32)
    run.config["ranking"]["source"] = "openml"
    selection = run.folder / "intermediate" / "ranking" / "openml" / "selection.json"
    selection.parent.mkdir(parents=True)
    selection.write_text("{}")
    page = Page(run.report())

    assert "in place of Kaggle" not in page.text("summary")
    assert "in place of OpenML" not in page.text("summary")
    assert f"fraud data: creditcard.csv {'ab' * 32}" in page.text("checksums")
    assert "30 runs per task from www.openml.org" in page.text("summary")
    assert f"frozen selection of tasks and runs 2 B {sha256_of(selection)}" in page.text(
        "checksums"
    )


def test_stored_scores_have_a_checksum_whether_given_or_downloaded(run, tmp_path):
    given = tmp_path / "scores.parquet"
    given.write_bytes(b"scores")
    run.config["ranking"]["source"] = "published"
    run.config["ranking"]["published"]["all"] = str(given)
    text = Page(run.report()).text("checksums")

    assert f"all tasks {sha256_of(given)}" in text
    assert f"imbalanced tasks {published_scores.SHA256['imbalanced']}" in text


def test_jobs_of_several_environments_are_told_apart(run):
    run.write_log("pi_sweep/10-15.log", versions="Python 3.13.0, numpy 3.0")
    run.write_log("pi_sweep/failed.log", versions="Python 3.14.0", last="ERROR failed")
    (run.folder / "logs" / "killed.log").touch()
    page = Page(run.report())

    assert "4 jobs Python 3.11.7" in page.text("versions")
    assert "1 job Python 3.13.0, numpy 3.0" in page.text("versions")
    assert "3.14" not in page.text("versions")


def test_files_that_changed_or_have_no_record_are_told(run):
    run.write_table("pi_sweep", {"prior": [0.1], "value": [0.9]})
    run.write_figure("new", "A new figure", "The paper", "Without a record.")
    page = Page(run.report())

    assert page.text("origin").endswith(
        "1 of 29 changed since it was made; 3 without a record, not checked"
    )
    sha256 = sha256_of(run.folder / "tables" / "pi_sweep.csv")
    assert f"{sha256} changed since it was made" in page.text("checksums")
    assert page.text("checksums").count("changed since it was made") == 1


def test_a_source_without_git_says_so(run):
    run.write_provenance(commit=None)

    assert "calibrated-metrics 0.1.0, not a git checkout" in Page(run.report()).text("origin")


def test_a_run_without_provenance_has_no_report(run):
    (run.folder / "provenance.json").unlink()

    with pytest.raises(FileNotFoundError, match=r"provenance\.json"):
        run.report()


def test_a_run_of_claims_alone_has_a_report(run):
    run.tables = [run.tables[0]]
    run.figures = []
    page = Page(run.report())

    assert "tables" not in page.ids()
    assert "corrected" not in page.ids()
    assert len([row for row in page.all("tr") if "data-id" in row]) == 5


@pytest.mark.parametrize(
    "name",
    [
        "pi_sweep_agreement",
        "monitoring_trends",
        "rank_correlation_corrections_summary",
        "openml_status",
        "label_free_rates",
        "dg_table1",
    ],
)
def test_a_small_table_may_have_no_rows(run, name):
    table = run.folder / "tables" / f"{name}.csv"
    table.write_text(table.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")

    assert f"{name}.csv" in run.report()


# -------------------------------------------------------------------------------------- errors


def test_the_claims_are_needed(run):
    run.tables = run.tables[1:]

    with pytest.raises(ValueError, match=r"needs tables/paper_vs_ours\.csv"):
        run.report()


def test_the_claims_are_not_empty(run):
    run.tables[0].write_text(run.tables[0].read_text(encoding="utf-8").splitlines()[0])

    with pytest.raises(ValueError, match=r"tables/paper_vs_ours\.csv has no rows"):
        run.report()


@pytest.mark.parametrize(
    ("table", "columns", "missing"),
    [
        ("paper_vs_ours", {"id": ["a"], "source": ["b"]}, "'place', 'statement', 'paper_value'"),
        ("monitoring_trends", {"scenario": ["a"], "metric": ["b"], "pi0": [0.5]}, "'slope'"),
        ("ranking_tasks", {"task": ["a"]}, "'outcome'"),
    ],
)
def test_missing_columns_are_named(run, table, columns, missing):
    run.write_table(table, columns)

    with pytest.raises(ValueError, match=rf"tables/{table}\.csv lacks the columns \[{missing}"):
        run.report()


@pytest.mark.parametrize("content", [b"", b"id,source\n1,2,3,4\n1\n", b"\xff\xfe"])
def test_a_table_that_cannot_be_read_is_named(run, content):
    run.tables[0].write_bytes(content)

    with pytest.raises(ValueError, match=r"^tables/paper_vs_ours\.csv "):
        run.report()


def test_all_missing_files_are_named(run):
    (run.folder / "figures" / "first.svg").unlink()
    (run.folder / "tables" / "rank_correlation_all.csv").unlink()

    with pytest.raises(FileNotFoundError) as caught:
        run.report()
    assert "tables/rank_correlation_all.csv, figures/first.svg" in str(caught.value)
    assert not run.path.exists()


@pytest.mark.parametrize("content", ["{", "[]", '{"source": "file"}'])
def test_the_description_of_the_fraud_data_is_checked(run, content):
    (run.folder / "intermediate" / "fraud" / "data.json").write_text(content)

    with pytest.raises(
        ValueError, match=r"^intermediate/fraud/data\.json is not a description of fraud data"
    ):
        run.report()


def test_the_description_of_the_fraud_data_is_needed(run):
    (run.folder / "intermediate" / "fraud" / "data.json").unlink()

    with pytest.raises(FileNotFoundError, match=r"the results lack intermediate/fraud/data\.json"):
        run.report()


@pytest.mark.parametrize("content", ["", "s\tmax_rss\n", "s\th:m:s\n1\t0\n", "s\tmax_rss\nx\t1\n"])
def test_a_malformed_benchmark_is_named(run, content):
    (run.folder / "benchmarks" / "fraud_predictions.tsv").write_text(content)

    with pytest.raises(ValueError, match=r"benchmarks/fraud_predictions\.tsv is not a benchmark"):
        run.report()


@pytest.mark.parametrize("content", ["", "<svg/>", '<svg width="100%" height="100%"/>'])
def test_a_drawing_states_its_size(run, content):
    (run.folder / "figures" / "first.svg").write_text(content)

    with pytest.raises(ValueError, match=r"figures/first\.svg has no size in points"):
        run.report()
