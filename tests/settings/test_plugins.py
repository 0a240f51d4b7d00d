"""Plugins of every kind, in an example package that is installed into a folder of its own."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from interfaces.http.opened import open_settings

import pincite
from pincite.ingest.detect import format_of, known_labels
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.served import Served
from pincite.interfaces.http.uploads import safe_name
from pincite.settings import plugins
from pincite.settings.loading import load_settings

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "plugin"
SOURCES = Path(pincite.__file__).parents[1]
VALVE = "At which pressure does the valve open?"


def wheel(folder: Path, target: Path, extra: str = "") -> Path:
    """What building the package gives; the tests' environment need not have its build tool."""
    project = tomllib.loads((folder / "pyproject.toml").read_text() + extra)["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    points = "\n".join(
        f"[{group}]\n" + "\n".join(f"{key} = {value}" for key, value in named.items())
        for group, named in project["entry-points"].items()
    )
    info = f"{name}-{version}.dist-info"
    files = {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.py")
    } | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": points.encode(),
    }  # fmt: skip
    made = target / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in files))
    return made


def installed_at(target: Path, *wheels: Path) -> Path:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    options = ["--disable-pip-version-check", "--no-compile", "--target", str(target)]
    subprocess.run([*command, *options, *map(str, wheels)], check=True)
    return target


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugin")
    return installed_at(folder / "site", wheel(EXAMPLE, folder))


@pytest.fixture(scope="session")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package whose plugins cannot be imported, or fail when they are used."""
    folder = tmp_path_factory.mktemp("broken")
    (folder / "pincite_broken.py").write_text(
        "class Failing:\n"
        "    def __init__(self, *given): pass\n"
        "    def __getattr__(self, name):\n"
        "        if name in ('name', 'kind', 'runtime'): return 'failing'\n"
        "        if name == 'together': return 5\n"
        "        def fail(*given, **named): raise RuntimeError('out of luck')\n"
        "        return fail\n"
        "def command(): raise RuntimeError('out of luck')\n"
    )
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "pincite-broken"\nversion = "0.1"\n'
        '[project.entry-points."pincite.verifiers"]\nfailing = "pincite_broken:Failing"\n'
        '[project.entry-points."pincite.answerers"]\nfailing = "pincite_broken:Failing"\n'
        '[project.entry-points."pincite.rerankers"]\nfailing = "pincite_broken:Failing"\n'
        '[project.entry-points."pincite.parsers"]\nsbv = "pincite_missing:Reader"\n'
        'odd = "pincite_broken:Failing"\n'
        '[project.entry-points."pincite.commands"]\nfailing = "pincite_broken:command"\n'
    )
    return installed_at(folder / "site", wheel(folder, folder))


@pytest.fixture
def using(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Lets this process find the packages of a folder."""

    def use(folder: Path) -> None:
        monkeypatch.syspath_prepend(str(folder))
        plugins.all_installed.cache_clear()

    yield use
    plugins.all_installed.cache_clear()


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("once")
    documents = folder / "documents"
    documents.mkdir()
    (documents / "valve.txt").write_text(
        "The relief valve opens at 6.5 bar. The hose is checked every week by the operator.\n"
    )
    with pincite.Library.open(folder / "library") as opened:
        opened.ingest([documents])
    return folder


@pytest.fixture
def library(made_once: Path, tmp_path: Path) -> Path:
    shutil.copytree(made_once / "documents", tmp_path / "documents")
    return shutil.copytree(made_once / "library", tmp_path / "library")


