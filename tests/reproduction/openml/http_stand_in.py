"""A web server on the loopback interface that misbehaves on demand."""

import gzip
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

Answer = Callable[["_Handler"], None]


class StandIn(ThreadingHTTPServer):
    """Serves `pages`, but first works through the queue of `faults`, one a request."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, bytes | Answer] = {}
        self.faults: deque[Answer] = deque()
        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.stopping = threading.Event()
        self.scheme = "http"
        self.tls: ssl.SSLContext | None = None
        self.broken_handshakes: deque[bytes] = deque()
        """What the next connections get in place of a handshake."""
        self.n_plain = 0
        """Connections without TLS, although the server has it."""

    def url(self, path: str) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_port}{path}"

    def finish_request(self, request, client_address):
        if self.tls is not None:
            first = request.recv(1, socket.MSG_PEEK)
            if self.broken_handshakes:
                request.recv(65536)
                request.sendall(self.broken_handshakes.popleft())
                return
            self.n_plain += first != b"\x16"
            request = self.tls.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, request, client_address):
        """Stay silent: connections break on purpose here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandIn

    def do_GET(self):
        self.server.requests.append(self.path)
        self.server.headers.append(dict(self.headers))
        if self.server.faults:
            self.server.faults.popleft()(self)
            return
        page = self.server.pages.get(self.path, answer(404))
        (answer(200, page) if isinstance(page, bytes) else page)(self)

    def log_message(self, *_):
        """Keep the test output clean."""


@contextmanager
def stand_in() -> Iterator[StandIn]:
    with StandIn() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.stopping.set()
            server.shutdown()
            thread.join()


@pytest.fixture
def server(monkeypatch) -> Iterator[StandIn]:
    """A stand-in, without waits between the attempts of a download."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with stand_in() as running:
        yield running


def answer(status: int, body: bytes = b"", **headers: str) -> Answer:
    """A well-formed answer; underscores in header names stand for hyphens."""

    def send(handler: _Handler) -> None:
        handler.send_response(status)
        for name, value in ({"Content_Length": str(len(body))} | headers).items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return send


def two_lengths(handler: _Handler) -> None:
    """Two Content-Length headers that differ."""
    handler.send_response(200)
    handler.send_header("Content-Length", "3")
    handler.send_header("Content-Length", "4")
    handler.end_headers()
    handler.wfile.write(b"body")


def redirect(location: str) -> Answer:
    return answer(302, Location=location)


def gzipped(body: bytes) -> Answer:
    return answer(200, gzip.compress(body), Content_Encoding="gzip")


def truncated_gzip(body: bytes) -> Answer:
    """Announces exactly the bytes it sends, so only the missing end mark tells."""
    return answer(200, gzip.compress(body)[:-6], Content_Encoding="gzip")


def short_body(body: bytes) -> Answer:
    """Announces ten bytes more than it sends."""
    return _then_close(answer(200, body, Content_Length=str(len(body) + 10)))


def short_gzip(body: bytes) -> Answer:
    """A gzip body without a length that ends in its middle."""
    part = gzip.compress(body)[: len(body) // 2]
    return _then_close(
        lambda handler: _send_unmeasured(handler, part, ("Content-Encoding", "gzip"))
    )


def broken_chunk(body: bytes) -> Answer:
    """Announces a chunk of 255 bytes and closes within it."""
    return _then_close(
        lambda handler: _send_unmeasured(
            handler, b"ff\r\n" + body[:10], ("Transfer-Encoding", "chunked")
        )
    )


def missing_last_chunk(body: bytes) -> Answer:
    """Closes after a complete chunk, without the empty one that ends a body."""
    chunk = b"%x\r\n%s\r\n" % (len(body), body)
    return _then_close(
        lambda handler: _send_unmeasured(handler, chunk, ("Transfer-Encoding", "chunked"))
    )


def reset(handler: _Handler) -> None:
    """Drop the connection with a TCP reset instead of an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    handler.connection.close()


def silent(handler: _Handler) -> None:
    """Accept the request and send nothing until the server stops."""
    handler.server.stopping.wait()
    handler.close_connection = True


def dribble(body: bytes, every: float = 0.05) -> Answer:
    """Send the body byte by byte, so slowly that no single wait is long."""

    def send(handler: _Handler) -> None:
        answer(200, b"", Content_Length=str(len(body)))(handler)
        _send_slowly(handler, body, every)

    return send


def dribble_headers(handler: _Handler) -> None:
    """Send headers for ever, byte by byte."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    _send_slowly(handler, b"X-Wait: and see\r\n" * 1000, 0.05)


def dribble_chunks(handler: _Handler) -> None:
    """Send chunks of one byte for ever."""
    _send_unmeasured(handler, b"", ("Transfer-Encoding", "chunked"))
    _send_slowly(handler, b"1\r\nx\r\n" * 1000, 0.05)


def _send_slowly(handler: _Handler, body: bytes, every: float) -> None:
    handler.close_connection = True
    for i in range(len(body)):
        handler.wfile.write(body[i : i + 1])
        handler.wfile.flush()
        if handler.server.stopping.wait(every):
            return


def bomb(megabytes: int) -> Answer:
    """A small gzip body that is large after decompression."""
    packed = gzip.compress(bytes(1_000_000)) * megabytes
    return answer(200, packed, Content_Encoding="gzip")


def _send_unmeasured(handler: _Handler, body: bytes, header: tuple[str, str]) -> None:
    handler.send_response(200)
    handler.send_header(*header)
    handler.end_headers()
    handler.wfile.write(body)


def _then_close(send: Answer) -> Answer:
    def send_and_close(handler: _Handler) -> None:
        send(handler)
        handler.close_connection = True

    return send_and_close
