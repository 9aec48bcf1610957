"""What `snakemake verify` finds after a result, or something behind it, has changed."""

import json

import pytest
from made_up_jobs import run_job, write

from reproduction import verification
from reproduction.files import write_json
from reproduction.manifest import NAME, identity, manifest
from reproduction.settings import Config
from reproduction.verification import verify

BLOCK, TABLE = "intermediate/sweep/0-4.parquet", "tables/sweep.csv"
FIGURES = [f"figures/sweep.{suffix}" for suffix in ("pdf", "png")]
DOWNLOAD = "server/1.arff"


class Run:
    """A finished run: a block of a file and a download, a table of it, and a figure."""

    def __init__(self, folder):
        self.folder = folder
        own = folder / "own.csv"
        write(own, "own")
        run_job(folder, {BLOCK: "block"}, sources=(own,), downloads={DOWNLOAD: "downloaded"})
        run_job(folder, {TABLE: "table"}, inputs=(BLOCK,))
        run_job(folder, dict.fromkeys(FIGURES, "figure"), inputs=(TABLE,), function="a.draw")
        self.settings = {
            "results_dir": str(folder / "results"),
            "resources_dir": str(folder / "resources"),
            "fraud": {"source": "file", "path": str(own)},
        }
        self.write_manifest()

    def path(self, name):
        return self.folder / "results" / name

    def config(self, **changes):
        return Config.model_validate({**self.settings, **changes})

    def write_manifest(self):
        paths = [self.path(name) for name in (TABLE, *FIGURES)]
        content = manifest(self.folder / "results", paths, identity(self.config()), "1.0")
        write_json(self.path(NAME), content)

    def edit_manifest(self, edit):
        content = json.loads(self.path(NAME).read_text("utf-8"))
        edit(content)
        write_json(self.path(NAME), content)

    def contents(self):
        return {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def verified(self, **changes):
        before = self.contents()
        found = verify(self.config(**changes))
        assert self.contents() == before
        return found


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


NOT_COVERED = "provenance.json does not cover the report, notebooks, logs and benchmarks"


def test_an_untouched_run_matches(run):
    found = run.verified()

    assert found.differs == []
    assert found.not_checked == [NOT_COVERED]
    assert found.matches.pop("settings") > 100
    assert found.matches == {
        "functions": 2,
        "versions": 6,
        "tables and figures": 3,
        "intermediate files": 1,
        "sources": 2,
    }
    assert str(found) == (
        "matches      2 functions, 6 versions, 3 tables and figures, 1 intermediate files, "
        f"2 sources\nnot checked  {NOT_COVERED}"
    )


@pytest.mark.parametrize(
    ("name", "findings"),
    [
        (
            TABLE,
            [
                f"{TABLE} has changed since it was made",
                "figures/sweep.{pdf,png} was made from another tables/sweep.csv",
            ],
        ),
        (FIGURES[0], ["figures/sweep.pdf has changed since it was made"]),
        (
            BLOCK,
            [
                f"{BLOCK} has changed since it was made",
                f"{TABLE} was made from another {BLOCK}",
            ],
        ),
        ("../own.csv", [f"{BLOCK} was made from another …/own.csv"]),
        (
            f"../resources/{DOWNLOAD}",
            [f"{BLOCK} was made from another resources_dir/{DOWNLOAD}"],
        ),
    ],
)
def test_an_edited_file(run, name, findings):
    write(run.path(name), "edited")

    found = run.verified()

    assert sorted(found.differs) == sorted(findings)
    assert found.not_checked == [NOT_COVERED]
    assert str(found).endswith("\n".join(f"differs      {finding}" for finding in found.differs))


def test_a_figure_older_than_its_table(run):
    run_job(run.folder, {TABLE: "made again"}, inputs=(BLOCK,))
    run.write_manifest()

    assert run.verified().differs == [
        "figures/sweep.{pdf,png} was made from another tables/sweep.csv"
    ]


def test_an_edited_table_does_not_become_right_when_its_figure_is_drawn_again(run):
    write(run.path(TABLE), "edited")
    run_job(run.folder, dict.fromkeys(FIGURES, "figure"), inputs=(TABLE,), function="a.draw")
    run.write_manifest()

    assert run.verified().differs == [f"{TABLE} has changed since it was made"]


@pytest.mark.parametrize("name", [TABLE, FIGURES[1]])
def test_a_missing_result(run, name):
    run.path(name).unlink()

    assert run.verified().differs == [f"{name} is missing"]


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        (BLOCK, f"{BLOCK}: not in "),
        ("../own.csv", f"…/own.csv, from which {BLOCK} was made: not found"),
        (f"../resources/{DOWNLOAD}", f"resources_dir/{DOWNLOAD}, from which {BLOCK} was made"),
    ],
)
def test_a_missing_file_behind_the_results_is_not_checked(run, name, finding):
    run.path(name).unlink()

    found = run.verified()

    assert found.differs == []
    assert found.not_checked[0].startswith(finding)


