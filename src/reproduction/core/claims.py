"""Claims: each is a statement about the table of a figure, written in claims.yaml of a room.

A room is the folder of an experiment. Its claims.yaml is a list of groups: the key `claims` of a
group has its claims, and the other keys are shared by those that do not have them.

A claim selects rows (`where`), evaluates a column or an expression (`of`), averages it per group
(`by`), and reduces it to one number (`take`) or keeps each value. The value of other rows can be
subtracted (`minus`) or used as a divisor (`over`). The result is compared with the `published`
numbers, `within` a tolerance, or with a `bound`; the value that deviates most is reported. `take`
is one of `REDUCERS`, or a function of the selected rows in claims.py of the room or in findings.py,
which returns one number or an array.

A claim is not checked, and has no number of ours, if a setting or a table does not have the values
that it `needs`, or a table the rows that it selects, such as those of a metric. A claim with
`differs` is known to differ; our value is given there, within a tolerance that is its noise over
seeds if the table is drawn at random.

An entry with `kind: check` is about values that no source speaks of, such as that they lie within
their limits. It is no row of the result unless it fails.
"""

import ast
import hashlib
import operator
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import yaml
from pydantic import Field, ValidationError, model_validator

from calibrated_metrics._hints import nearest
from calibrated_metrics._messages import shown
from reproduction.core import code_hash, findings
from reproduction.core.io import read_table
from reproduction.core.settings import Section

_ROOMS = Path(__file__).parents[1]
_COMPARISON = r"^[<>]=? -?\d\S*$"  # such as ">= 0.5"
_YOURS = "the data are your own"
_COMPARE = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}


def _steps(values: pd.Series) -> pd.Series:
    """Steps between neighbours along the last key of `by`, where the other keys are equal."""
    others = values.index.names[:-1]
    return values.groupby(others).diff() if others else values.diff()


REDUCERS: dict[str, Callable[[pd.Series], Any]] = {
    "each": lambda values: values,
    "mean": pd.Series.mean,
    "max": pd.Series.max,
    "sum": pd.Series.sum,  # for a condition: the number of rows that meet it
    "smallest_step": lambda values: _steps(values).min(),  # > 0: the values rise everywhere
    "largest_step": lambda values: _steps(values).max(),  # < 0: the values fall everywhere
}


class KnownDifference(Section):
    """Our value of a claim that differs, its tolerance, and the reason."""

    ours: float
    within: float
    reason: str


class Claim(Section):
    """One entry of claims.yaml."""

    id: str
    kind: Literal["claim", "check"] = "claim"
    says: str
    figure: str  # file name of the figure that draws the table
    table: str
    source: Literal["papers", "authors' code and scores", "ours"] = "papers"
    read_from: str  # place in the source, and reason for the tolerance
    # Whether other data stand in for those of the source; a text is a column that says so.
    stand_in: bool | str = False
    where: str | None = None
    of: str = "value"
    by: str | list[str] | None = None
    take: str = "each"
    minus: str | None = None
    over: str | None = None
    # A text is the name of a CSV file of the room with a matrix: the first columns are keys of
    # `by`, the others the values of its last key. A cell may be empty.
    published: float | dict[float | str, float] | str | None = None
    # What the published values are, for the score. Those of a bound count only if it is given.
    unit: str = "numbers"
    within: float | None = None
    bound: str | None = Field(None, pattern=_COMPARISON)
    # Settings, or columns of a table of one row, such as ranking.source or fraud_data.n_rows.
    needs: dict[str, Any] = Field(default_factory=dict)
    differs: KnownDifference | None = None
    headline: bool = False

    @model_validator(mode="after")
    def _is_complete(self):
        if (self.bound is None) == (self.published is None or self.within is None):
            raise ValueError("give either `bound`, or `published` and `within`")
        for key, need in self.needs.items():
            if re.match("[<>=]", str(need)) and not re.match(_COMPARISON, str(need)):
                raise ValueError(f"`needs` {key} must look like '>= 3', got {need!r}")
        return self

    @property
    def conditions(self) -> list[str]:
        """Settings and columns of tables that `needs` or `stand_in` name."""
        return [*self.needs, *([self.stand_in] if isinstance(self.stand_in, str) else [])]


# ------------------------------------------------------------------------------------- reading


