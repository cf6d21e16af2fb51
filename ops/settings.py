"""Settings: one frozen struct, read once from ``stilltrue.toml``, hashed into every result that depends on them.

There is one layer: the file's value, or the default written here. A key the struct does not know is an error, for a
misspelt key would otherwise silently leave its default in force.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Annotated

import msgspec

from ops.llm.settings import LlmSettings
from query.settings import QuerySettings

CONFIG_NAME = "stilltrue.toml"
"""Looked for in the store when ``--config`` is not given."""

Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
Port = Annotated[int, msgspec.Meta(ge=0, le=65_535)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1_000_000_000)]
"""At most 30 years, so that it can be counted in microseconds: infinity cannot."""


class BadConfigError(ValueError):
    """The settings cannot be used: nothing starts. ``field`` names the key where one is to blame."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be set. Units stand last in the names.

    Attributes:
        content_max_bytes: longest content of a message, UTF-8; longer is refused.
        request_max_bytes: longest body of a request; longer is refused.
        import_batch_messages: how many messages an import posts before they are processed.
        session_gap_s: a pause longer than this starts a new session.
        session_max_messages: a session is closed at this size.
        open_revision_messages: an open session is published after so many new messages,
        open_silence_s: or at once where it was not published for so long, else when that is over.
        stage_batch_records: how many records a stage folds before it commits.
        host: address the HTTP service listens on.
        port: its port; 0 lets the system choose.
        wait_max_s: longest a request may wait for an offset.
        model: path or name of the embedding model; None takes the installed one (see ``./stilltrue model``).
        budget_tokens: context budget of a question that names none (B_total of the paper).
        query: weights and limits of the query engine, the table ``[query]``.
        llm: the language model and its limits, the table ``[llm]``.
    """

    content_max_bytes: Count = 65_536
    request_max_bytes: Count = 16 * 1024 * 1024
    import_batch_messages: Count = 200
    session_gap_s: Count = 3_600
    session_max_messages: Count = 100
    open_revision_messages: Count = 20
    open_silence_s: Seconds = 2.0
    stage_batch_records: Count = 256
    host: str = "127.0.0.1"
    port: Port = 8080
    wait_max_s: Seconds = 30.0
    model: str | None = None
    budget_tokens: Count = 2_000
    query: QuerySettings = QuerySettings()
    llm: LlmSettings = LlmSettings()


def load_settings(store: Path, config: Path | None = None) -> Settings:
    """The settings of a store.

    Args:
        store: the store's directory; its ``stilltrue.toml`` is read when it is there.
        config: a file to read instead; it must exist.

    Raises:
        BadConfigError: the file is missing or unreadable, is not TOML, has a key that is not known, or a value of the
            wrong type or range. The message names the file and the key; correct it and start again.
    """
    path = store / CONFIG_NAME if config is None else config
    if config is None and not path.exists():
        return Settings()
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadConfigError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadConfigError(f"{path}: not TOML: {error}") from error
    for key in values:
        if key not in Settings.__struct_fields__:
            known = ", ".join(sorted(Settings.__struct_fields__))
            raise BadConfigError(f"{path}: unknown key {key!r}; known keys: {known}", key)
    try:
        return msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        field = str(error).rpartition("$.")[2].rstrip("`") or None
        raise BadConfigError(f"{path}: {error}", field) from error


def config_sha256(settings: Settings) -> str:
    """Hash of every setting, in name order: results with equal hashes were made under equal settings."""
    return hashlib.sha256(msgspec.json.encode(settings, order="sorted")).hexdigest()
