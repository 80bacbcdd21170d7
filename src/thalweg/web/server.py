"""The server of the page: this machine only, reading only.

A page from elsewhere must not reach it: it answers only requests that name it by an address or as ``localhost`` (a
foreign name that has been bound to the loopback address is refused), and its content policy lets the page load nothing
from other hosts and run nothing but its own script.
"""

from __future__ import annotations

import errno
import ipaddress
import json
import socket
import sys
import threading
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from thalweg.errors import ThalwegError, UsageError
from thalweg.web.assets import SERVED, asset, content_type
from thalweg.web.page_api import NotFoundError, Shelf, answer

LOOPBACK = "127.0.0.1"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_LONGEST_ADDRESS = 8_000


class PageServer(ThreadingHTTPServer):
    """Serves the page of a shelf until it is closed."""

    daemon_threads = True

    def __init__(self, shelf: Shelf, host: str = LOOPBACK, port: int = 0) -> None:
        self.shelf, self.host = shelf, host
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            raise UsageError(f"cannot serve on {host}:{port}: {_reason(error)}") from error

    @property
    def address(self) -> str:
        """Where the page is."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.server_port}/"

    def start(self) -> threading.Thread:
        """Serve in a thread of its own."""
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        return thread

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of errors, but for those of a page that goes away in the middle of an answer."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


def _reason(error: Exception) -> str:
    """Why an address cannot be had, and what to do about it."""
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return "the port is in use; name another one, or leave --port out"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def is_known_host(header: str | None, host: str) -> bool:
    """Whether a request names the server by an address, as localhost, or as it was told to be called."""
    if not header:
        return False
    name = urlsplit(f"//{header}").hostname or ""
    if name in ("localhost", host.lower()):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    server_version = "thalweg"
    sys_version = ""
    timeout = 60

    def do_GET(self) -> None:
        self._respond()

    def do_HEAD(self) -> None:
        self._respond()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: a page asks every second."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Mistakes as JSON, as all else; what is not a request for reading ends here."""
        self.close_connection = True
        status = HTTPStatus.METHOD_NOT_ALLOWED if code == HTTPStatus.NOT_IMPLEMENTED else HTTPStatus(code)
        self._send_json(status, {"error": message or status.phrase})

    def _respond(self) -> None:
        if not is_known_host(self.headers.get("Host"), self.server.host):
            self._send_json(HTTPStatus.FORBIDDEN, {"error": "this name is not one of this server"})
            return
        address = urlsplit(self.path)
        if len(self.path) > _LONGEST_ADDRESS:
            self._send_json(HTTPStatus.REQUEST_URI_TOO_LONG, {"error": "the address is too long"})
        elif address.path in SERVED:
            name = SERVED[address.path]
            self._send(HTTPStatus.OK, asset(name), content_type(name))
        else:
            self._send_json(*self._answer(address.path, dict(parse_qsl(address.query, keep_blank_values=True))))

    def _answer(self, path: str, arguments: dict[str, str]) -> tuple[HTTPStatus, dict[str, Any]]:
        try:
            return HTTPStatus.OK, answer(self.server.shelf, path, arguments)
        except NotFoundError:
            return HTTPStatus.NOT_FOUND, {"error": "there is nothing here"}
        except UsageError as error:
            return HTTPStatus.BAD_REQUEST, {"error": str(error)}
        except (ThalwegError, OSError) as error:
            return HTTPStatus.INTERNAL_SERVER_ERROR, {"error": str(error)}
        except Exception as error:
            # The page goes on with what it has, and whoever started the server sees the rest.
            traceback.print_exc()
            return HTTPStatus.INTERNAL_SERVER_ERROR, {"error": f"something is wrong here: {type(error).__name__}"}

    def _send_json(self, status: HTTPStatus, content: dict[str, Any]) -> None:
        self._send(status, json.dumps(content, ensure_ascii=False).encode(), "application/json; charset=utf-8")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