def run(*arguments: object, site: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(SOURCES), str(site))),
        **variables,
    }
    return subprocess.run(
        [sys.executable, "-m", "pincite", *map(str, arguments)],
        capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def asked(library: Path, text: str = VALVE, **overrides: Any) -> pincite.Answer:
    with pincite.Library.open(library, create=False, overrides=overrides) as opened:
        return opened.ask(text)


def test_every_kind_of_the_example_is_found(example: Path, using: Any) -> None:
    using(example)
    found = {(one.kind, one.name): one for one in plugins.all_installed()}
    assert {kind for kind, _ in found} == set(plugins.KINDS)
    assert {one.package for one in found.values()} == {"pincite_example 1.0"}


def test_a_parser_reads_its_files_in_the_confined_process(example: Path, tmp_path: Path) -> None:
    folder = tmp_path / "talks"
    folder.mkdir()
    content = (
        "0:00:01.000,0:00:04.000\nWelcome to the plant.\n\n"
        "0:01:07.000,0:01:12.000\nThe relief valve opens at 6.5 bar.\n"
    )
    (folder / "tour.sbv").write_text(content)
    library = tmp_path / "library"
    without = run("ingest", folder, "-l", tmp_path / "other", site=tmp_path)
    assert "no files Pincite reads" in without.stderr + without.stdout
    ingested = run("ingest", folder, "-l", library, "--json", site=example)
    assert ingested.returncode == 0, ingested.stderr
    answer = json.loads(run("ask", VALVE, "-l", library, "--json", site=example).stdout)
    cited = answer["citations"][0]
    assert cited["cited_text"] == "The relief valve opens at 6.5 bar."
    assert cited["place"] == "at 0:01:07"
    assert cited["sha256"] == hashlib.sha256(content.encode()).hexdigest()
    assert content.encode()[cited["start_byte"] : cited["end_byte"]].decode() == cited["cited_text"]


def test_a_format_of_a_plugin_is_known_like_one_of_our_own(example: Path, using: Any) -> None:
    using(example)
    found = format_of(".SBV")
    assert found is not None
    assert (found.label, found.media_types) == ("YouTube subtitles", {".sbv": "text/x-sbv"})
    assert "YouTube subtitles" in known_labels()
    assert safe_name("tour.sbv") == "tour.sbv"


def test_a_broken_format_has_the_name_of_its_files(broken: Path, using: Any) -> None:
    using(broken)
    found = format_of(".sbv")
    assert found is not None
    assert found.label == "SBV"


def test_an_embedder_encodes_a_library(example: Path, using: Any, library: Path) -> None:
    using(example)
    overrides = {"embedding": {"model": "plugin:hashes"}}
    with pincite.Library.open(library, create=False, overrides=overrides) as opened:
        opened.reencode()
        encoder = opened.encoder()
        assert encoder is not None
        assert encoder.name == "pincite-example/hashes-256"
        assert opened.check_vectors().problems == ()
        assert opened.search(VALVE).hits[0].scores["dense"] > 0


def test_a_reranker_scores_candidates(example: Path, using: Any, library: Path) -> None:
    using(example)
    overrides = {"rerank": {"model": "plugin:shared-words"}}
    with pincite.Library.open(library, create=False, overrides=overrides) as opened:
        assert opened.search(VALVE).hits[0].scores["shared_words"] == pytest.approx(3 / 7)


def test_a_retriever_takes_the_place_of_the_searches(
    example: Path, using: Any, library: Path
) -> None:
    using(example)
    assert asked(library, retrieval={"plugin": "long-enough"}).citations


def test_an_answerer_drafts_and_is_named(example: Path, using: Any, library: Path) -> None:
    using(example)
    answer = asked(library, generation={"plugin": "one-quote"})
    assert [claim.text for claim in answer.claims] == ["The relief valve opens at 6.5 bar."]
    assert answer.model == "plugin 'one-quote' (answerers) of pincite_example 1.0"


def test_a_verifier_refuses_what_held(example: Path, using: Any, library: Path) -> None:
    using(example)
    draft = library.parent / "documents" / "draft-pump.txt"
    draft.write_text("The pump motor draws 15 amperes at full load.\n")
    with pincite.Library.open(library) as opened:
        opened.ingest([draft])
    question = "How many amperes does the pump motor draw?"
    assert asked(library, question).citations
    refused = asked(library, question, verification={"plugins": ["no-drafts"]})
    assert refused.status == "abstained"
    assert refused.citations == ()
    assert refused.claims == ()
    assert refused.text == ""
    assert "is a draft, and drafts are not quoted" in refused.reasons[0]
    with pincite.Library.open(
        library, overrides={"verification": {"plugins": ["no-drafts"]}}
    ) as opened:
        assert opened.count("pump").status == "abstained"
    assert asked(library, verification={"plugins": ["no-drafts"]}).citations


def test_a_verifier_cannot_let_pass_what_the_built_in_one_refuses(
    example: Path, using: Any, library: Path
) -> None:
    using(example)
    question = "Who won the cup in 1998?"
    own = asked(library, question)
    with_plugin = asked(library, question, verification={"plugins": ["no-drafts"]})
    assert own.status == with_plugin.status == "abstained"
    assert own.reasons == with_plugin.reasons


def test_an_exporter_writes_reports(example: Path, library: Path, tmp_path: Path) -> None:
    template = tmp_path / "template.toml"
    template.write_text(
        f'title = "Check"\n[[sections]]\ntitle = "Valves"\nquestions = ["{VALVE}"]\n'
    )
    out = tmp_path / "report.txt"
    made = run("report", template, "-l", library, "--output", out, site=example)
    assert made.returncode == 0, made.stderr
    assert "The relief valve opens at 6.5 bar." in out.read_text()
    unknown = run("report", template, "-l", library, "--output", tmp_path / "r.odd", site=example)
    assert unknown.returncode == 2
    assert ".json, .txt" in unknown.stderr


def test_a_command_is_one_of_pincite(example: Path, library: Path, tmp_path: Path) -> None:
    assert run("titles", library, site=example).stdout == "valve\n"
    shown = run("--help", site=example).stdout
    assert "Added by plugins" in shown
    assert "titles" in shown
    assert run("titles", library, site=tmp_path).returncode == 2


def test_routes_are_served_when_they_are_set(example: Path, using: Any, library: Path) -> None:
    using(example)
    served = Served(pincite.Library.open(library, create=False))
    with TestClient(create_app(served, open_settings())) as client:
        assert client.get("/plugins/titles").status_code == 404
    with TestClient(create_app(served, open_settings(plugins=("titles",)))) as client:
        assert client.get("/plugins/titles").json() == ["valve"]
    served.close()


def test_doctor_lists_them_and_says_which_are_in_use(example: Path, library: Path) -> None:
    report = json.loads(run(
        "doctor", "-l", library, "--json", site=example, PINCITE_VERIFICATION__PLUGINS="no-drafts"
    ).stdout)  # fmt: skip
    used = {one["name"] for one in report["plugins"] if one["in_force"]}
    assert used == {"sbv", "txt", "titles", "no-drafts"} - {
        one["name"] for one in report["plugins"] if one["kind"] == "routes" and one["in_force"]
    }
    assert len(report["plugins"]) == len(plugins.KINDS)
    assert report["healthy"]


def test_a_plugin_that_is_not_installed_is_told_with_those_that_are(
    example: Path, using: Any, library: Path
) -> None:
    using(example)
    with pytest.raises(pincite.PluginError, match=r"no plugin 'two-quotes'.*one-quote"):
        asked(library, generation={"plugin": "two-quotes"})
    answer = asked(library, rerank={"model": "plugin:none-such"})
    assert any("there is no plugin 'none-such'" in reason for reason in answer.reasons)


def test_a_broken_plugin_is_named_in_the_error(broken: Path, using: Any, library: Path) -> None:
    using(broken)
    with pytest.raises(pincite.PluginError, match=r"'failing' \(answerers\) of pincite_broken 0.1"):
        asked(library, generation={"plugin": "failing"})
    answer = asked(library, rerank={"model": "plugin:failing"})
    assert any("plugin 'failing' (rerankers)" in reason for reason in answer.reasons)


def test_a_verifier_that_fails_refuses(broken: Path, using: Any, library: Path) -> None:
    using(broken)
    answer = asked(library, verification={"plugins": ["failing"]})
    assert answer.status == "abstained"
    assert "plugin 'failing' (verifiers) of pincite_broken 0.1" in answer.reasons[0]


def test_a_broken_parser_fails_its_files_alone(broken: Path, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name in ("a.sbv", "b.odd", "c.txt"):
        (folder / name).write_text("The relief valve opens at 6.5 bar.\n")
    report = json.loads(run("ingest", folder, "-l", tmp_path / "l", "--json", site=broken).stdout)
    told = {Path(one["path"]).name: one["reason"] for one in report["failed"]}
    assert "plugin 'sbv' (parsers) of pincite_broken 0.1 could not be loaded" in told["a.sbv"]
    assert "out of luck" in told["b.odd"]
    assert report["added"] == 1


def test_a_broken_command_is_named_and_doctor_tells_of_broken_ones(
    broken: Path, library: Path
) -> None:
    failed = run("failing", site=broken)
    assert failed.returncode == 1
    assert "plugin 'failing' (commands) of pincite_broken 0.1" in failed.stderr
    checked = run("doctor", "-l", library, site=broken)
    assert checked.returncode == 1
    assert "plugin 'sbv' (parsers) of pincite_broken 0.1 could not be loaded" in " ".join(
        checked.stdout.split()
    )


def test_the_same_name_in_two_packages_is_an_error(
    example: Path, using: Any, library: Path, tmp_path: Path
) -> None:
    (tmp_path / "twin.py").write_text("class OneQuote: pass\n")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "pincite-twin"\nversion = "2.0"\n'
        '[project.entry-points."pincite.answerers"]\none-quote = "twin:OneQuote"\n'
    )
    using(installed_at(tmp_path / "site", wheel(tmp_path, tmp_path)))
    using(example)
    with pytest.raises(pincite.PluginError, match=r"several packages .* pincite_twin 2.0"):
        asked(library, generation={"plugin": "one-quote"})


def test_a_plugin_does_not_take_the_place_of_a_built_in_part(
    using: Any, tmp_path: Path, library: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "pincite-usurper"\nversion = "1.0"\n'
        '[project.entry-points."pincite.parsers"]\ntxt = "usurper:Reader"\npdf = "usurper:Reader"\n'
        '[project.entry-points."pincite.commands"]\nask = "usurper:ask"\n'
    )
    site = installed_at(tmp_path / "site", wheel(tmp_path, tmp_path))
    report = json.loads(
        run(
            "ingest", library.parent / "documents", "-l", tmp_path / "l", "--json", site=site
        ).stdout
    )
    assert report["added"] == 1
    assert report["failed"] == []
    assert run("ask", VALVE, "-l", library, site=site).returncode == 0


def test_a_question_without_plugins_looks_for_none(library: Path) -> None:
    code = (
        "import sys, importlib.metadata as m\n"
        "def stop(**named): raise SystemExit(f'looked for {named}')\n"
        "m.entry_points = stop\n"
        "from pincite.interfaces.cli.app import main\n"
        f"sys.argv = ['pincite', 'ask', {VALVE!r}, '-l', {str(library)!r}]\n"
        "main()\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "6.5 bar" in found.stdout


@pytest.mark.parametrize(
    "line",
    [
        '[generation]\nplugin = "one-quote"\n',
        '[retrieval]\nplugin = "long-enough"\n',
        '[verification]\nplugins = ["no-drafts"]\n',
        '[rerank]\nmodel = "plugin:shared-words"\n',
        '[embedding]\nmodel = "plugin:hashes"\n',
    ],
)
def test_a_library_may_not_choose_a_plugin_on_its_own_word(library: Path, line: str) -> None:
    (library / "settings.toml").write_text(line)
    settings, origins = load_settings(library)
    assert origins.withheld
    assert settings == load_settings()[0]