@cache
def of_room(room: str) -> tuple[Claim, ...]:
    """Claims of a room; none if it has no claims.yaml. An error names the entry."""
    path = _ROOMS / room / "claims.yaml"
    try:
        groups = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else []
    except yaml.YAMLError as error:
        raise SystemExit(f"{room}/claims.yaml: {error}") from None
    return tuple(_read(room, entry) for group in groups or [] for entry in _entries(room, group))


def _entries(room: str, group: Any) -> list[Any]:
    """Entries of a group, each with the keys that it shares with the others."""
    if not isinstance(group, dict) or not isinstance(group.get("claims"), list):
        raise SystemExit(
            f"{room}/claims.yaml must be a list of groups with the key claims, got {shown(group)}"
        )
    shared = {key: value for key, value in group.items() if key != "claims"}
    return [{**shared, **entry} if isinstance(entry, dict) else entry for entry in group["claims"]]


def _read(room: str, entry: Any) -> Claim:
    try:
        return Claim.model_validate(entry)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()
        )
        name = entry.get("id", "without id") if isinstance(entry, dict) else shown(entry)
        raise SystemExit(f"{room}/claims.yaml, entry {name}: {problems}") from None


def check_names(
    rooms: Sequence[str], figures: Collection[str], tables: Mapping[str, str | Path]
) -> None:
    """Refuse claims of figures, tables, functions or columns that do not exist.

    The columns of a table are known if an earlier run made it.
    """
    for room, claim in _of_rooms(rooms):
        where = f"{room}/claims.yaml, entry {claim.id}"
        for key, name, known in (
            ("figure", claim.figure, figures),
            ("table", claim.table, tables),
        ):
            if name not in known:
                raise SystemExit(f"{where}: no rule makes the {key} {name!r}{nearest(name, known)}")
        known = [*REDUCERS, *_functions(room)]
        if claim.take not in known:
            raise SystemExit(
                f"{where}: take must be one of {list(REDUCERS)} or a function of {room}/claims.py, "
                f"got {claim.take!r}{nearest(claim.take, known)}"
            )
        columns = _columns(tables[claim.table])
        for name in sorted(_names(claim, where).difference(columns)) if columns else []:
            hint = nearest(name, columns)
            raise SystemExit(f"{where}: the table {claim.table} has no column {name!r}{hint}")


def _names(claim: Claim, where: str) -> set[str]:
    """Names of the columns that the expressions of a claim contain."""
    expressions = [claim.where, claim.minus, claim.over]
    if claim.take in REDUCERS:
        expressions += [claim.of, *np.atleast_1d(claim.by or [])]
    try:
        trees = [ast.parse(each.strip(), mode="eval") for each in expressions if each]
    except SyntaxError as error:
        raise SystemExit(f"{where}: {error.text!r} is no expression: {error.msg}") from None
    nodes = [node for tree in trees for node in ast.walk(tree)]
    called = [node.func for node in nodes if isinstance(node, ast.Call)]  # such as abs
    return {node.id for node in nodes if isinstance(node, ast.Name) and node not in called}


def _columns(path: str | Path) -> list[str]:
    """Columns of a table; empty if it does not exist."""
    return list(pd.read_csv(path, nrows=0)) if Path(path).is_file() else []


def tables_of(rooms: Sequence[str]) -> set[str]:
    """Names of the tables that the claims of some rooms read, including those in `needs`.

    The names of settings in `needs` are included as well; no table has such a name.
    """
    claims = [claim for _, claim in _of_rooms(rooms)]
    needed = {key.partition(".")[0] for claim in claims for key in claim.conditions}
    return needed | {claim.table for claim in claims}


def version(room: str) -> str:
    """Hash of the claims of a room, and of the functions and published numbers that they name."""
    functions = f"reproduction.{room}.claims"
    code = code_hash.of_modules(functions) if find_spec(functions) else ""
    files = "".join(path.read_text() for path in sorted((_ROOMS / room).glob("*.csv")))
    return hashlib.sha256(f"{of_room(room)}{code}{files}".encode()).hexdigest()[:16]


def needed_settings(rooms: Sequence[str], settings: Any) -> dict[str, Any]:
    """The settings that the claims of some rooms depend on, by their dotted names."""
    found = {}
    for key in sorted({key for _, claim in _of_rooms(rooms) for key in claim.conditions}):
        with suppress(AttributeError):  # it is a column of a table
            found[key] = operator.attrgetter(key)(settings)
    return found


