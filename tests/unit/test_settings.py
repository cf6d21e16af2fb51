"""Settings are strict: what is not understood starts nothing."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from ops.limits import ingest_limits, session_limits
from ops.llm.settings import LlmSettings
from ops.settings import CONFIG_NAME, BadConfigError, Settings, config_sha256, load_settings
from query.settings import QuerySettings
from streams.message_in import IngestLimits
from streams.sessions.definition import SessionLimits


def _write(store: Path, text: str) -> None:
    (store / CONFIG_NAME).write_text(text, "utf-8")


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == Settings()
    assert load_settings(tmp_path / "not-there-yet") == Settings()


def test_the_file_in_the_store_is_read(tmp_path: Path) -> None:
    _write(tmp_path, "port = 9000\nopen_silence_s = 5\n")
    assert load_settings(tmp_path) == Settings(port=9000, open_silence_s=5.0)


def test_a_named_file_replaces_the_one_in_the_store(tmp_path: Path) -> None:
    _write(tmp_path, "port = 9000\n")
    other = tmp_path / "other.toml"
    other.write_text("session_gap_s = 60\n", "utf-8")
    assert load_settings(tmp_path, other) == Settings(session_gap_s=60)


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(BadConfigError, match="No such file"):
        load_settings(tmp_path, tmp_path / "missing.toml")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("prot = 9000\n", "prot"),
        ("port = 70000\n", "port"),
        ('port = "9000"\n', "port"),
        ("content_max_bytes = 0\n", "content_max_bytes"),
        ("open_silence_s = 0\n", "open_silence_s"),
        ("open_silence_s = inf\n", "open_silence_s"),
        ("wait_max_s = nan\n", "wait_max_s"),
        ("session_gap_s = 99999999999\n", "session_gap_s"),
        ('[query]\nalpha = "much"\n', "query.alpha"),
        ("[query]\nalhpa = 1\n", "query"),
        ("[encoder]\nthreads = 2\n", "encoder"),
    ],
)
def test_a_key_or_value_that_is_not_understood_is_refused_by_name(tmp_path: Path, text: str, field: str) -> None:
    _write(tmp_path, text)
    with pytest.raises(BadConfigError) as caught:
        load_settings(tmp_path)
    assert caught.value.field == field
    assert field in str(caught.value)
    assert CONFIG_NAME in str(caught.value)


@pytest.mark.parametrize(
    "address",
    ["", "localhost:8080/v1", "http://", "//x", "http://[x", "http://h:99999/v1", "ftp://h/v1"],
)
def test_an_endpoint_that_nothing_can_be_sent_to_is_refused(tmp_path: Path, address: str) -> None:
    _write(tmp_path, f'[llm]\nmodel = "m"\nendpoint = "{address}"\n')
    with pytest.raises(BadConfigError, match="endpoint"):
        load_settings(tmp_path)


@pytest.mark.parametrize("content", [b"port =\n", b"\xff\xfe"])
def test_a_file_that_is_not_toml_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / CONFIG_NAME).write_bytes(content)
    with pytest.raises(BadConfigError, match="not TOML"):
        load_settings(tmp_path)


def test_every_setting_counts_in_the_hash() -> None:
    base = Settings()
    changed: dict[str, object] = {
        "host": "0.0.0.0",
        "model": "m",
        "model_cache": "c",
        "query": QuerySettings(alpha=0.5),
        "llm": LlmSettings(model="m"),
    }
    hashes = {config_sha256(base)}
    for name in Settings.__struct_fields__:
        value = changed.get(name)
        if value is None:
            value = getattr(base, name) / 2 if isinstance(getattr(base, name), float) else getattr(base, name) + 1
        hashes.add(config_sha256(msgspec.structs.replace(base, **{name: value})))
    assert len(hashes) == 1 + len(Settings.__struct_fields__)


def test_the_hash_does_not_depend_on_how_the_settings_came_about(tmp_path: Path) -> None:
    _write(tmp_path, "port = 8080\nsession_gap_s = 3600\n")
    assert config_sha256(load_settings(tmp_path)) == config_sha256(Settings())


def test_the_defaults_are_those_of_the_cores() -> None:
    assert session_limits(Settings()) == SessionLimits()
    assert ingest_limits(Settings()) == IngestLimits()


def test_seconds_become_microseconds() -> None:
    limits = session_limits(Settings(session_gap_s=60, open_silence_s=0.5, session_max_messages=7))
    assert (limits.gap_us, limits.quiet_us, limits.max_messages) == (60_000_000, 500_000, 7)
