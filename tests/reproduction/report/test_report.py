"""The report on a small folder of results, and in a real browser."""

import json
import re
import subprocess
from html import unescape
from pathlib import Path

import browser
import pandas as pd
import pytest
from matplotlib.figure import Figure

from reproduction.core import findings, io, settings
from reproduction.monitoring import stream
from reproduction.report.page import render
from reproduction.report.text import caption_html, expected, number, typeset

CAPTIONS = sorted((Path(__file__).parents[3] / "workflow" / "report").glob("*.rst"))
CONFIGURATION = {"seed": 7, "sweep": {"n_runs": 30_000, "name": "<b>*"}}
CAPTION = "{% set c = config['sweep'] %}{{ c['n_runs'] }} runs of {{ c['name'] }}."
FIGURES = {
    "fig10_late": {"title": "Figure 10: late", "category": "Beyond", "caption": "Late."},
    "fig2_early": {"title": "Figure 2: AUC-P_cR", "category": "Paper", "caption": CAPTION},
    "fig9_later": {"title": "Figure 9: later", "category": "Paper", "caption": "Later."},
    "points": {"title": "Table 1: points", "category": "Paper", "caption": "A table."},
}


def claim(id, figure="fig2_early", **changes):
    of_all = {"source": "papers", "read_from": "Figure 2", "table": "sweep", "stand_in": False}
    holds = {"paper_value": "0.547", "ours": 0.5498, "tolerance": 0.012, "verdict": "holds"}
    usual = {"reason": None, "expected": True, "headline": False}
    usual |= {"n_values": 1, "n_met": 1, "unit": "numbers"}
    statement = {"id": id, "figure": figure, "statement": f"statement {id}"}
    return {**statement, **of_all, **holds, **usual, **changes}


CLAIMS = [
    claim("f", figure="fig10_late", headline=True),
    claim("a", headline=True),
    claim("b", paper_value="> 0", ours=-1e-17, tolerance=None, source="ours"),
    claim("c", verdict="differs", reason="the paper rounds to -0.5", headline=True),
    claim("d", verdict="not checked", ours=None, n_values=0, reason="needs sweep.n_runs >= 1000"),
    claim("e", stand_in=True),
    claim("g", figure="points", table="points"),
]
SENTENCES = pd.DataFrame(
    {
        "source": ["Paper A", "Paper A", "Note"],
        "place": ["section 3", "Figure 2", "Table 1"],
        "sentence": ["Prec_c is <defined>", "sentence a", "sentence of the note"],
        "claims": ["", "a", "e"],
        "verdict": ["by construction", "holds", "holds"],
        "reason": ["definition", None, None],
        "stand_in": [False, False, True],
    }
)
BROKEN = claim("bad", ours=0.7, verdict="differs", expected=False, headline=True)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    drawing = Figure(figsize=(7.16, 3))
    drawing.subplots().plot([0, 1])
    for suffix in ("pdf", "png", "svg"):
        path = folder / "figures" / f"fig2_early.{suffix}"
        io.write(drawing, path)
        for name in ("fig10_late", "fig9_later"):
            path.with_stem(name).write_bytes(path.read_bytes())
    provenance = {"commit": "0123456789abcdef-dirty", "configuration": CONFIGURATION}
    io.write(provenance, folder / "provenance.json")
    return folder


def page(results, claims=CLAIMS, figures=FIGURES):
    table = results / "tables" / "paper_vs_ours.csv"
    io.write(pd.DataFrame(claims), table)
    return render(
        io.read_table(table),
        SENTENCES,
        path=str(results / "provenance.json"),
        paths=[str(path) for path in sorted((results / "figures").iterdir())],
        figures=figures,
        categories=["Paper", "Beyond"],
        points=pd.DataFrame({"task": ["<i>7</i>"], "tp": 5, "precision@pi0=0.5": [0.25]}),
    )


def article(html, name):
    return re.search(rf'<article id="{name}">.*?</article>', html, re.DOTALL)[0]


def words(html):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_the_page_begins_with_the_formula_and_the_score(results):
    summary = words(page(results).partition('id="main-claims"')[0])
    first = [summary.index(text) for text in ("= TP / (TP + r · FP)", "heuristic", "reproduced:")]
    assert first == sorted(first)
    assert "Published numbers reproduced: 5 of 5. Of 3 sentences of the papers, 2 hold" in summary
    counts = "holds by construction Paper A 1 1 Note 1 0 Our findings 1 0"
    assert counts in summary


def test_every_sentence_is_at_the_end(results):
    end = words(page(results).partition('id="sentences"')[2])
    assert "Prec c is <defined> Definition Section 3 by construction" in end
    assert "Sentence a Figure 2 holds Note" in end
    assert "Sentence of the note On data that stand in for those of the paper Table 1 holds" in end


def test_main_claims_have_the_order_of_their_figures_and_lead_to_them(results):
    main = page(results).partition("</header>")[0].partition('id="main-claims"')[2]
    assert re.findall(r"Statement (\w)", main) == ["a", "c", "f"]
    assert "The paper rounds to -0.5" in words(main)
    assert main.count('<a href="#fig2_early">fig2_early</a>') == 2


def test_a_broken_claim_is_at_the_top(results):
    html = page(results, [*CLAIMS, BROKEN])
    top = words(html.partition('id="broken"')[2].partition("Precision, F1")[0])
    assert "1 broken claim " in top
    assert "Statement bad bad , tables/sweep.csv" in top
    assert "0.547 ± 0.012 published 0.7 broken" in top
    assert "Statement bad" not in html.partition('id="main-claims"')[2].partition("</header>")[0]
    assert 'class="broken"' in article(html, "fig2_early")
    assert 'id="broken"' not in page(results)


