"""The page over HTTP, on this machine alone, with answers by this machine's processes.

Any page that a browser shows may send requests to a server on 127.0.0.1. So the Host header has to name this server,
which a page of a name that was rebound to 127.0.0.1 cannot fake; a question has to be JSON by its type, which a browser
lets pages of other origins send only after it has asked, and nobody answers that; and what comes is data for a parser.
"""

from __future__ import annotations

import json
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files

from .answers import LIMITS, QuestionLimits
from .form import form
from .workers import Workers

HOST = "127.0.0.1"
_PAGE = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/explorer.css": ("explorer.css", "text/css; charset=utf-8"),
    "/explorer.js": ("explorer.js", "text/javascript; charset=utf-8"),
    "/words.js": ("words.js", "text/javascript; charset=utf-8"),
    "/drawing.js": ("drawing.js", "text/javascript; charset=utf-8"),
    "/backend.js": ("native.js", "text/javascript; charset=utf-8"),
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_JSON = "application/json"


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = 60.0

    def __init__(self, explorer: Explorer, *given: object) -> None:
        self.explorer = explorer
        super().__init__(*given)  # type: ignore[arg-type]  # the server passes its own

    def do_GET(self) -> None:
        """Answer with a file of the page, or with what its form offers."""
        if not self._is_for_here():
            return
        if self.path == "/form.json":
            self._send(200, _JSON, json.dumps(form()).encode())
        elif self.path in _PAGE:
            name, kind = _PAGE[self.path]
            self._send(200, kind, (files(__package__) / "page" / name).read_bytes())
        else:
            self._refuse(404, f"nothing is at {self.path}")

    def do_POST(self) -> None:
        """Answer a question."""
        if not self._is_for_here():
            return
        size = self.headers.get("Content-Length", "")
        most = 4 * self.explorer.workers.limits.text  # UTF-8 has at most four bytes for a character
        if self.path != "/answer":
            self._refuse(404, f"nothing is at {self.path}")
        elif self.headers.get_content_type() != _JSON:
            self._refuse(415, f"a question is of type {_JSON}")
        elif not size.isdecimal() or int(size) > most:
            self._refuse(413, f"a question has a length, and at most {most} bytes")
        else:
            text = self.rfile.read(int(size)).decode(errors="replace")
            self._send(200, _JSON, self.explorer.workers.ask(text).encode())

    def _is_for_here(self) -> bool:
        """Whether the request names this server, and comes from its own page or from no page. If not, refuse it."""
        hosts = [f"{name}:{self.explorer.server_port}" for name in (HOST, "localhost")]
        origin = self.headers.get("Origin")
        if self.headers.get_all("Host") not in [[each] for each in hosts]:
            self._refuse(403, f"the Host header must be {' or '.join(hosts)}")
        elif origin is not None and origin not in [f"http://{each}" for each in hosts]:
            self._refuse(403, "pages of other origins get no answers")
        else:
            return True
        return False

    def _refuse(self, status: int, reason: str) -> None:
        self.close_connection = True  # what follows of the request is not read
        self._send(status, _JSON, json.dumps({"error": reason}).encode())

    def _send(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def version_string(self) -> str:
        """Return the name of the program alone."""
        return "tilesmith"

    def log_message(self, format: str, *values: object) -> None:
        """Print nothing: the page shows every error."""


class Explorer(ThreadingHTTPServer):
    """The server. It listens on `port`; 0 is a free one."""

    daemon_threads = True

    def __init__(self, port: int = 0, limits: QuestionLimits = LIMITS) -> None:
        self.workers = Workers(limits)
        super().__init__((HOST, port), partial(_Handler, self))

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/"

    def server_close(self) -> None:
        """Stop listening, and end the processes."""
        super().server_close()
        self.workers.close()
