"""When an endpoint will not have us: an error apart from the client, which is loaded only to ask."""

from __future__ import annotations


class EndpointAwayError(Exception):
    """No question can be asked for a while; nothing is the question's fault. Leave it open and come back later."""

    def __init__(self, message: str, wait_s: float, calls: int) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        self.calls = calls