def _of_rooms(rooms: Sequence[str]) -> list[tuple[str, Claim]]:
    return [(room, claim) for room in rooms for claim in of_room(room)]


# ------------------------------------------------------------------------------------- judging


def judged_files(
    paths: Sequence[str], rooms: Sequence[str], settings: Mapping[str, Any], own: Collection[str]
) -> pd.DataFrame:
    """Judge the claims of some rooms. The rooms in `own` have a user's own data."""
    tables = {Path(path).stem: read_table(path) for path in paths}
    return pd.concat([judge(tables, room, settings, is_own=room in own) for room in rooms])


def judge(
    tables: Mapping[str, pd.DataFrame],
    room: str,
    settings: Mapping[str, Any],
    *,
    is_own: bool = False,
) -> pd.DataFrame:
    """Compare each claim with its table; one row per claim, in the order of claims.yaml.

    A check is a row only if it fails.

    `expected` is false if a claim is broken: it differs unexpectedly, or not by the known value. If
    the data are the user's own, no claim is checked. `stand_in` is true if a claim was checked on
    data that stand in for those of its source.
    """
    rows = []
    for claim in of_room(room):
        try:
            lacking = _YOURS if is_own else _lacking(claim, tables, settings)
            row = _judged(claim, tables, room, lacking)
            stand_in = claim.stand_in
            if isinstance(stand_in, str) and not lacking:
                stand_in = bool(_value(stand_in, tables, settings))
            row["stand_in"] = not lacking and stand_in
            rows.append(row)
        except Exception as error:  # from a query or expression, or a function of the room
            raise ValueError(
                f"{room}/claims.yaml, entry {claim.id}: {type(error).__name__}: {error}"
            ) from error
    judged = zip(of_room(room), rows, strict=True)
    is_row = [claim.kind == "claim" or not row["expected"] for claim, row in judged]
    return pd.DataFrame(rows)[is_row]  # with its columns, if all are checks


def _judged(
    claim: Claim, tables: Mapping[str, pd.DataFrame], room: str, reason: str
) -> dict[str, Any]:
    """Row of a claim, which is not checked if there is a reason."""
    paper: Any = claim.published if isinstance(claim.published, float) else None
    ours, expected, verdict, met = None, True, "not checked", pd.Series(dtype=bool)
    if not reason:
        paper, ours, met, reason = _compared(claim, tables[claim.table], room)
        holds = bool(met.all())
        verdict = "holds" if holds else "differs"
        known = claim.differs
        expected = holds if known is None else abs(ours - known.ours) <= known.within
        if known and expected and not holds:
            reason = known.reason
    return {
        "id": claim.id,
        "source": claim.source,
        "figure": claim.figure,
        "statement": claim.says,
        "paper_value": claim.bound or paper,
        "ours": ours,
        "tolerance": claim.within,
        "n_values": len(met),
        "n_met": met.sum(),
        "unit": claim.unit,
        "read_from": claim.read_from,
        "verdict": verdict,
        "reason": reason,
        "expected": expected,
        "table": claim.table,
        "headline": claim.headline,
    }


def _lacking(claim: Claim, tables: Mapping[str, pd.DataFrame], settings: Mapping[str, Any]) -> str:
    """Why the run cannot check the claim; empty if it can."""
    if claim.table not in tables:
        return f"this run has no table {claim.table}"
    values = {key: _value(key, tables, settings) for key in claim.needs}
    unmet = {key: need for key, need in claim.needs.items() if not _is_met(values[key], need)}
    if unmet:
        return "; ".join(f"needs {key} {unmet[key]}, this run has {values[key]}" for key in unmet)
    table = tables[claim.table]
    for where in filter(None, (claim.where, claim.minus, claim.over)):
        if table.query(where).empty:
            return f"no row of {claim.table} satisfies {where}"
    if isinstance(claim.published, dict):
        absent = pd.Index(claim.published).difference(table[claim.by])
        return (
            f"{claim.table} has no {claim.by} {', '.join(map(str, absent))}" if len(absent) else ""
        )
    return ""


def _value(key: str, tables: Mapping[str, pd.DataFrame], settings: Mapping[str, Any]) -> Any:
    """A setting, or the value of a column of a table of one row, by its dotted name."""
    table, _, column = key.partition(".")
    return settings[key] if key in settings else tables[table][column].iloc[0]


