"""The shop on a TCP port: HTTP in, HTTP out, a thread a connection."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer

from .app import Mode, build
from .web import Handler, Request

MAX_BODY = 64 << 10


def serve(mode: Mode, host: str, port: int) -> ThreadingHTTPServer:
    """Bind the shop; the caller runs `serve_forever` and closes. Port 0 takes a free one."""
    return _Server((host, port), build(mode))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # A scanner opens many connections at once, and must not be turned away.
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], answer: Handler) -> None:
        self.answer = answer
        super().__init__(address, _Connection)

    def server_bind(self) -> None:
        # The parent's own way asks DNS for the machine's name, which can take seconds in a locked network.
        TCPServer.server_bind(self)


class _Connection(BaseHTTPRequestHandler):
    server: _Server
    # Connections are kept open, as real servers do it; so every answer needs its length.
    protocol_version = "HTTP/1.1"
    server_version = "ExampleOrchard"
    # Answers stay the same whatever Python the image has, so that proofs can be compared.
    sys_version = ""
    # A thread for each connection: one that says nothing must not stay for ever.
    timeout = 10

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's parameter
        """Keep no log: a practice target has nothing to tell."""

    def _answer(self) -> None:
        length = self.headers.get("Content-Length", "0")
        # A body of unknown end would be read as the next request.
        if not length.isdecimal() or int(length) > MAX_BODY or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            self.send_error(413)
            return
        body = self.rfile.read(int(length))
        response = self.server.answer(
            Request.read(self.command, self.path, cookie=self.headers.get("Cookie", ""), body=body)
        )
        content = response.body.encode()
        self.send_response(response.status)
        self.send_header("Content-Type", response.content_type)
        self.send_header("Content-Length", str(len(content)))
        for name, value in response.headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
