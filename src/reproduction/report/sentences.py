"""The sentences of the papers, each with its verdict, and the score of a run.

sentences.csv has one row per sentence: its source and place, and the claims that check it. A
sentence without claims has its verdict and the reason in the file: it is true by construction, in
which case `claims` may name checks, or were not checked it.
"""

import re
from pathlib import Path

import pandas as pd

PATH = Path(__file__).parent / "sentences.csv"
VERDICTS = ("holds", "holds in part", "differs", "by construction", "not checked", "broken")
_FIGURE = re.compile(r"(dg_)?(fig|table)([A-Z]?)(\d+)")


def judged(claims: pd.DataFrame) -> pd.DataFrame:
    """Return the sentences with the verdict of their claims.

    A sentence holds if all of its claims hold, and `holds in part` if some do. `stand_in` is true
    if a claim was checked on data that stand in for those of the paper. `claims` is the result of
    `core.claims.judge` for all rooms; claims of rooms that did not run are not checked.
    """
    claims = claims.set_index("id").assign(verdict=verdicts(claims).array)
    sentences = pd.read_csv(PATH, keep_default_na=False)
    found = [
        (row.verdict, row.reason, False)
        if row.verdict
        else _joined(claims.reindex(row.claims.split()))
        for row in sentences.itertuples()
    ]
    verdict, reason, stand_in = zip(*found, strict=True)
    return sentences.assign(verdict=verdict, reason=reason, stand_in=stand_in)


def verdicts(claims: pd.DataFrame) -> pd.Series:
    """Verdict of each claim, `broken` if it is unexpected."""
    return claims["verdict"].where(claims["expected"], "broken")


def _joined(claims: pd.DataFrame) -> tuple[str, str, bool]:
    """Verdict, reason and stand-in of a sentence with these claims."""
    found = claims["verdict"].fillna("not checked")
    failed = claims[found != "holds"]
    reason = "; ".join(failed["reason"].fillna("this run does not have it").unique())
    stand_in = bool(claims["stand_in"].eq(True).any())
    kinds = set(found)
    if len(kinds) == 1:
        verdict = found.iloc[0]
    elif "broken" in kinds:
        verdict = "broken"
    else:
        verdict = "holds in part" if "holds" in kinds else "differs"
    return verdict, reason, stand_in


def numbers_met(claims: pd.DataFrame) -> pd.DataFrame:
    """Published numbers that were checked, and how many agree, per figure and unit."""
    is_bound = claims["paper_value"].astype(str).str.match("[<>]")
    is_number = ~is_bound | (claims["unit"] != "numbers")
    checked = claims[is_number & (claims["source"] == "papers") & (claims["n_values"] > 0)]
    labels = checked["figure"].map(_label).rename("label")
    return checked.groupby([labels, "unit"], sort=False)[["n_met", "n_values"]].sum().reset_index()


def _label(figure: str) -> str:
    """Name of a figure or table in the papers, from the name of its file."""
    match = _FIGURE.match(figure)
    if match is None:
        return figure
    of_other = " of Davis & Goadrich" if match[1] else ""
    version = "arXiv " if match[3] else ""  # the letter is that of the appendix
    return f"{version}{'Figure' if match[2] == 'fig' else 'Table'} {match[4]}{of_other}"


def score(claims: pd.DataFrame, sentences: pd.DataFrame) -> str:
    """Return the score of a run: the published numbers that it meets, and the verdicts."""
    met = numbers_met(claims)
    is_named = met["unit"] != "numbers"
    named = [
        f"{row.n_met} of {row.n_values} {row.unit} of {row.label}"
        for row in met[is_named].itertuples()
    ]
    others = met.loc[~is_named, ["n_met", "n_values"]].sum()
    rest = f"{others.n_met} of {others.n_values}{' others' if named else ''}"
    n = sentences["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
    n_lacking = (sentences["verdict"].eq("not checked") & sentences["claims"].ne("")).sum()
    n_stand_in = (sentences["verdict"].eq("holds") & sentences["stand_in"]).sum()
    return (
        f"Published numbers reproduced: {', '.join([*named, rest])}. "
        f"Of {len(sentences)} sentences of the papers, {n['holds']} hold "
        f"({n_stand_in} of them on stand-in data), {n['holds in part']} hold in part, "
        f"{n['differs']} differ, {n['by construction']} are true by construction, "
        f"{n_lacking} need other data, and {n['not checked'] - n_lacking} were not checked."
    )