def _is_met(value: Any, need: Any) -> bool:
    if isinstance(need, str) and (match := re.match(r"([<>]=?) *(\S+)$", need)):
        return bool(_COMPARE[match[1]](value, float(match[2])))
    return value in (need if isinstance(need, list) else [need])


def _compared(claim: Claim, table: pd.DataFrame, room: str) -> tuple[Any, float, pd.Series, str]:
    """Published number, our number that deviates most, whether each agrees, and which it is."""
    measured = _measured(claim, table, claim.where, room)
    if claim.minus:
        measured = measured - _measured(claim, table, claim.minus, room)
    if claim.over:
        measured = measured / _measured(claim, table, claim.over, room)
    if claim.bound:
        sign, limit = claim.bound.split()
        measured = measured.fillna(np.inf if "<" in sign else -np.inf)  # undefined: broken
        worst = measured.idxmax() if "<" in sign else measured.idxmin()
        met = _COMPARE[sign](measured, float(limit))
        extreme = "largest" if "<" in sign else "smallest"
        return None, float(measured[worst]), met, _place(claim, measured, worst, extreme)
    published = _published(claim, measured.index, room)
    gaps = (measured.reindex(published.index) - published).abs().fillna(np.inf)
    worst = gaps.idxmax()
    # The factor allows for rounding: 0.813 - 0.8125 exceeds 0.0005 in float64.
    met = gaps <= claim.within * (1 + 1e-9)
    ours = float(measured.get(worst, np.nan))
    return published[worst], ours, met, _place(claim, published, worst, "farthest")


def _place(claim: Claim, values: pd.Series, group: Any, extreme: str) -> str:
    """Which of several values is shown."""
    if len(values) < 2 or not claim.by or claim.take not in REDUCERS:
        return ""
    keys, found = np.atleast_1d(claim.by), group if isinstance(group, tuple) else (group,)
    texts = [f"{value:.4g}" if isinstance(value, float) else value for value in found]
    named = ", ".join(f"{key} {text}" for key, text in zip(keys, texts, strict=True))
    return f"{extreme} of {len(values)}: {named}"


def _measured(claim: Claim, table: pd.DataFrame, where: str | None, room: str) -> pd.Series:
    rows = table.query(where) if where else table
    if claim.take not in REDUCERS:
        return pd.Series(np.atleast_1d(_functions(room)[claim.take](rows)), dtype=float)
    values = rows.eval(claim.of)
    if claim.by:
        values = values.groupby([rows[key] for key in np.atleast_1d(claim.by)]).mean()
    reduced = REDUCERS[claim.take](values)
    return reduced if isinstance(reduced, pd.Series) else pd.Series([reduced])


def _functions(room: str) -> dict[str, Callable[[pd.DataFrame], Any]]:
    module = f"reproduction.{room}.claims"
    return vars(findings) | (vars(import_module(module)) if find_spec(module) else {})


def _published(claim: Claim, index: pd.Index, room: str) -> pd.Series:
    if isinstance(claim.published, str):
        matrix = pd.read_csv(_ROOMS / room / claim.published).set_index(claim.by[:-1])
        matrix.columns = matrix.columns.astype(index.levels[-1].dtype)
        return matrix.stack().dropna()  # noqa: PD013, melt drops the index
    if isinstance(claim.published, dict):
        return pd.Series(claim.published)
    return pd.Series(claim.published, index=index)


def require(claims: pd.DataFrame, path: str) -> str:
    """End the run, with one line per claim of `judge` that is broken; `path` is the report."""
    lines = []
    for claim in claims[~claims["expected"]].fillna({"reason": ""}).itertuples():
        wanted = claim.paper_value
        if not pd.isna(claim.tolerance):
            wanted = f"{float(wanted):.4g} ± {claim.tolerance:g}"
        lines.append(
            f"BROKEN {claim.id} ({claim.figure}): {claim.statement}: ours "
            f"{claim.ours:.4g}{f' ({claim.reason})' if claim.reason else ''}, expected {wanted} "
            f"(tables/{claim.table}.csv)"
        )
    if lines:
        sys.exit("\n".join(lines))
    return f"no claim is broken, see {path}\n"
