"""What stands in a report, and what does not."""

import base64
import os
import platform
import re
from html import unescape
from html.parser import HTMLParser

import pytest

from reproduction.data import published_scores
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


def test_the_summary_says_what_was_run_on_which_data(page):
    summary = page.text("summary")

    assert "5 figures and 11 tables" in summary
    assert "3 claims" in summary
    assert "made-up transactions, which replace Kaggle’s: 12,345 rows with 100" in summary
    assert "(0.81 %)" in summary
    assert "30 scikit-learn models per task" in summary
    assert "3 of 4 tasks could be used" in summary
    assert "all tasks, 4; small priors, 0." in summary
    assert "1 holds 2 differs" in summary
    assert "2020-09-13, 12:26 UTC; seed 20200427" in summary


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
    assert text.endswith("sweep.pdf · sweep.png · sweep.svg · pi_sweep.csv")
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
    assert {(image["width"], image["height"]) for image in page.all("img")} == {("120", "60")}


def test_every_claim_is_in_the_table(page):
    claims = page.text("claims-table")

    assert "AUC-PR at π = 0.5 0.547 0.5478 0.005read off holds half" in claims
    assert "Right interpolationno reading <b>gives</b> it 0.031 0.02866" in claims
    assert sum("data-source" in row for row in page.all("tr")) == 3


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sweep-agreement", "agrees differs few positives largest |z| Figure 4 prg_auc 1 0 1 0.50"),
        ("monitoring-trends", "average_precision none flat (−0.94) falls (−11.63)"),
        ("monitoring-trends", "average_precision 0.0085 flat (−1.30) flat (−0.37)"),
        ("tasks-of-matrices", "all tasks 4 2 3 small priors 0 0 0"),
        ("corrections", "all tasks zeroed runs 0.000 0.000 – imbalanced tasks all 1.175 0.227"),
        ("openml-status", "run excluded no_rows the file has no rows – 1"),
        ("openml-status", "task used – – – 1"),
        ("openml-status", "run used – – not checked 1"),
        ("label-free-rates", "U(0, 1) from labels −0.501 U(0, 1) from scores −0.495"),
        ("dg-table1", "7 15 0.350 0.318 0.318 0.979 0.711"),
    ],
)
def test_small_table(page, name, expected):
    assert expected in page.text(name)


def test_the_whole_configuration_is_there(page):
    text = page.text("configuration")

    assert "seed: 20200427" in text
    assert "n_bootstrap: 2000" in text
    assert "corrected:" in text


def test_versions_are_those_of_the_jobs(page):
    assert "4 jobs Python 3.11.7, calibrated-metrics 0.1.0, numpy 2.4.6" in page.text("versions")
    assert f"{platform.system()} on {platform.machine()}" in page.text("versions")


def test_every_table_and_figure_has_its_checksum(page, finished):
    text = page.text("checksums")
    files = [*finished.tables, *finished.folder.glob("figures/*")]

    assert len(files) == 11 + 15
    for file in files:
        assert f"{file.relative_to(finished.folder).as_posix()} " in text
        assert sha256_of(file) in text


def test_run_times_are_summed_by_folder(page):
    assert page.text("run-times").endswith(
        "pi_sweep 2 1,010.5 1,000.5 fraud_predictions 1 3.3 3.3 ranking/predictions 1 0.1 0.1"
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


def test_the_same_results_give_the_same_bytes(run):
    first = run.report()
    run.write_log("report.log", 0.4)  # as the rule's own log stands there the next time

    assert run.report() == first


def test_neither_folders_nor_the_host_are_told(run):
    run.config["fraud"] |= {"source": "file", "path": "/home/somebody/creditcard.csv"}
    run.config["metrics"]["plugins"] = ["/home/somebody/mine.py"]
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
    run.write_log("evil.log", 1.0, versions=f"Python {evil}")
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

    assert "replace" not in page.text("summary")
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
    run.write_log("pi_sweep/10-15.log", 1.0, versions="Python 3.13.0, numpy 3.0")
    run.write_log("pi_sweep/failed.log", None)
    (run.folder / "logs" / "killed.log").touch()
    page = Page(run.report())

    assert "4 jobs Python 3.11.7" in page.text("versions")
    assert "1 job Python 3.13.0, numpy 3.0" in page.text("versions")
    assert "failed" not in page.text("run-times")


def test_a_run_of_claims_alone_has_a_report(run):
    run.tables = [run.tables[0]]
    run.figures = []
    page = Page(run.report())

    assert "tables" not in page.ids()
    assert "0 figures and 1 tables" in page.text("summary")


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


@pytest.mark.parametrize("content", ["", "<svg/>", '<svg width="100%" height="100%"/>'])
def test_a_drawing_states_its_size(run, content):
    (run.folder / "figures" / "first.svg").write_text(content)

    with pytest.raises(ValueError, match=r"figures/first\.svg has no size in points"):
        run.report()