def test_claims_are_below_their_figure(results):
    html = page(results)
    early = article(html, "fig2_early")
    assert re.findall(r"Statement (\w)", early) == list("abcde")
    assert re.findall(r"Statement (\w)", article(html, "fig10_late")) == ["f"]
    assert "Statement a Figure 2 0.547 ± 0.012 published 0.5498 holds" in words(early)
    assert "Our finding: Figure 2 > 0 0 holds" in words(early)
    assert "Needs sweep.n_runs >= 1000 Figure 2 0.547 ± 0.012 published –" in words(early)
    assert "Statement e Figure 2; data that stand in for those of the paper" in words(early)


def test_figures_are_sorted_by_category_and_number(results):
    html = page(results)
    order = ["fig2_early", "fig9_later", "points", "fig10_late"]
    assert re.findall('<article id="(.+?)">', html) == order
    early = article(html, "fig2_early")
    assert re.search(r'<img src="data:image/png;base64,.+" alt="Figure 2: AUC-P_cR">', early)
    files = [f"figures/fig2_early.{suffix}" for suffix in ("pdf", "png", "svg")]
    assert re.findall('href="(.+?)"', early) == [*files, "tables/sweep.csv"]


def test_small_tables_and_values_are_escaped(results):
    html = page(results, [*CLAIMS, claim("<script>alert(1)</script>")])
    assert "<script" not in html
    assert "task true positives precision at π₀ = 0.5 <i>7</i> 5 0.25 Claim" in words(
        article(html, "points")
    )
    assert "30,000 runs of &lt;b&gt;*." in article(html, "fig2_early")


@pytest.mark.parametrize("text", ["{{ config['sweep']['runs'] }}", "{% if %}", "`open"])
def test_an_error_names_the_caption(results, text):
    figures = FIGURES | {"fig9_later": FIGURES["fig9_later"] | {"caption": text}}
    with pytest.raises(ValueError, match=r"^caption fig9_later\.rst: "):
        page(results, figures=figures)


@pytest.mark.parametrize("caption", CAPTIONS, ids=lambda path: path.stem)
def test_captions_quote_settings_that_exist(caption):
    configuration = settings.load({}).model_dump(mode="json")
    html = caption_html(caption.stem, caption.read_text(encoding="utf-8"), configuration)
    assert html.startswith("<p>")


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("fig1_monitoring", "follow four weeks of training and one of delay"),
        ("fig5_kl_sweep", f"ignores falls below {findings._FALL:g}, the width of a line"),
        ("figD11_monitoring_calibrated", f"a change by {findings.WORTH_NAMING:g} over all periods"),
    ],
)
def test_captions_quote_constants_of_the_code(name, phrase):
    assert (stream._TRAIN_WEEKS, stream._DELAY_WEEKS) == (4, 1)
    (caption,) = (path for path in CAPTIONS if path.stem == name)
    assert phrase in " ".join(caption.read_text(encoding="utf-8").split())


def test_numbers_and_texts():
    values = [-5.5e-17, 1.3e-5, -0.17142857, 4.0, 617.0, float("nan")]
    assert [number(value) for value in values] == ["0", "1.3e-05", "-0.1714", "4", "617", "–"]
    pairs = [(0.5, 1e-9), ("0.5", 0.01), ("<= -0.01", float("nan")), (float("nan"), 0.1)]
    assert [expected(*pair) for pair in pairs] == ["0.5", "0.5 ± 0.01", "<= -0.01", "–"]
    assert typeset("f1_c < -1 at n_clusters") == "F1<sub>c</sub> &lt; -1 at n_clusters"
    for name in ("code/calMetric.py, which", "arXiv appendix C"):
        assert typeset(name) == name


PROBE = """<script>addEventListener("load", () => parent.postMessage(JSON.stringify({
  overflow: document.documentElement.scrollWidth - innerWidth,
  images: [...document.images].map((image) => image.naturalWidth > 0),
}), "*"))</script></body>"""
# The page is looked at through a frame, which can be narrower than any window.
AROUND = """<!DOCTYPE html><link rel="icon" href="data:,"><pre id="seen"></pre>
<iframe src="page.html" width="{width}" height="900"></iframe>
<script>addEventListener("message", (event) => {{
  document.getElementById("seen").textContent = event.data;
}})</script>"""


@browser.needs_browser
@pytest.mark.parametrize("width", [1440, 390])
def test_in_a_browser(results, tmp_path, width):
    html = page(results, [*CLAIMS, BROKEN])
    html = html.replace("img-src", "script-src 'unsafe-inline'; img-src", 1)
    (tmp_path / "page.html").write_text(html.replace("</body>", PROBE), encoding="utf-8")
    around = tmp_path / "around.html"
    around.write_text(AROUND.format(width=width), encoding="utf-8")
    arguments = ["--window-size=1600,1000", "--virtual-time-budget=10000", "--dump-dom"]
    looked = subprocess.run(
        browser.command(tmp_path, *arguments, around.as_uri()),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert re.findall(r"CONSOLE.*", looked.stderr) == []
    seen = json.loads(unescape(re.search(r'<pre id="seen">(.+)</pre>', looked.stdout)[1]))
    assert seen["overflow"] <= 0
    assert seen["images"] == [True] * 3
