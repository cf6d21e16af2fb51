"""The Qdrant server in use: where it is, and its index. The one place that reads the environment for its key."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from views.encoder.protocol import Encoder
    from views.vectors.server import ServerIndex


def open_index(url: str, prefix: str, encoder: Encoder) -> ServerIndex:
    """The index of a system on a server; made when it is not there.

    Args:
        url: of the server, as in ``$STILLTRUE_QDRANT``. Its key is ``$STILLTRUE_QDRANT_API_KEY``.
        prefix: that of the topics.
        encoder: whose vectors it holds.

    Raises:
        IndexAwayError: the server does not answer, or not us. Try again later.
        IndexMismatchError: the collection is of something else. The message says what to do.
    """
    from views.vectors.server import Server, connect

    server = Server(url=url, api_key=os.environ.get("STILLTRUE_QDRANT_API_KEY") or None, prefix=prefix)
    return connect(server, dimension=encoder.dimension, encoder=encoder.name)
