"""An endpoint on this machine that speaks the OpenAI protocol, scripted request by request. It holds no model.

A real HTTP server. Whoever uses it says for each request what comes back: a reply, a status, silence, half a response.
What it was sent is kept.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the server does with a request.

    Attributes:
        status: of the response.
        body: its bytes.
        headers: more of them.
        send: how many bytes of the body are sent before the connection is cut; None sends all.
        silent: nothing is sent at all until the server ends.
        trickles: instead of the body a blank at a time, with a pause after each, without an end.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    send: int | None = None
    silent: bool = False
    trickles: bool = False


def completion(text: str | None, finish: str = "stop", *, refusal: str | None = None, tokens: int = 50) -> Answer:
    """A chat completion that says ``text``."""
    message: Body = {"role": "assistant", "content": text}
    if refusal is not None:
        message["refusal"] = refusal
    whole: Body = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted-1",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": tokens, "total_tokens": 100 + tokens},
    }  # fmt: skip
    return Answer(body=json.dumps(whole).encode())


def no_choices() -> Answer:
    """A completion without a choice."""
    return Answer(body=b'{"id":"x","object":"chat.completion","model":"scripted-1","choices":[]}')


Script = Callable[[Body, int], Answer]
"""The request's body and how many came before it; called in the server's threads."""


class Endpoint:
    """While entered, serves ``script`` on a port of this machine.

    Attributes:
        requests: the bodies of all requests, in order.

    Args:
        script: see there.
        at_once: whether it may be called for several requests at once.
    """

    def __init__(self, script: Script, *, at_once: bool = False) -> None:
        self._script = script
        self._at_once = at_once
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.requests: list[Body] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                """Answer by the script."""
                raw = self.rfile.read(int(self.headers.get("content-length", "0")))
                outer._serve(self, json.loads(raw))

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """The base address, as a client is given it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Endpoint:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()

    def _serve(self, handler: BaseHTTPRequestHandler, body: Body) -> None:
        with self._lock:
            before = len(self.requests)
            self.requests.append(body)
            answer = None if self._at_once else self._script(body, before)
        answer = self._script(body, before) if answer is None else answer
        if answer.silent:
            self._ended.wait(60)
            return
        handler.send_response(answer.status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(1_000_000 if answer.trickles else len(answer.body)))
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        try:
            while answer.trickles and not self._ended.wait(0.05):
                handler.wfile.write(b" ")
        except OSError:
            return  # the client has left
        handler.wfile.write(answer.body[: answer.send])
        if answer.send is not None:
            _cut(handler.connection)
            handler.close_connection = True


def _cut(connection: socket.socket) -> None:
    """Reset rather than close: the client sees the connection break."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def is_probe(body: Body) -> bool:
    """Whether a request only tries how the endpoint is spoken to."""
    return '{"ok": true}' in body["messages"][0]["content"]
