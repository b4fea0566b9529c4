"""`tilesmith explore`: who gets answers over HTTP, and what ends a question that takes too long."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tilesmith.runtime.cli.main import main
from tilesmith.runtime.explorer import server
from tilesmith.runtime.explorer.answers import LIMITS, answer
from tilesmith.runtime.explorer.server import Explorer
from tilesmith.runtime.explorer.workers import Workers

PAGE = Path(server.__file__).parent / "page"
QUESTION = json.dumps({"request": "reduce max 4 8 --axis 1", "target": "avx2", "want": "kernel"})
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def explorer() -> Iterator[Explorer]:
    with Explorer() as made:
        serving = Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        yield made
        made.shutdown()
        serving.join()


def said(explorer: Explorer, method: str, path: str, body: str = "", **headers: str) -> tuple[int, bytes]:
    """Return the status and the content of a response. A header is named with _ instead of -."""
    connection = http.client.HTTPConnection("127.0.0.1", explorer.server_port, timeout=60)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body or None, given)
    response = connection.getresponse()
    content = response.read()
    policy = response.getheader("Content-Security-Policy") or ""
    assert "default-src 'none'" in policy and "unsafe" not in policy and not response.getheader("Set-Cookie")
    assert not any(name.lower().startswith("access-control") for name in response.headers)
    connection.close()
    return response.status, content


def test_the_page_and_its_answers_are_served(explorer: Explorer) -> None:
    status, page = said(explorer, "GET", "/")
    assert (status, page) == (200, (PAGE / "index.html").read_bytes())
    for name in re.findall(r'(?:href|src)="([\w.]+)"', page.decode()):
        assert said(explorer, "GET", f"/{name}") == (200, (PAGE / name).read_bytes())
    scripts = {each.name: each.read_text() for each in PAGE.glob("*.js")}
    for name in set(
        re.findall(r'from "\./(\w+\.js)"', "".join(scripts[each] for each in ("explorer.js", "drawing.js")))
    ):
        assert said(explorer, "GET", f"/{name}")[0] == 200
    kinds = json.loads(said(explorer, "GET", "/form.json")[1])["kinds"]
    assert json.loads(answer(json.dumps(json.loads(QUESTION) | {"request": kinds[0]["example"]})))["bytes"]
    status, content = said(explorer, "POST", "/answer", QUESTION, **JSON)
    assert status == 200 and json.loads(content) == json.loads(answer(QUESTION))
    host = f"localhost:{explorer.server_port}"
    assert said(explorer, "POST", "/answer", QUESTION, Host=host, Origin=f"http://{host}", **JSON)[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {"Host": "example.org"}, 403),
        ("GET", "/", {"Host": "127.0.0.1"}, 403),
        ("GET", "/", {"Host": "127.0.0.1.example.org:{port}"}, 403),
        ("GET", "/form.json", {"Host": "example.org:{port}"}, 403),
        ("POST", "/answer", {"Host": "example.org:{port}", **JSON}, 403),
        ("POST", "/answer", {"Origin": "http://example.org", **JSON}, 403),
        ("POST", "/answer", {"Origin": "null", **JSON}, 403),
        ("POST", "/answer", {"Origin": "https://127.0.0.1:{port}", **JSON}, 403),
        ("POST", "/answer", {"Content-Type": "text/plain"}, 415),
        ("POST", "/answer", {}, 415),
        ("POST", "/answer", {"Content-Length": "16001", **JSON}, 413),
        ("POST", "/answer", {"Content-Length": "-1", **JSON}, 413),
        ("POST", "/", JSON, 404),
        ("GET", "/answer", {}, 404),
        ("GET", "/../server.py", {}, 404),
        ("GET", "/page/index.html", {}, 404),
        ("GET", "//etc/passwd", {}, 404),
        ("GET", "/native.js", {}, 404),
    ],
    ids=lambda value: re.sub(r"\W+", "_", str(value)),
)
@pytest.mark.grid(99)
def test_others_get_no_answers(
    explorer: Explorer, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    port = explorer.server_port
    given = {name.replace("-", "_"): value.format(port=port) for name, value in headers.items()}
    found, content = said(explorer, method, path, QUESTION if method == "POST" else "", **given)
    assert found == status and list(json.loads(content)) == ["error"]


def test_a_question_that_takes_too_long_ends_and_the_next_is_answered() -> None:
    workers = Workers(LIMITS._replace(seconds=0.001), count=1)
    try:
        assert "no answer within 0.001 seconds" in json.loads(workers.ask(QUESTION))["error"]
        workers.limits = LIMITS
        assert json.loads(workers.ask(QUESTION)) == json.loads(answer(QUESTION))
        workers.limits = LIMITS._replace(seconds=0.001)
        workers._free.get()  # another question has the only process
        assert "busy" in json.loads(workers.ask(QUESTION))["error"]
    finally:
        workers.close()


def test_the_command_checks_what_it_is_to_show(explorer: Explorer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "brgemm 4 4", "--port", "0"]) == 2
    assert "arguments are required: k" in capsys.readouterr().err
    assert main(["explore", "--port", str(explorer.server_port)]) == 2
    assert f"--port: {explorer.server_port}: " in capsys.readouterr().err
    assert main(["explore", "--port", "70000"]) == 2
    assert "--port: 70000" in capsys.readouterr().err