def test_another_configuration(run):
    sweep = {"n_samples": 500, "priors": [0.5]}
    first = str(Config().pi_sweep.priors[:6]).removesuffix("]")

    assert run.verified(seed=1, pi_sweep=sweep).differs == [
        "configuration: pi_sweep.n_samples was 1000000 and is 500",
        f"configuration: pi_sweep.priors was {first}, ...] and is [0.5]",
        "configuration: seed was 20200427 and is 1",
    ]


def test_another_folder_is_no_other_configuration(run):
    moved = run.folder / "results of another"
    (run.folder / "results").rename(moved)

    assert verify(run.config(results_dir=str(moved))).differs == []


def test_another_plug_in(run, tmp_path, own_registry):
    plugin = tmp_path / "own_metric.py"
    write(plugin, "import json\n")
    run.settings["metrics"] = {"plugins": [str(plugin)]}
    run.write_manifest()
    write(plugin, "import csv\n")

    assert run.verified().differs == ["code: the plug-ins have changed"]


def test_other_statements_of_claims(run, monkeypatch):
    monkeypatch.setattr("reproduction.manifest.statements_hash", lambda: "another")

    assert run.verified().differs == ["code: the statements of the claims have changed"]


def test_other_code(run, monkeypatch):
    monkeypatch.setattr(verification, "code_hash", lambda *modules: "another")

    assert run.verified().differs == [
        "code: a.draw has changed since it made figures/sweep.{pdf,png}",
        f"code: reproduction.files.joined has changed since it made {BLOCK} and 1 other",
    ]


def test_code_that_is_gone(run):
    run.edit_manifest(lambda content: content["jobs"][0].update(modules=["reproduction.gone"]))

    (finding,) = run.verified().differs

    assert finding.startswith("code: no module 'reproduction.gone'")
    assert finding.endswith("which made figures/sweep.{pdf,png}")


def test_other_packages(run, monkeypatch):
    installed = {**verification.versions(), "numpy": "9.9"}
    before = verification.versions()["numpy"]
    monkeypatch.setattr(verification, "versions", lambda: installed)

    found = run.verified()

    made = "figures/sweep.{pdf,png} and 2 others"
    assert found.differs == [f"version: numpy was {before} for {made}, is 9.9"]
    assert found.matches["versions"] == 5


def test_a_file_without_a_record_is_not_checked(run):
    (run.path("provenance") / "tables" / "sweep.json").unlink()
    run.write_manifest()

    found = run.verified()

    assert found.differs == []
    assert found.not_checked == [f"{TABLE} has no record", NOT_COVERED]


def test_without_provenance_there_is_nothing_to_verify(run):
    run.path(NAME).unlink()

    with pytest.raises(FileNotFoundError, match=r"provenance\.json does not exist; a complete run"):
        verify(run.config())


@pytest.mark.parametrize("text", ["{", "[]", '{"jobs": []}'])
def test_damaged_provenance(run, text):
    write(run.path(NAME), text)

    with pytest.raises(ValueError, match=r"provenance\.json is damaged"):
        verify(run.config())
