"""The page of the explorer in headless Chromium, and its answers by Pyodide: `make explore-check` installs both."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import run
from threading import Thread
from typing import Any

import pytest

import tilesmith as ts
from docs.site import explorer as static
from tests.oracles.tools import missing
from tests.runtime.explorer.questions import QUESTIONS, asked
from tilesmith.runtime.explorer import form
from tilesmith.runtime.explorer.server import Explorer

HERE = Path(__file__).parent
PACKAGES = Path(__file__).parents[3] / ".build" / "explorer"
CLICKED = (
    ("brgemm", "avx512", "neon"),
    ("fused", "avx512", "sve256"),
    ("equation", "avx2", ""),
    ("attention", "avx512", ""),
    ("transpose", "sse", "sme256"),
)


def said(script: str, *words: object, given: str = "") -> Any:
    """Return what a script prints under node."""
    node = shutil.which("node") or missing("node is not installed: `make explore-check`")
    if not (PACKAGES / "node_modules" / "pyodide").is_dir():
        missing("the packages of npm are not installed: `make explore-check`")
    done = run([node, HERE / script, *map(str, words)], input=given, capture_output=True, text=True, cwd=PACKAGES)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@contextmanager
def served(server: HTTPServer) -> Iterator[str]:
    """Serve in a thread, and give the address."""
    with server:
        serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        serving.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *values: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The static page, with the interpreter of the npm package beside it."""
    folder = tmp_path_factory.mktemp("site")
    static.write(folder, "./pyodide/")
    (folder / "pyodide").symlink_to(PACKAGES / "node_modules" / "pyodide")
    return folder


def clicked(address: str, folder: Path, questions: tuple[tuple[str, str, str], ...]) -> dict[str, Any]:
    """Return what a browser saw."""
    chromium = shutil.which("chromium") or missing("chromium is not installed: `make explore-check`")
    found: dict[str, Any] = said("browser.mjs", address, chromium, folder, json.dumps(questions))
    assert found["errors"] == []
    return found


def right(seen: dict[str, Any], target: str, line: str) -> None:
    """Check the texts and counts that the page shows of a kernel."""
    known = asked(line, target)
    assert (seen["target"], seen["error"]) == (target, "")
    assert [seen[name] for name in ("prototype", "plan", "rejected")] == [
        known[name] for name in ("prototype", "plan", "rejected")
    ]
    assert seen["instructions"] == [each["text"] for each in known["listing"] if "at" in each]
    assert seen["notes"] == sum(bool(each.get("note")) for each in known["listing"])
    assert sorted(seen["loops"]) == sorted(each["text"] for each in known["loops"])
    assert seen["bars"] == len(known["registers"]) > 0
    assert (seen["picture"] > 100) == bool(known["picture"])


def laid_out(seen: dict[str, Any], colours: list[int]) -> None:
    """Check that the parts of each kernel stand below each other inside their column, that columns are equally wide,
    and that the screenshot shows something where each part is."""
    kernels = seen["kernels"]
    assert all(kernel["wide"] for kernel in kernels)  # nothing sticks out of the page
    assert len({round(kernel["box"]["width"]) for kernel in kernels}) == 1
    for kernel, beside in zip(kernels, kernels[1:]):
        assert kernel["box"]["x"] + kernel["box"]["width"] <= beside["box"]["x"] + 1
        assert kernel["box"]["y"] == beside["box"]["y"]
    for kernel in kernels:
        left, right = kernel["box"]["x"], kernel["box"]["x"] + kernel["box"]["width"]
        parts = list(kernel["parts"].values())
        assert {"plan", "registers", "listing"} <= kernel["parts"].keys()
        assert all(left <= part["x"] and part["x"] + part["width"] <= right for part in parts)
        assert all(part["y"] + part["height"] <= below["y"] for part, below in zip(parts, parts[1:]))
    assert min(each for each in colours if each >= 0) >= 4, colours  # text, and its background with soft edges


@pytest.mark.grid(0)  # half a minute, and a browser
def test_the_page_in_chromium(tmp_path: Path) -> None:
    with served(Explorer()) as address:
        found = clicked(address, tmp_path, CLICKED)
    examples = [(kind, form.EXAMPLES[kind]) for kind, _, _ in CLICKED]
    assert [(each["kind"], each["line"]) for each in found["kernels"]] == examples
    for (_, *targets), seen in zip(CLICKED, found["kernels"]):
        assert len(seen["kernels"]) == len([*filter(None, targets)])
        for target, kernel in zip(targets, seen["kernels"]):
            right(kernel, target, seen["line"])
        laid_out(seen, seen["colours"])
        screenshot = (tmp_path / f"{found['kernels'].index(seen)}-{seen['kind']}.png").read_bytes()
        assert screenshot.startswith(b"\x89PNG") and len(screenshot) > 20_000
    assert found["written"] == "brgemm 24 6 64 --dtype f64"
    fields = {"m": "12", "n": "6", "k": "64", "order": "F", "beta": "0"}
    assert fields.items() <= found["fields"].items()
    assert found["uses"] > 0 and found["bytes"] == [False, True]
    transposed = ts.transpose(4, 4, target=found["fields"]["target"])
    assert found["run"].startswith("right: y as") and "proved" in found["proof"]
    assert len(found["times"]) == transposed.listing().count("\n", transposed.listing().index("\n") + 1) - sum(
        line.endswith(":") for line in transposed.listing().splitlines()
    )
    assert set(found["times"]) == {1}
    assert found["linked"]["here"] == found["linked"]["there"]
    assert "request=fused+softmax+8+64" in found["link"] and "beside=neon" in found["link"]
    assert "not an expression" in found["strange"] and found["injected"] == 0


@pytest.mark.grid(0)  # half a minute, and a browser
def test_the_static_page_in_chromium(site: Path, tmp_path: Path) -> None:
    with served(ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))) as address:
        found = clicked(address, tmp_path, CLICKED[:2])
    for (_, *targets), seen in zip(CLICKED, found["kernels"]):
        for target, kernel in zip(targets, seen["kernels"]):
            right(kernel, target, seen["line"])
        laid_out(seen, seen["colours"])
    assert "tilesmith explore" in found["refusal"]
    assert found["linked"]["here"] == found["linked"]["there"]
    assert "not an expression" in found["strange"] and found["injected"] == 0
    print(f"usable after {found['usable']:.0f} ms; answers {[round(each['took']) for each in found['kernels']]} ms")


@pytest.mark.grid(0)  # half a minute
def test_pyodide_gives_the_bytes_of_cpython(site: Path) -> None:
    questions = [{"request": each, "target": target, "want": "kernel"} for each, target in QUESTIONS]
    wrong = {"request": "equation 'open(x)' 4 4", "target": "avx2", "want": "kernel"}
    found = said("pyodide.mjs", site, given=json.dumps([*questions, wrong]))
    *answers, refusal = found["answers"]
    assert len(answers) == 30
    for question, made in zip(QUESTIONS, answers):
        assert made == asked(*question), question
    assert "no function open" in refusal["error"]
    assert found["form"] == json.loads(json.dumps(form.form()))
    print(f"usable after {found['cold']:.0f} ms, {found['cold_busy']:.0f} of processor; {found['took']}")
    # Times of the processor, which others may keep busy. The first kernel of an architecture reads its tables; the page
    # asks for one before somebody waits for it.
    (_, second, *others) = found["took"]
    assert found["cold_busy"] <= 8000 and second <= 2000 and max(others) <= 1000
